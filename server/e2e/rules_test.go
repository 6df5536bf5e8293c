package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// specVersion is one version with these properties and rules of the spec.
func specVersion(properties, rules string) string {
	return `[{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {` + properties + `}` + rules + `}}}}}]`
}

// What was there before a rule may stay as it is, whatever sort of rule it is; what is changed has to keep it.
func TestAllRulesAreRatcheted(t *testing.T) {
	group, ns := "ratchets.test", namespace(t, shared)
	const lax = `e: {type: string}, l: {type: string}, p: {type: string}, m: {type: integer}, r: {type: string}, set: {type: array, items: {type: string}}, map: {type: array, items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}, obj: {type: object, properties: {a: {type: string}, b: {type: string}}}, free: {type: string}`
	const strict = `e: {type: string, enum: [x]}, l: {type: string, maxLength: 1}, p: {type: string, pattern: "^x$"}, m: {type: integer, minimum: 10}, r: {type: string, x-kubernetes-validations: [{rule: "self == 'x'", message: has to be x}]}, set: {type: array, x-kubernetes-list-type: set, items: {type: string}}, map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}}, obj: {type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}, free: {type: string}`
	made := define(t, shared, widgetDefinition(t, group, specVersion(lax, "")))
	objects := widgets(t, shared, group, "v1", ns)
	const spec = `{e: old, l: long, p: old, m: 1, r: old, set: [a, a], map: [{k: a}, {k: a}], obj: {b: x}, free: a}`
	_, err := objects.Create(within(t), widget(t, group, "v1", "x", spec), metav1.CreateOptions{})
	must(t, err)
	next := widgetDefinition(t, group, specVersion(strict, ""))
	next.SetResourceVersion(made.GetResourceVersion())
	_, err = shared.dynamic(t).Resource(definitions).Update(within(t), next, metav1.UpdateOptions{})
	must(t, err)
	patch := func(spec string) error {
		_, err := objects.Patch(within(t), "x", types.MergePatchType, []byte(`{"spec":`+spec+`}`), metav1.PatchOptions{})
		return err
	}
	must(t, patch(`{"free":"b"}`))
	for change, want := range map[string]string{
		`{"e":"new"}`:         `spec.e: Unsupported value: "new": supported values: "x"`,
		`{"l":"other"}`:       `spec.l: Too long: may not be more than 1 byte`,
		`{"p":"new"}`:         `spec.p: Invalid value: "new": spec.p in body should match '^x$'`,
		`{"m":2}`:             `spec.m: Invalid value: 2: spec.m in body should be greater than or equal to 10`,
		`{"r":"new"}`:         `spec.r: Invalid value: "new": has to be x`,
		`{"obj":{"b":"new"}}`: `spec.obj.a: Required value`,
	} {
		if err := patch(change); err == nil {
			t.Errorf("%s was taken", change)
		} else if got := causes(t, err); !slices.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", change, got, want)
		}
	}
	// Duplicates are looked for where there were none before; Kubernetes does not look which ones there were.
	must(t, patch(`{"set":["a","a","b"]}`))
	must(t, patch(`{"e":"x","l":"x","p":"x","m":10,"r":"x","set":["a"],"map":[{"k":"a"}],"obj":{"a":"x"}}`))
	if got := causes(t, patch(`{"set":["a","a"],"map":[{"k":"a"},{"k":"a"}]}`)); !slices.Equal(got, []string{`spec.map[1]: Duplicate value: {"k":"a"}`, `spec.set[1]: Duplicate value: "a"`}) {
		t.Errorf("duplicates: got %q", got)
	}
}

