package command

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/engine"
)

// collection is the path of the collection that an object belongs to, by the server's discovery.
func (c *apiClient) collection(ctx context.Context, obj engine.Object) (string, error) {
	root := "/api/" + obj.APIVersion()
	if strings.Contains(obj.APIVersion(), "/") {
		root = "/apis/" + obj.APIVersion()
	}
	doc, err := c.do(ctx, "GET", root, "application/json", "", nil)
	if err != nil {
		return "", fmt.Errorf("apiVersion %q: %w", obj.APIVersion(), err)
	}
	for _, r := range gjson.GetBytes(doc, "resources").Array() {
		name := r.Get("name").String()
		switch {
		case r.Get("kind").String() != obj.Kind() || strings.Contains(name, "/"):
		case r.Get("namespaced").Bool():
			return root + "/namespaces/" + url.PathEscape(cmp.Or(obj.Namespace(), "default")) + "/" + name, nil
		default:
			return root + "/" + name, nil
		}
	}
	return "", fmt.Errorf("the server has no kind %q in %s", obj.Kind(), obj.APIVersion())
}
