package server

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
)

const applyPatchType = string(types.ApplyYAMLPatchType)

// fieldManager is who a write is recorded under in managedFields: the parameter fieldManager, or else the program that
// the client is. Server-side apply demands the parameter.
func fieldManager(verb string, query url.Values, r *http.Request) (string, error) {
	manager := query.Get("fieldManager")
	var errs field.ErrorList
	switch verb {
	case "create", "update":
		errs = validation.ValidateFieldManager(manager, field.NewPath("fieldManager"))
	case "patch":
		options := &metav1.PatchOptions{FieldManager: manager}
		if query.Has("force") {
			force := isTrue(query, "force")
			options.Force = &force
		}
		errs = validation.ValidatePatchOptions(options, types.PatchType(mediaType(r)))
	default:
		return "", nil
	}
	if manager == "" {
		manager = program(r.UserAgent())
	}
	return manager, invalidOptions(verb, errs)
}

// program is the name of a client's program: what stands before the first slash of its User-Agent, as far as it can be printed.
func program(userAgent string) string {
	name, _, _ := strings.Cut(userAgent, "/")
	var out strings.Builder
	for _, r := range name {
		if !unicode.IsPrint(r) {
			continue
		}
		if out.Len()+utf8.RuneLen(r) > validation.FieldManagerMaxLength {
			break
		}
		out.WriteRune(r)
	}
	return out.String()
}

// apply serves PATCH with an apply patch, which is YAML.
func (r *request) apply(body []byte, how engine.FieldValidation) error {
	converted, err := yaml.YAMLToJSON(body)
	if err != nil {
		return badRequest("error decoding patch: error converting YAML to JSON: %v", err)
	}
	patch, _, err := engine.ParseObject(converted)
	if err != nil {
		return badRequest("error decoding patch: %v", err)
	}
	change := engine.ApplyPatch{Patch: patch, Force: isTrue(r.query, "force")}
	if how == engine.IgnoreFields {
		return r.change(change, engine.Decoding{FieldValidation: how})
	}
	if _, err := yaml.YAMLToJSONStrict(body); err != nil {
		if how == engine.StrictFields {
			return badRequest("error strict decoding patch: error converting YAML to JSON: %v", err)
		}
		addWarnings(r.writer.Header(), []string{"error converting YAML to JSON: " + err.Error()})
	}
	return r.change(change, engine.Decoding{FieldValidation: how})
}