// Rules in CEL: with and without the old value, with messages that are computed, at paths and for reasons of their own.
func TestRulesInCEL(t *testing.T) {
	group, ns := "cel.test", namespace(t, shared)
	const properties = `once: {type: string, x-kubernetes-validations: [{rule: "oldSelf.orValue(self) == self", optionalOldSelf: true, message: is set once}]},
      first: {type: string, x-kubernetes-validations: [{rule: "oldSelf.hasValue() || self.startsWith('a')", optionalOldSelf: true, messageExpression: "'begins with a, not with ' + self"}]},
      silent: {type: integer, x-kubernetes-validations: [{rule: "self < 5", messageExpression: "self > 7 ? '' : 'too large'"}]},
      fallback: {type: integer, x-kubernetes-validations: [{rule: "self < 5", messageExpression: "['one', 'two'][self - 6]", message: the other message}]},
      reason: {type: string, x-kubernetes-validations: [{rule: "size(self) < 3", reason: FieldValueDuplicate, message: is a duplicate}]},
      list: {type: array, maxItems: 5, items: {type: object, properties: {a: {type: integer}, b: {type: integer}}, x-kubernetes-validations: [{rule: "self.a <= self.b", fieldPath: .a, message: a is at most b}]}}`
	define(t, shared, widgetDefinition(t, group, specVersion(properties, ", x-kubernetes-validations: [{rule: \"!has(oldSelf.list) || has(self.list)\", message: the list stays}]")))
	objects := widgets(t, shared, group, "v1", ns)
	for spec, want := range map[string]string{
		`{first: b}`:                           `spec.first: Invalid value: "b": begins with a, not with b`,
		`{silent: 6}`:                          `spec.silent: Invalid value: 6: too large`,
		`{silent: 8}`:                          `spec.silent: Invalid value: 8: failed rule: self < 5`,
		`{fallback: 7}`:                        `spec.fallback: Invalid value: 7: two`,
		`{fallback: 9}`:                        `spec.fallback: Invalid value: 9: the other message`,
		`{reason: long}`:                       `spec.reason: Duplicate value: "long"`,
		`{list: [{a: 1, b: 2}, {a: 3, b: 2}]}`: `spec.list[1].a: Invalid value: a is at most b`,
	} {
		_, err := objects.Create(within(t), widget(t, group, "v1", "bad", spec), metav1.CreateOptions{})
		if err == nil {
			t.Errorf("%s was taken", spec)
		} else if got := causes(t, err); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: got %q, want %q", spec, got, want)
		}
	}
	_, err := objects.Create(within(t), widget(t, group, "v1", "x", `{once: a, first: a, list: []}`), metav1.CreateOptions{})
	must(t, err)
	for patch, want := range map[string]string{
		`{"spec":{"once":"b"}}`:             `spec.once: Invalid value: "b": is set once`,
		`{"spec":{"list":null}}`:            `spec: Invalid value: the list stays`,
		`{"spec":{"first":"b"}}`:            "",
		`{"metadata":{"labels":{"a":"b"}}}`: "",
	} {
		_, err := objects.Patch(within(t), "x", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		if want == "" {
			must(t, err)
		} else if got := causes(t, err); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: got %q, want %q", patch, got, want)
		}
	}
}

// Rules that may cost too much are refused with the definition; those that do cost too much end.
func TestRulesInCELAreBounded(t *testing.T) {
	group, ns := "costs.test", namespace(t, shared)
	client := shared.dynamic(t).Resource(definitions)
	const items = `l: {type: array, %sitems: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x != y + 1000000))"}]}`
	_, err := client.Create(within(t), widgetDefinition(t, group, specVersion(fmt.Sprintf(items, ""), "")), metav1.CreateOptions{})
	contains(t, strings.Join(causes(t, err), "\n"), "spec.validation.openAPIV3Schema.properties[spec].properties[l].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)")
	define(t, shared, widgetDefinition(t, group, specVersion(fmt.Sprintf(items, "maxItems: 900, "), "")))
	objects := widgets(t, shared, group, "v1", ns)
	many := func(n int) string { return `{l: [` + strings.TrimSuffix(strings.Repeat("1,", n), ",") + `]}` }
	_, err = objects.Create(within(t), widget(t, group, "v1", "small", many(10)), metav1.CreateOptions{})
	must(t, err)
	_, err = objects.Create(within(t), widget(t, group, "v1", "large", many(900)), metav1.CreateOptions{})
	contains(t, strings.Join(causes(t, err), "\n"), `spec.l: Invalid value: "array": `, "cost")
}
