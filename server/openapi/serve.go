package openapi

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/munnerz/goautoneg"
)

// The encodings. Protobuf goes by two names; the answer bears the newer one.
const (
	jsonType   = "application/json"
	v2Proto    = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	v2ProtoOld = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	v3Proto    = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
	v3ProtoOld = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
)

// accepted is the encoding that a request asks for first: JSON, or protobuf by the first of its names; "" where it takes neither.
func accepted(r *http.Request, proto ...string) string {
	accept := r.Header.Get("Accept")
	if accept == "" {
		accept = "*/*"
	}
	for _, clause := range goautoneg.ParseAccept(accept) {
		switch wanted := clause.Type + "/" + clause.SubType; {
		case wanted == jsonType, strings.HasSuffix(wanted, "/*") && (clause.Type == "*" || clause.Type == "application"):
			return jsonType
		case slices.Contains(proto, wanted):
			return proto[0]
		}
	}
	return ""
}

// answer writes a document, or 304 where the client has it.
func answer(w http.ResponseWriter, r *http.Request, contentType string, get func() (*encoded, error)) {
	document, err := get()
	if err != nil {
		http.Error(w, "OpenAPI: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Etag", strconv.Quote(document.etag))
	http.ServeContent(w, r, "", document.built, bytes.NewReader(document.body))
}
