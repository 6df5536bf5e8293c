package sdktest

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// Others are the objects that Context.Get and Context.List find, by the name of their resource: "configmaps",
// "deployments.apps". A resource that is missing has not been granted to the plugin.
type Others map[string][]*sdk.Object

// read answers a query as the server does.
//
//   - Of label selectors it knows "key", "key=value" and "key!=value".
func (o Others) read(query string) string {
	q := gjson.Parse(query)
	resource, namespace, name := q.Get("resource").Str, q.Get("namespace").Str, q.Get("name").Str
	if group := q.Get("group").Str; group != "" {
		resource += "." + group
	}
	objects, granted := o[resource]
	if !granted {
		return failure(403, "Forbidden", "the plugin may not read "+resource)
	}
	if name != "" {
		for _, obj := range objects {
			if obj.Namespace() == namespace && obj.Name() == name {
				return frame(`{"code":200}`, obj)
			}
		}
		return failure(404, "NotFound", resource+" "+strconv.Quote(name)+" not found")
	}
	var found []*sdk.Object
	for _, obj := range objects {
		if (namespace == "" || obj.Namespace() == namespace) && matches(q.Get("labelSelector").Str, obj.Labels()) {
			found = append(found, obj)
		}
	}
	if limit := int(q.Get("limit").Int()); limit > 0 && len(found) > limit {
		return frame(`{"code":200,"more":true}`, found[:limit]...)
	}
	return frame(`{"code":200}`, found...)
}

func failure(code int, reason, message string) string {
	status, _ := jsontext.Append(nil, map[string]any{"code": code, "reason": reason, "message": message})
	return frame(string(status))
}

func frame(status string, objects ...*sdk.Object) string {
	segments := []string{status}
	for _, obj := range objects {
		segments = append(segments, obj.Raw())
	}
	return string(sdk.AppendFrame(nil, segments...))
}

func matches(selector string, labels map[string]string) bool {
	if selector == "" {
		return true
	}
	for _, requirement := range strings.Split(selector, ",") {
		if strings.ContainsAny(requirement, "( ") {
			panic("sdktest: the label selector " + strconv.Quote(selector) + " has more than keys, = and !=")
		}
		key, value, compared := strings.Cut(strings.ReplaceAll(requirement, "==", "="), "=")
		unequal := strings.HasSuffix(key, "!")
		have, exists := labels[strings.TrimSuffix(key, "!")]
		if unequal && exists && have == value || !unequal && (!exists || compared && have != value) {
			return false
		}
	}
	return true
}
