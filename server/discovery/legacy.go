package discovery

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// addLegacy renders /api, /apis, and a document for each group and group version.
//
//   - As in Kubernetes, the documents of the core group carry no apiVersion.
func (d *Discovery) addLegacy(groups []group, serverAddress string) error {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	core := metav1.APIVersions{
		TypeMeta: metav1.TypeMeta{Kind: "APIVersions"},
		Versions: []string{},
		ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{
			{ClientCIDR: "0.0.0.0/0", ServerAddress: serverAddress},
		},
	}
	for _, g := range groups {
		if err := d.addGroupVersions(g); err != nil {
			return err
		}
		if g.name == "" {
			for _, v := range g.versions {
				core.Versions = append(core.Versions, v.Version)
			}
			continue
		}
		apiGroup := apiGroupOf(g)
		list.Groups = append(list.Groups, apiGroup)
		apiGroup.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		if err := d.put("/apis/"+g.name, apiGroup); err != nil {
			return err
		}
	}
	if err := d.put("/api", core); err != nil {
		return err
	}
	return d.put("/apis", list)
}

func apiGroupOf(g group) metav1.APIGroup {
	out := metav1.APIGroup{Name: g.name}
	for _, v := range g.versions {
		out.Versions = append(out.Versions, metav1.GroupVersionForDiscovery{GroupVersion: v.String(), Version: v.Version})
	}
	out.PreferredVersion = out.Versions[0]
	return out
}

func (d *Discovery) addGroupVersions(g group) error {
	for _, v := range g.versions {
		list := metav1.APIResourceList{
			TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: v.String(),
			APIResources: []metav1.APIResource{},
		}
		path := "/apis/" + v.String()
		if g.name == "" {
			list.APIVersion = ""
			path = "/api/" + v.Version
		}
		for _, r := range v.resources {
			list.APIResources = append(list.APIResources, apiResourcesOf(r, v.GroupVersion)...)
		}
		if err := d.put(path, list); err != nil {
			return err
		}
	}
	return nil
}

// The verbs of resources and subresources, in the alphabetical order in which Kubernetes lists them.
var (
	resourceVerbs    = metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	singleVerbs      = metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}
	subresourceVerbs = metav1.Verbs{"get", "patch", "update"}
	createVerbs      = metav1.Verbs{"create"}
	updateVerbs      = metav1.Verbs{"update"}
)

// apiResourcesOf is the resource itself and behind it its subresources by name.
//
//   - Subresources that the server refuses are not listed: nothing is served there.
//   - Group and version are given only where they differ from those of the list.
func apiResourcesOf(r *engine.Resource, gv metav1.GroupVersion) []metav1.APIResource {
	out := []metav1.APIResource{{
		Name:         r.Plural,
		SingularName: r.Singular,
		Namespaced:   r.Namespaced,
		Kind:         r.Kind,
		Verbs:        resourceVerbs,
		ShortNames:   r.ShortNames,
		Categories:   r.Categories,
	}}
	if r.Traits.NoDeleteCollection {
		out[0].Verbs = singleVerbs
	}
	if r.StorageVersion() != nil {
		stored := schema.FromAPIVersionAndKind(r.StoredAPIVersion(), r.Kind)
		out[0].StorageVersionHash = storageVersionHash(stored.Group, stored.Version, stored.Kind)
	}
	for i := range r.Subresources {
		sub := &r.Subresources[i]
		if sub.Unavailable != "" || !sub.In(gv.Version) {
			continue
		}
		kind, verbs := subresourceKind(r, sub, gv)
		listed := metav1.APIResource{Name: r.Plural + "/" + sub.Name, Namespaced: r.Namespaced, Kind: kind.Kind, Verbs: verbs}
		if kind.Group != gv.Group || kind.Version != gv.Version {
			listed.Group, listed.Version = kind.Group, kind.Version
		}
		out = append(out, listed)
	}
	slices.SortFunc(out[1:], func(a, b metav1.APIResource) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// subresourceKind is the kind that is read from or posted to a subresource, and its verbs.
func subresourceKind(r *engine.Resource, sub *engine.Subresource, gv metav1.GroupVersion) (metav1.GroupVersionKind, metav1.Verbs) {
	switch {
	case sub.Create != nil:
		c := sub.Create
		return metav1.GroupVersionKind{Group: c.Group, Version: c.Version, Kind: c.Kind}, createVerbs
	case sub.Scale != nil:
		return metav1.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}, subresourceVerbs
	case sub.PutOnly:
		return metav1.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: r.Kind}, updateVerbs
	default:
		return metav1.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: r.Kind}, subresourceVerbs
	}
}

// storageVersionHash changes when objects are stored in another version. Clients may compare it, nothing else.
func storageVersionHash(group, version, kind string) string {
	sum := sha256.Sum256([]byte(group + "/" + version + "/" + kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}
