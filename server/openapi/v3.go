package openapi

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/openapiconv"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// v3Root is where the index is; the documents are below it.
const v3Root = "/openapi/v3"

// v3Documents serves the v3 documents of one list of resources.
type v3Documents struct {
	groups map[string]*groupVersion // by name: "apis/apps/v1"
	index  func() (*encoded, error)
}

func newV3Documents(groups map[schema.GroupVersion]*groupVersion) *v3Documents {
	v3 := &v3Documents{groups: make(map[string]*groupVersion, len(groups))}
	for gv, g := range groups {
		v3.groups[documentName(gv)] = g
	}
	v3.index = sync.OnceValues(v3.makeIndex)
	return v3
}

// makeIndex lists the documents by their hashes. It builds none of them.
func (v3 *v3Documents) makeIndex() (*encoded, error) {
	index := handler3.OpenAPIV3Discovery{Paths: make(map[string]handler3.OpenAPIV3DiscoveryGroupVersion, len(v3.groups))}
	for name, g := range v3.groups {
		index.Paths[name] = handler3.OpenAPIV3DiscoveryGroupVersion{ServerRelativeURL: v3URL(name, g.hash())}
	}
	body, err := json.Marshal(index)
	return &encoded{body, fmt.Sprintf("%X", sha512.Sum512(body)), time.Now()}, err
}

func v3URL(name, hash string) string {
	return v3Root + "/" + name + "?" + url.Values{"hash": {hash}}.Encode()
}

// ServeHTTP answers with the index or a document: 404 where there is none, a redirect where a hash is out of date.
func (v3 *v3Documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, v3Root), "/")
	if name == "" {
		answer(w, r, jsonType, v3.index)
		return
	}
	g := v3.groups[name]
	if g == nil {
		http.NotFound(w, r)
		return
	}
	encoding := accepted(r, v3Proto, v3ProtoOld)
	if encoding == "" {
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	w.Header().Add("Vary", "Accept")
	if hash := r.URL.Query().Get("hash"); hash != "" {
		if hash != g.hash() {
			http.Redirect(w, r, v3URL(name, g.hash()), http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Cache-Control", "public, immutable")
		w.Header().Set("Expires", time.Now().AddDate(1, 0, 0).Format(time.RFC1123))
	}
	if encoding == jsonType {
		answer(w, r, encoding, g.json)
	} else {
		answer(w, r, encoding, g.proto)
	}
}

// v3Document turns what describe made into OpenAPI v3.
func v3Document(described *spec.Swagger, options Options) *spec3.OpenAPI {
	schemas := make(map[string]*spec.Schema, len(described.Definitions))
	for name, s := range described.Definitions {
		schemas[name] = &s
	}
	return &spec3.OpenAPI{
		Version: "3.0.0",
		Info:    info(options),
		Paths:   openapiconv.ConvertPaths(described.Paths),
		Components: &spec3.Components{
			Schemas: schemas,
			SecuritySchemes: spec3.SecuritySchemes{"BearerToken": {SecuritySchemeProps: spec3.SecuritySchemeProps{
				Type: "apiKey", Name: "authorization", In: "header", Description: "Bearer Token authentication",
			}}},
		},
	}
}

func info(options Options) *spec.Info {
	return &spec.Info{InfoProps: spec.InfoProps{Title: "Stratagem", Version: options.Version}}
}
