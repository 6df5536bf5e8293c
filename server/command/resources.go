package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const aggregatedDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// findResource finds a resource by any of its names, "crontabs", "crontab", "CronTab" or "ct", and by the group behind it
// where one is given.
func (c *apiClient) findResource(ctx context.Context, name string) (schema.GroupResource, error) {
	plain, group, grouped := strings.Cut(name, ".")
	var found []schema.GroupResource
	for _, path := range []string{"/api", "/apis"} {
		answer, err := c.do(ctx, "GET", path, aggregatedDiscovery, "", nil)
		if err != nil {
			return schema.GroupResource{}, err
		}
		var groups apidiscovery.APIGroupDiscoveryList
		if err := json.Unmarshal(answer, &groups); err != nil {
			return schema.GroupResource{}, fmt.Errorf("discovery at %s: %w", path, err)
		}
		for _, g := range groups.Items {
			if grouped && g.Name != group {
				continue
			}
			for _, v := range g.Versions {
				for _, r := range v.Resources {
					if gr := (schema.GroupResource{Group: g.Name, Resource: r.Resource}); isNamed(r, plain) && !slices.Contains(found, gr) {
						found = append(found, gr)
					}
				}
			}
		}
	}
	switch len(found) {
	case 0:
		return schema.GroupResource{}, fmt.Errorf("the server doesn't have a resource type %q", name)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, gr := range found {
		names = append(names, gr.String())
	}
	return schema.GroupResource{}, fmt.Errorf("%q is ambiguous: name one of %s", name, strings.Join(names, ", "))
}

func isNamed(r apidiscovery.APIResourceDiscovery, name string) bool {
	return r.Resource == name || r.SingularResource == name || slices.Contains(r.ShortNames, name) ||
		r.ResponseKind != nil && strings.EqualFold(r.ResponseKind.Kind, name)
}
