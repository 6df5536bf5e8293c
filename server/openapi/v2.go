package openapi

import (
	"crypto/sha512"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// v2Documents serves the v2 document of one list of resources, built when it is first asked for.
type v2Documents struct {
	json  func() (*encoded, error)
	proto func() (*encoded, error)
}

func newV2Documents(groups map[schema.GroupVersion]*groupVersion, options Options) *v2Documents {
	v2 := &v2Documents{}
	v2.json = sync.OnceValues(func() (*encoded, error) {
		body, err := v2Document(groups, options).MarshalJSON()
		if err != nil {
			return nil, err
		}
		return &encoded{body, fmt.Sprintf("%X", sha512.Sum512(body)), time.Now()}, nil
	})
	v2.proto = sync.OnceValues(func() (*encoded, error) {
		text, err := v2.json()
		if err != nil {
			return nil, err
		}
		document, err := openapi_v2.ParseDocument(text.body)
		if err != nil {
			return nil, err
		}
		body, err := proto.Marshal(document)
		return &encoded{body, text.etag, text.built}, err
	})
	return v2
}

// ServeHTTP answers with the document, 304 where the client has it, or 406.
func (v2 *v2Documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	switch encoding := accepted(r, v2Proto, v2ProtoOld); encoding {
	case "":
		w.WriteHeader(http.StatusNotAcceptable)
	case jsonType:
		answer(w, r, encoding, v2.json)
	default:
		answer(w, r, encoding, v2.proto)
	}
}

// v2Document merges the descriptions of all group versions into one OpenAPI v2 document.
func v2Document(groups map[schema.GroupVersion]*groupVersion, options Options) *spec.Swagger {
	out := newCarrier()
	out.Swagger = "2.0"
	out.Info = info(options)
	out.SecurityDefinitions = spec.SecurityDefinitions{"BearerToken": {SecuritySchemeProps: spec.SecuritySchemeProps{
		Type: "apiKey", Name: "authorization", In: "header", Description: "Bearer Token authentication",
	}}}
	gvs := make([]schema.GroupVersion, 0, len(groups))
	for gv := range groups {
		gvs = append(gvs, gv)
	}
	slices.SortFunc(gvs, func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) })
	for _, gv := range gvs {
		described := groups[gv].describe()
		part := newCarrier()
		part.Paths = described.Paths
		for name, s := range described.Definitions {
			if other, ok := loadDefinitions().v2[name]; ok {
				s = other
			}
			part.Definitions[name] = v2Schema(s)
		}
		merge(out, part, strings.ReplaceAll(gv.String(), "/", ".")+".")
	}
	return out
}

// v2Schema is a schema as v2 can say it, in which kubectl can cope with it.
//
//   - Logic over schemas and null are not known to v2.
//   - Where unknown fields are taken, known ones are not listed: kubectl would refuse all others.
func v2Schema(s spec.Schema) spec.Schema {
	if len(s.AllOf) == 1 && s.AllOf[0].Ref.String() != "" {
		s.Ref = s.AllOf[0].Ref
	}
	s.AllOf, s.AnyOf, s.OneOf, s.Not = nil, nil, nil, nil
	if name, _ := referenced(s.Ref); name != "" {
		s.Ref = spec.MustCreateRef(v2Prefix + name)
	}
	if s.Format == "int-or-string" {
		s.Type = spec.StringOrArray{"string"}
	}
	unknown, _ := s.Extensions.GetBool(preserveUnknown)
	if s.Nullable || unknown {
		s.Type, s.Items, s.Properties, s.Nullable, s.Required = nil, nil, nil, false, nil
	}
	if _, whole := s.Extensions[kindExtension]; whole && unknown {
		s.Type = spec.StringOrArray{"object"}
	}
	s.Properties, s.Required = v2Properties(s)
	if s.Items != nil && s.Items.Schema != nil {
		item := v2Schema(*s.Items.Schema)
		s.Items = &spec.SchemaOrArray{Schema: &item}
	}
	if s.Items == nil && s.Type.Contains("array") {
		s.Type = nil
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		value := v2Schema(*s.AdditionalProperties.Schema)
		s.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: &value}
	}
	return s
}

// v2Properties are the properties as v2 can say them. Those that may be null are not required: v2 cannot say that null is there.
func v2Properties(s spec.Schema) (map[string]spec.Schema, []string) {
	if s.Properties == nil {
		return nil, s.Required
	}
	required := slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return s.Properties[name].Nullable })
	properties := make(map[string]spec.Schema, len(s.Properties))
	for name, property := range s.Properties {
		properties[name] = v2Schema(property)
	}
	if len(required) == 0 {
		required = nil
	}
	return properties, required
}
