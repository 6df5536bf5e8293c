package crd

import (
	"context"
	"fmt"
	"testing"

	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
)

// everything is a schema with all sorts of rules but those in CEL.
const everything = `
name: v1
subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}}
schema:
  openAPIV3Schema:
    type: object
    required: [spec]
    properties:
      spec:
        type: object
        minProperties: 1
        properties:
          size: {type: integer, minimum: 1, maximum: 5, multipleOf: 1}
          ratio: {type: number, minimum: 0, exclusiveMinimum: true}
          color: {type: string, enum: [red, blue]}
          name: {type: string, minLength: 2, maxLength: 4, pattern: "^[a-z]*$"}
          when: {type: string, format: date-time}
          address: {type: string, format: ipv4}
          port: {x-kubernetes-int-or-string: true}
          flag: {type: boolean, nullable: true}
          replicas: {type: integer}
          tags: {type: object, maxProperties: 1, additionalProperties: {type: string}}
          set: {type: array, maxItems: 3, x-kubernetes-list-type: set, items: {type: string}}
          map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}
          pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
          either: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}
      status: {type: object, properties: {replicas: {type: integer}, selector: {type: string}}}`

func compileTest(t *testing.T, text string) *compiled {
	t.Helper()
	v := &apiv1.CustomResourceDefinitionVersion{}
	if err := yaml.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
	doc, hash, err := hashOf(v, false)
	if err != nil {
		t.Fatal(err)
	}
	c, err := compileVersion(v, doc, false, hash)
	if err != nil {
		t.Fatal(err)
	}
	if c.open {
		t.Fatal("the engine does not take the schema")
	}
	return c
}

// What the engine finds nothing wrong with as bytes, Kubernetes' own code must find nothing wrong with either, and what it refuses must
// be refused.
func TestBytesAndTreesAgree(t *testing.T) {
	c := compileTest(t, everything)
	for spec, refused := range map[string]bool{
		`{size: 1}`: false, `{size: 0}`: true, `{size: 6}`: true, `{ratio: 0}`: true, `{ratio: 0.5}`: false, `{color: red}`: false, `{color: green}`: true,
		`{name: a}`: true, `{name: abcde}`: true, `{name: AB}`: true, `{name: ab}`: false, `{when: now}`: true, `{when: "2020-01-01T00:00:00Z"}`: false,
		`{address: 1.2.3.4}`: false, `{address: x}`: true, `{port: 1}`: false, `{port: http}`: false, `{flag: null}`: false, `{}`: true,
		`{replicas: -1}`: true, `{replicas: 3000000000}`: true, `{replicas: 3}`: false, `{tags: {a: b}}`: false, `{tags: {a: b, c: d}}`: true,
		`{set: [a, b]}`: false, `{set: [a, a]}`: true, `{set: [a, b, c, d]}`: true, `{map: [{k: a}, {k: b}]}`: false, `{map: [{k: a}, {k: a}]}`: true, `{map: [{}]}`: true,
		`{pod: {apiVersion: v1, kind: Pod}}`: false, `{pod: {kind: Pod}}`: true, `{pod: {apiVersion: v1, kind: Pod, metadata: {labels: {"-": ""}}}}`: true,
		`{either: {a: x}}`: false, `{either: {a: x, b: x}}`: true, `{either: {}}`: true,
	} {
		obj := object(t, `{apiVersion: example.org/v1, kind: Widget, metadata: {name: a}, spec: `+spec+`}`)
		bytes := len(c.version.Schema.Validate(obj)) == 0 && scaleFits(c.scale, obj)
		trees, err := c.explain(context.Background(), obj, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if bytes == refused || (len(trees) == 0) == refused {
			t.Errorf("%s: fine as bytes: %v; as a tree: %v", spec, bytes, trees)
		}
	}
}

func TestFinalizerWarnings(t *testing.T) {
	obj := object(t, `{metadata: {finalizers: [plain, example.com, example.com/x, orphan, "-/-"]}}`)
	want := []string{
		`metadata.finalizers: "example.com": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
		`metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
	}
	got := finalizerWarnings(obj, nil)
	if len(got) < 3 || fmt.Sprint(got[len(got)-2:]) != fmt.Sprint(want) {
		t.Errorf("got %q", got)
	}
	if again := finalizerWarnings(obj, obj); len(again) != 0 {
		t.Errorf("of old ones: %q", again)
	}
}

func BenchmarkValidate(b *testing.B) {
	v := &apiv1.CustomResourceDefinitionVersion{}
	if err := yaml.Unmarshal([]byte(everything), v); err != nil {
		b.Fatal(err)
	}
	doc, hash, err := hashOf(v, false)
	if err != nil {
		b.Fatal(err)
	}
	c, err := compileVersion(v, doc, false, hash)
	if err != nil {
		b.Fatal(err)
	}
	obj := engine.Object(`{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"color":"red","name":"ab","port":1,"set":["a","b"],"size":1}}`)
	b.Run("bytes", func(b *testing.B) {
		for b.Loop() {
			if errs, err := c.validate(b.Context(), obj, nil, false); err != nil || len(errs) > 0 {
				b.Fatal(errs, err)
			}
		}
	})
	b.Run("trees", func(b *testing.B) {
		for b.Loop() {
			if errs, err := c.explain(b.Context(), obj, nil, false); err != nil || len(errs) > 0 {
				b.Fatal(errs, err)
			}
		}
	})
}
