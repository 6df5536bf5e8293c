// Package negotiate reads an Accept header: in which encoding, and as which kind, a client wants its answer.
//
// The nouns: Endpoint (what a place in the API is able to answer), Answer (what one client gets there).
package negotiate

import (
	"strings"

	"github.com/munnerz/goautoneg"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The encodings of answers.
const (
	JSON = "application/json"
	YAML = "application/yaml"
)

// Answer is what an answer looks like. The zero As is the object as it is.
type Answer struct {
	MediaType string // JSON or YAML
	As        schema.GroupVersionKind
	Pretty    bool // the media type says pretty=1
}

// Endpoint is what one place in the API is able to answer.
type Endpoint struct {
	// Converts tells whether an answer can be given as another kind; nil: it cannot.
	Converts func(as schema.GroupVersionKind) bool
	// OnlyConverted refuses clauses that ask for no other kind.
	OnlyConverted bool
	// Stream is set for watches, which are written as JSON only.
	Stream bool
}

// The endpoints of the API.
var (
	Plain   = Endpoint{}
	Objects = Endpoint{Converts: isObjectView}
	Watch   = Endpoint{Converts: isObjectView, Stream: true}
)

// Accept returns the answer for an Accept header, or *NotAcceptableError.
//
//   - An empty header takes JSON.
//   - Clauses count in the order of their quality; one that asks for what the endpoint cannot give is passed over.
func (e Endpoint) Accept(header string) (Answer, error) {
	if !e.OnlyConverted && (header == "" || header == JSON) {
		return Answer{MediaType: JSON}, nil
	}
	for _, clause := range goautoneg.ParseAccept(header) {
		for _, mediaType := range e.encodings() {
			if !matches(clause, mediaType) {
				continue
			}
			if answer, ok := e.answer(mediaType, clause.Params); ok {
				return answer, nil
			}
		}
	}
	return Answer{}, &NotAcceptableError{Accepted: e.accepted()}
}

func (e Endpoint) encodings() []string {
	if e.Stream {
		return streamEncodings
	}
	return encodings
}

func (e Endpoint) accepted() []string {
	if e.Stream {
		return []string{JSON + ";stream=watch"}
	}
	return encodings
}

var (
	encodings       = []string{JSON, YAML}
	streamEncodings = []string{JSON}
)

func matches(clause goautoneg.Accept, mediaType string) bool {
	kind, sub, _ := strings.Cut(mediaType, "/")
	switch clause.Type {
	case kind:
		return clause.SubType == sub || clause.SubType == "*"
	case "*":
		return clause.SubType == "*"
	}
	return false
}

// answer applies the parameters of one clause. Unknown parameters are ignored, as Kubernetes does.
func (e Endpoint) answer(mediaType string, params map[string]string) (Answer, bool) {
	answer := Answer{MediaType: mediaType, Pretty: params["pretty"] == "1"}
	if stream := params["stream"]; stream != "" && (stream != "watch" || mediaType != JSON) {
		return Answer{}, false
	}
	if params["sv"] != "" {
		return Answer{}, false
	}
	converted := false
	for _, name := range [...]string{"g", "v", "as"} {
		if _, set := params[name]; set {
			converted = true
		}
	}
	if !converted {
		return answer, !e.OnlyConverted
	}
	answer.As = schema.GroupVersionKind{Group: params["g"], Version: params["v"], Kind: params["as"]}
	return answer, e.Converts != nil && e.Converts(answer.As)
}

// isObjectView tells whether as is one of the kinds that any object, or list of objects, can be shown as.
func isObjectView(as schema.GroupVersionKind) bool {
	if as.Group != "meta.k8s.io" || (as.Version != "v1" && as.Version != "v1beta1") {
		return false
	}
	return as.Kind == "Table" || as.Kind == "PartialObjectMetadata" || as.Kind == "PartialObjectMetadataList"
}

// NotAcceptableError says that no clause of an Accept header can be met: 406, reason NotAcceptable.
type NotAcceptableError struct{ Accepted []string }

func (e *NotAcceptableError) Error() string {
	return "only the following media types are accepted: " + strings.Join(e.Accepted, ", ")
}
