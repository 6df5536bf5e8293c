package e2e

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// nested is a text in an object, "" where there is none.
func nested(obj *unstructured.Unstructured, fields ...string) string {
	text, _, _ := unstructured.NestedString(obj.Object, fields...)
	return text
}

// told is one of an object's conditions.
type told struct{ status, reason, message string }

func conditionOf(obj *unstructured.Unstructured, kind string) told {
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == kind {
			text := func(key string) string { s, _ := c[key].(string); return s }
			return told{text("status"), text("reason"), text("message")}
		}
	}
	return told{}
}
