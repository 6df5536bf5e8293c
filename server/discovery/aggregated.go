package discovery

import (
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/negotiate"
)

// aggregatedVersions are the versions of the aggregated format. v2beta1, which older clients ask for, has the same fields.
var aggregatedVersions = []string{"v2", "v2beta1"}

// aggregatedEndpoint takes only those clauses of an Accept header that ask for the aggregated format.
var aggregatedEndpoint = negotiate.Endpoint{OnlyConverted: true, Converts: isAggregated}

func isAggregated(as schema.GroupVersionKind) bool {
	return as.Group == apidiscovery.GroupName && as.Kind == "APIGroupDiscoveryList" &&
		(as.Version == aggregatedVersions[0] || as.Version == aggregatedVersions[1])
}

// addAggregated renders the core group under /api and all others under /apis.
func (d *Discovery) addAggregated(groups []group) error {
	core, named := []apidiscovery.APIGroupDiscovery{}, []apidiscovery.APIGroupDiscovery{}
	for _, g := range groups {
		if g.name == "" {
			core = append(core, groupDiscovery(g))
		} else {
			named = append(named, groupDiscovery(g))
		}
	}
	for _, version := range aggregatedVersions {
		as := schema.GroupVersionKind{Group: apidiscovery.GroupName, Version: version, Kind: "APIGroupDiscoveryList"}
		list := apidiscovery.APIGroupDiscoveryList{
			TypeMeta: metav1.TypeMeta{Kind: as.Kind, APIVersion: as.GroupVersion().String()},
		}
		list.Items = core
		if err := d.putAggregated("/api", as, list); err != nil {
			return err
		}
		list.Items = named
		if err := d.putAggregated("/apis", as, list); err != nil {
			return err
		}
	}
	return nil
}

func groupDiscovery(g group) apidiscovery.APIGroupDiscovery {
	out := apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: g.name}}
	for _, v := range g.versions {
		version := apidiscovery.APIVersionDiscovery{Version: v.Version, Freshness: apidiscovery.DiscoveryFreshnessCurrent}
		for _, r := range v.resources {
			version.Resources = append(version.Resources, resourceDiscovery(r, v.GroupVersion))
		}
		out.Versions = append(out.Versions, version)
	}
	return out
}

func resourceDiscovery(r *engine.Resource, gv metav1.GroupVersion) apidiscovery.APIResourceDiscovery {
	listed := apiResourcesOf(r, gv)
	out := apidiscovery.APIResourceDiscovery{
		Resource:         r.Plural,
		ResponseKind:     responseKind(listed[0], gv),
		Scope:            apidiscovery.ScopeCluster,
		SingularResource: listed[0].SingularName,
		Verbs:            listed[0].Verbs,
		ShortNames:       listed[0].ShortNames,
		Categories:       listed[0].Categories,
	}
	if r.Namespaced {
		out.Scope = apidiscovery.ScopeNamespace
	}
	for _, sub := range listed[1:] {
		out.Subresources = append(out.Subresources, apidiscovery.APISubresourceDiscovery{
			Subresource:  strings.TrimPrefix(sub.Name, r.Plural+"/"),
			ResponseKind: responseKind(sub, gv),
			Verbs:        sub.Verbs,
		})
	}
	return out
}

// responseKind is the whole kind: the legacy document leaves out group and version where they are those of the list.
func responseKind(r metav1.APIResource, gv metav1.GroupVersion) *metav1.GroupVersionKind {
	if r.Version != "" {
		return &metav1.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
	}
	return &metav1.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: r.Kind}
}
