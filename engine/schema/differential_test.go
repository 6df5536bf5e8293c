package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// reference does with Kubernetes' own packages, on trees, what Decode, Default and Validate do on bytes. Kubernetes'
// defaulting package drags the whole of k8s.io/apiserver in, so defaults and nulls are done here.
type reference struct {
	structural *schema.Structural
	validator  *validate.SchemaValidator
}

func newReference(t *testing.T, doc []byte) reference {
	t.Helper()
	var props v1.JSONSchemaProps
	var internal apiextensions.JSONSchemaProps
	var openapi spec.Schema
	if err := json.Unmarshal(doc, &props); err != nil {
		t.Fatal(err)
	}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(doc, &openapi); err != nil {
		t.Fatal(err)
	}
	unionTypes(&openapi)
	return reference{structural, validate.NewSchemaValidator(&openapi, nil, "", strfmt.Default)}
}

// unionTypes says of int-or-string fields what Kubernetes says to the validator.
func unionTypes(s *spec.Schema) {
	if s.Extensions["x-kubernetes-int-or-string"] == true {
		s.Type = spec.StringOrArray{"integer", "string"}
	}
	for name, field := range s.Properties {
		unionTypes(&field)
		s.Properties[name] = field
	}
	if s.Items != nil {
		unionTypes(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		unionTypes(s.AdditionalProperties.Schema)
	}
}

// settle drops nulls that may not be and puts defaults in place.
func settle(x any, s *schema.Structural) {
	if s == nil {
		return
	}
	null := func(v any, s *schema.Structural) bool { return v == nil && s != nil && !s.Nullable }
	switch x := x.(type) {
	case map[string]any:
		for key := range x {
			if sub := child(s, key); null(x[key], sub) {
				delete(x, key)
				if sub.Default.Object != nil {
					x[key] = sub.Default.DeepCopy().Object
				}
			}
		}
		for key, sub := range s.Properties {
			if _, found := x[key]; !found && sub.Default.Object != nil {
				x[key] = sub.Default.DeepCopy().Object
			}
		}
		for key := range x {
			settle(x[key], child(s, key))
		}
	case []any:
		for i := range x {
			if null(x[i], s.Items) {
				x[i] = s.Items.Default.DeepCopy().Object
			}
			settle(x[i], s.Items)
		}
	}
}

func child(s *schema.Structural, key string) *schema.Structural {
	if sub, ok := s.Properties[key]; ok {
		return &sub
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural
	}
	return nil
}

// run returns the object, the unknown fields, whether a type is wrong, and the errors of the rules.
func (r reference) run(t *testing.T, obj []byte) (out []byte, unknown []string, wrongType bool, errs []string) {
	t.Helper()
	var object map[string]any
	if err := utiljson.Unmarshal(obj, &object); err != nil {
		t.Fatal(err)
	}
	unknown = pruning.PruneWithOptions(object, r.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	settle(object, r.structural)
	for _, err := range r.validator.Validate(object).Errors {
		var kind *openapierrors.Validation
		wrongType = wrongType || errors.As(err, &kind) && kind.Code() == openapierrors.InvalidTypeCode
		errs = append(errs, fieldError(err).Error())
	}
	for _, err := range listtype.ValidateListSetsAndMaps(nil, r.structural, object) {
		errs = append(errs, err.Error())
	}
	return canonical(t, object), unknown, wrongType, errs
}

// fieldError renders a finding of the validator as apiextensions-apiserver does.
func fieldError(err error) *field.Error {
	var found *openapierrors.Validation
	if !errors.As(err, &found) {
		return field.Invalid(nil, "", err.Error())
	}
	path := (*field.Path)(nil)
	if found.Name != "" && found.Name != "." {
		path = path.Child(strings.TrimPrefix(found.Name, "."))
	}
	count := func(v any) int { n, _ := v.(int64); return int(n) }
	switch found.Code() {
	case openapierrors.RequiredFailCode:
		return field.Required(path, "")
	case openapierrors.EnumFailCode:
		var values []string
		for _, value := range found.Values {
			text, isText := value.(string)
			if raw, err := json.Marshal(value); err == nil && !isText {
				text = string(raw)
			}
			values = append(values, text)
		}
		return field.NotSupported(path, found.Value, values)
	case openapierrors.TooLongFailCode:
		return field.TooLong(path, "", count(found.Valid))
	case openapierrors.MaxItemsFailCode, openapierrors.TooManyPropertiesCode:
		return field.TooMany(path, count(found.Value), count(found.Valid))
	}
	value := found.Value
	if value == nil {
		value = ""
	}
	return field.Invalid(path, value, found.Error())
}

// compareRuns runs both on one object.
func compareRuns(t *testing.T, s *Schema, r reference, obj []byte) (accepted bool) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("schema %s", s.OpenAPI())
		}
	}()
	want, unknown, wrongType, errs := r.run(t, obj)
	decoded, err := s.Decode(obj)
	if (err != nil) != wrongType {
		t.Fatalf("%s\ngot the error %v, want one: %t %q", obj, err, wrongType, errs)
	}
	if err != nil {
		return false
	}
	got, err := s.Default(decoded.Object)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s\ngot  %s\nwant %s", obj, got, want)
	}
	slices.Sort(decoded.Unknown)
	if !slices.Equal(decoded.Unknown, unknown) {
		t.Fatalf("%s\nunknown %q\nwant    %q", obj, decoded.Unknown, unknown)
	}
	var found []string
	for _, err := range s.Validate(got) {
		found = append(found, err.Error())
	}
	slices.Sort(found)
	slices.Sort(errs)
	if errs = slices.Compact(errs); !slices.Equal(found, errs) {
		t.Fatalf("%s\ngot  %q\nwant %q", got, found, errs)
	}
	return true
}

// Random schemas and objects mean the same to this package and to apiextensions-apiserver.
func TestAgreesWithKubernetes(t *testing.T) {
	for _, rules := range []bool{false, true} {
		accepted, total := 0, 0
		for seed := range uint64(400) {
			g := newGenerator(seed, rules)
			root := g.root()
			doc := canonical(t, root)
			s, err := Compile(doc, nil)
			if err != nil {
				t.Fatalf("%s: %v", doc, err)
			}
			r := newReference(t, doc)
			for range 20 {
				obj := canonical(t, g.object(root, 4))
				if total++; compareRuns(t, s, r, obj) {
					accepted++
				}
			}
		}
		if accepted < total/3 || accepted == total {
			t.Errorf("of %d objects %d were accepted: the generator is off", total, accepted)
		}
	}
}
