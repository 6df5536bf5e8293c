package discovery

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/stratagem-dev/stratagem/engine"
)

// group is one API group with what it serves, in the order in which clients see it.
type group struct {
	name     string
	versions []groupVersion // preferred first
}

// groupVersion is one version of a group, resources by their plural names.
type groupVersion struct {
	metav1.GroupVersion
	resources []*engine.Resource
}

// groupsOf sorts resources into groups. Versions that are not served are left out, and so is a group without any.
func groupsOf(resources []*engine.Resource) []group {
	served := map[metav1.GroupVersion][]*engine.Resource{}
	versions := map[string][]string{}
	for _, r := range resources {
		for _, v := range r.Versions {
			if !v.Served {
				continue
			}
			gv := metav1.GroupVersion{Group: r.Group, Version: v.Name}
			if served[gv] == nil {
				versions[r.Group] = append(versions[r.Group], v.Name)
			}
			served[gv] = append(served[gv], r)
		}
	}
	groups := make([]group, 0, len(versions))
	for name, names := range versions {
		slices.SortFunc(names, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
		g := group{name: name}
		for _, v := range names {
			gv := metav1.GroupVersion{Group: name, Version: v}
			slices.SortFunc(served[gv], func(a, b *engine.Resource) int { return cmp.Compare(a.Plural, b.Plural) })
			g.versions = append(g.versions, groupVersion{gv, served[gv]})
		}
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(rank(a.name), rank(b.name)), cmp.Compare(a.name, b.name))
	})
	return groups
}

// rank puts the groups that Kubernetes has built in first, in its own order, and all others behind them.
func rank(group string) int {
	if i := slices.Index(kubernetesGroups, group); i >= 0 {
		return i
	}
	return len(kubernetesGroups)
}

// kubernetesGroups is the order in which kube-apiserver lists its own groups. Which resources a bare name
// ("events") means to kubectl depends on it.
var kubernetesGroups = []string{
	"",
	"apps",
	"events.k8s.io",
	"authentication.k8s.io",
	"authorization.k8s.io",
	"autoscaling",
	"batch",
	"certificates.k8s.io",
	"networking.k8s.io",
	"policy",
	"rbac.authorization.k8s.io",
	"storage.k8s.io",
	"admissionregistration.k8s.io",
	"apiextensions.k8s.io",
	"scheduling.k8s.io",
	"coordination.k8s.io",
	"node.k8s.io",
	"discovery.k8s.io",
	"flowcontrol.apiserver.k8s.io",
	"internal.apiserver.k8s.io",
	"resource.k8s.io",
	"storagemigration.k8s.io",
}
