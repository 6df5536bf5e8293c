package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/negotiate"
	"github.com/stratagem-dev/stratagem/server/protobuf"
)

// MaxBodyBytes is how large the body of a request may be, as in Kubernetes.
const MaxBodyBytes = 3 << 20

// tooLargeError reports a body over its limit: 413.
type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("Request entity too large: limit is %d", e.limit)
}

// mediaTypeError reports a body in a format that is not taken: 415.
type mediaTypeError struct {
	got      string
	accepted []string
}

func (e *mediaTypeError) Error() string {
	return fmt.Sprintf("the body of the request was in an unknown format - accepted media types include: %s", join(e.accepted))
}

// readBody reads a body of at most limit bytes.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, &tooLargeError{limit}
	}
	var body []byte
	if r.ContentLength > 0 {
		body = make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, body); err != nil {
			return nil, badRequest("the body could not be read: %v", err)
		}
		return body, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return nil, badRequest("the body could not be read: %v", err)
	}
	if int64(len(body)) > limit {
		return nil, &tooLargeError{limit}
	}
	return body, nil
}

// sentBody is the body of a request for a resource. It is read once and kept: a request that runs again, under the
// next revision of a plugin, has the same body.
type sentBody struct {
	read bool
	data []byte
	err  error
}

// of reads the body of r, or returns what was read before.
func (b *sentBody) of(r *http.Request) ([]byte, error) {
	if !b.read {
		b.read = true
		b.data, b.err = readBody(r, MaxBodyBytes)
	}
	return b.data, b.err
}

// mediaType is the body's media type without its parameters; a body that says nothing is JSON.
func mediaType(r *http.Request) string {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return negotiate.JSON
	}
	t, _, err := mime.ParseMediaType(header)
	if err != nil {
		return header
	}
	return t
}

var bodyTypes = []string{negotiate.JSON, negotiate.YAML, protobuf.ContentType}

// readObject reads a body in any of the formats that Kubernetes takes.
func (r *request) readObject() (engine.Object, engine.Decoding, error) {
	decoding := engine.Decoding{}
	var err error
	if decoding.FieldValidation, err = fieldValidation(r.info.Verb, r.query.Get("fieldValidation")); err != nil {
		return nil, decoding, err
	}
	body, err := r.body.of(r.http)
	if err != nil {
		return nil, decoding, err
	}
	if len(body) == 0 {
		return nil, decoding, badRequest("the body of the request is empty")
	}
	obj, duplicates, err := parseBody(mediaType(r.http), body)
	decoding.Duplicates = duplicates
	if r.trace != nil && err == nil {
		r.trace.Begin(obj)
	}
	return obj, decoding, err
}

// parseBody brings a body into canonical form.
func parseBody(mediaType string, body []byte) (engine.Object, []string, error) {
	switch mediaType {
	case negotiate.JSON:
	case negotiate.YAML, "text/yaml", "application/x-yaml":
		converted, err := yaml.YAMLToJSON(body)
		if err != nil {
			return nil, nil, badRequest("error converting YAML to JSON: %v", err)
		}
		if _, err := yaml.YAMLToJSONStrict(body); err != nil {
			obj, _, parseErr := engine.ParseObject(converted)
			return obj, []string{err.Error()}, asBadRequest(parseErr)
		}
		body = converted
	case protobuf.ContentType:
		converted, _, err := protobuf.Decode(body)
		if err != nil {
			return nil, nil, protobufFailure(err)
		}
		body = converted
	default:
		return nil, nil, &mediaTypeError{mediaType, bodyTypes}
	}
	obj, duplicates, err := engine.ParseObject(body)
	return obj, duplicates, asBadRequest(err)
}

func protobufFailure(err error) error {
	var kind *protobuf.KindError
	if errors.As(err, &kind) {
		return &mediaTypeError{protobuf.ContentType, []string{negotiate.JSON, negotiate.YAML}}
	}
	return badRequest("%v", err)
}

// asBadRequest makes a syntax error the client's.
func asBadRequest(err error) error {
	if err == nil {
		return nil
	}
	return badRequest("couldn't get version/kind; json parse error: %v", err)
}

// fieldValidation reads the parameter of that name. Warn is the default, as in Kubernetes.
func fieldValidation(verb, value string) (engine.FieldValidation, error) {
	if value == "" {
		return engine.WarnFields, nil
	}
	errs := metav1validation.ValidateFieldValidation(field.NewPath("fieldValidation"), value)
	return engine.FieldValidation(value), invalidOptions(verb, errs)
}
