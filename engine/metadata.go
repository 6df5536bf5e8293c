package engine

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/tidwall/gjson"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// timestamp is a time as metadata has it.
func timestamp(t time.Time) []byte { return quoted(t.UTC().Format(time.RFC3339)) }

// fillSystemFields sets what the server alone decides about a new object, and wipes the rest of it.
func fillSystemFields(meta *Fields, now time.Time) {
	for _, key := range []string{"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion"} {
		meta.Set(key, nil)
	}
	meta.Set("creationTimestamp", timestamp(now))
	meta.SetString("uid", uuid.NewString())
}

const (
	maxNameLength    = 63
	randomNameLength = 5
)

// generateName makes a name out of a prefix as Kubernetes does: five random characters behind at most 58 of its own.
func generateName(prefix string) string {
	if len(prefix) > maxNameLength-randomNameLength {
		prefix = prefix[:maxNameLength-randomNameLength]
	}
	return prefix + rand.String(randomNameLength)
}

// agreeOnNamespace makes the object's namespace that of the request, or says why it cannot.
func (s *Store) agreeOnNamespace(meta *Fields, namespace string) error {
	if !s.Resource.Namespaced {
		namespace = ""
	}
	switch own := meta.String("namespace"); {
	case own == namespace:
	case own == "", namespace == "":
		meta.SetString("namespace", namespace)
	default:
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// checkName makes sure that the new state of an object, as a client states it, is meant for the object of the request.
func checkName(obj Object, info *RequestInfo) error {
	meta := obj.Meta()
	switch name, namespace := meta.String("name"), meta.String("namespace"); {
	case name == "":
		return badRequest("the name of the object (%s based on URL) was undeterminable: name must be provided", info.Name)
	case name != info.Name:
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, info.Name)
	case info.Namespace != "" && namespace != "" && namespace != info.Namespace:
		return badRequest("the namespace of the object (%s) does not match the namespace on the request (%s)", namespace, info.Namespace)
	}
	return nil
}

// objectMeta is metadata as apimachinery's validation wants it, without managedFields: the engine itself wrote them.
func objectMeta(meta Fields) (*metav1.ObjectMeta, error) {
	m := &metav1.ObjectMeta{
		Name:            meta.String("name"),
		GenerateName:    meta.String("generateName"),
		Namespace:       meta.String("namespace"),
		UID:             types.UID(meta.String("uid")),
		ResourceVersion: meta.String("resourceVersion"),
		Generation:      meta.Int("generation"),
		Labels:          stringMap(meta.Get("labels")),
		Annotations:     stringMap(meta.Get("annotations")),
	}
	if meta.Has("deletionGracePeriodSeconds") {
		seconds := meta.Int("deletionGracePeriodSeconds")
		m.DeletionGracePeriodSeconds = &seconds
	}
	for _, f := range []struct {
		key  string
		into any
	}{
		{"creationTimestamp", &m.CreationTimestamp}, {"deletionTimestamp", &m.DeletionTimestamp}, {"finalizers", &m.Finalizers},
		{"ownerReferences", &m.OwnerReferences},
	} {
		if !meta.Has(f.key) {
			continue
		}
		if err := json.Unmarshal(meta.Get(f.key), f.into); err != nil {
			return nil, badRequest("metadata.%s: %v", f.key, err)
		}
	}
	return m, nil
}

// stringMap reads an object of strings.
func stringMap(raw []byte) map[string]string {
	if len(raw) < 3 {
		return nil
	}
	m := map[string]string{}
	gjson.ParseBytes(raw).ForEach(func(key, value gjson.Result) bool {
		m[key.String()] = value.String()
		return true
	})
	return m
}

// validateMeta is the common validation of every write's metadata. A name is a DNS subdomain, as for nearly every kind
// of Kubernetes; a strategy that wants less, such as a label, says so in Validate.
func (s *Store) validateMeta(obj Object) (field.ErrorList, error) {
	fields := obj.Meta()
	if plainMeta(fields, s.Resource.Namespaced) {
		return nil, nil
	}
	meta, err := objectMeta(fields)
	if err != nil {
		return nil, err
	}
	return s.commonErrors(meta), nil
}

func (s *Store) commonErrors(meta *metav1.ObjectMeta) field.ErrorList {
	return apivalidation.ValidateObjectMetaAccessor(meta, s.Resource.Namespaced, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
}

// validateMetaUpdate is the common validation of an update's metadata.
func (s *Store) validateMetaUpdate(obj, old Object) (field.ErrorList, error) {
	fields, oldFields := obj.Meta(), old.Meta()
	if plainMeta(fields, s.Resource.Namespaced) && plainMetaUpdate(fields, oldFields) {
		return nil, nil
	}
	meta, err := objectMeta(fields)
	if err != nil {
		return nil, err
	}
	oldMeta, err := objectMeta(oldFields)
	if err != nil {
		return nil, err
	}
	errs := s.commonErrors(meta)
	// The resourceVersion has been compared before the hooks, which do not get to see it.
	meta.ResourceVersion, oldMeta.ResourceVersion = "1", "1"
	return append(errs, apivalidation.ValidateObjectMetaAccessorUpdate(meta, oldMeta, field.NewPath("metadata"))...), nil
}
