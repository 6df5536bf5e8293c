package openapi

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"net/http"
	"sync"
	"time"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"github.com/munnerz/goautoneg"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// v2Documents serves the v2 document of one list of resources, built when it is first asked for.
type v2Documents struct {
	json  func() (*v2Bytes, error)
	proto func() (*v2Bytes, error)
}

// v2Bytes is the document in one encoding.
type v2Bytes struct {
	body  []byte
	etag  string // the same in both encodings: Vary: Accept tells them apart
	built time.Time
}

func newV2Documents(documents map[schema.GroupVersion]func() *spec.Swagger, options Options) *v2Documents {
	v2 := &v2Documents{}
	v2.json = sync.OnceValues(func() (*v2Bytes, error) {
		body, err := v2Document(documents, options).MarshalJSON()
		if err != nil {
			return nil, err
		}
		return &v2Bytes{body: body, etag: fmt.Sprintf(`"%X"`, sha512.Sum512(body)), built: time.Now()}, nil
	})
	v2.proto = sync.OnceValues(func() (*v2Bytes, error) {
		text, err := v2.json()
		if err != nil {
			return nil, err
		}
		document, err := openapi_v2.ParseDocument(text.body)
		if err != nil {
			return nil, err
		}
		body, err := proto.Marshal(document)
		return &v2Bytes{body: body, etag: text.etag, built: text.built}, err
	})
	return v2
}

// The protobuf form of v2 goes by two names; the answer bears the newer one.
const (
	v2Proto    = "com.github.proto-openapi.spec.v2.v1.0+protobuf"
	v2ProtoOld = "com.github.proto-openapi.spec.v2@v1.0+protobuf"
)

// ServeHTTP answers with the document, 304 where the client has it, or 406.
func (v2 *v2Documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	accept := r.Header.Get("Accept")
	if accept == "" {
		accept = "*/*"
	}
	w.Header().Add("Vary", "Accept")
	for _, clause := range goautoneg.ParseAccept(accept) {
		if clause.Type != "application" && clause.Type != "*" {
			continue
		}
		switch clause.SubType {
		case "json", "*":
			serveBytes(w, r, "application/json", v2.json)
			return
		case v2Proto, v2ProtoOld:
			serveBytes(w, r, "application/"+v2Proto, v2.proto)
			return
		}
	}
	w.WriteHeader(http.StatusNotAcceptable)
}

func serveBytes(w http.ResponseWriter, r *http.Request, contentType string, get func() (*v2Bytes, error)) {
	document, err := get()
	if err != nil {
		http.Error(w, "OpenAPI v2: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Etag", document.etag)
	http.ServeContent(w, r, "", document.built, bytes.NewReader(document.body))
}
