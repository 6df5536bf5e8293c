package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// MaxPatchOperations is how many operations a JSON patch may have, as in Kubernetes.
const MaxPatchOperations = 10000

// maxPatchCopyBytes bounds what the copy operations of a JSON patch may add up to, as in Kubernetes.
const maxPatchCopyBytes = 3 << 20

// PatchError reports a patch that is understood but cannot be applied: 422.
type PatchError struct{ Err error }

func (e *PatchError) Error() string { return e.Err.Error() }
func (e *PatchError) Unwrap() error { return e.Err }

// PatchTooLargeError reports a JSON patch with too many operations: 413.
type PatchTooLargeError struct{ Operations int }

func (e *PatchTooLargeError) Error() string {
	return fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", MaxPatchOperations, e.Operations)
}

// MergePatch is an RFC 7386 patch, in canonical form.
type MergePatch struct{ Patch Object }

// Replaces is false.
func (p MergePatch) Replaces() bool { return false }

// Apply merges the patch into the current object.
func (p MergePatch) Apply(current Object, _ *Version) (Object, []string, error) {
	return mergeFields(current.Fields(), p.Patch), nil, nil
}

// mergeFields merges a patch object into fields, byte by byte: what the patch does not name is not touched.
func mergeFields(fields Fields, patch []byte) []byte {
	for _, f := range ParseFields(patch) {
		switch {
		case bytes.Equal(f.Value, null):
			fields.Set(f.Key, nil)
		case f.Value[0] == '{':
			fields.Set(f.Key, mergeFields(ParseFields(fields.Get(f.Key)), f.Value))
		default:
			fields.Set(f.Key, f.Value)
		}
	}
	return fields.Raw()
}

// JSONPatch is an RFC 6902 patch.
type JSONPatch struct{ operations jsonpatch.Patch }

// NewJSONPatch reads a patch; a malformed one is a *BadRequestError, one with too many operations a *PatchTooLargeError.
func NewJSONPatch(body []byte) (JSONPatch, error) {
	operations, err := jsonpatch.DecodePatch(body)
	if err != nil {
		return JSONPatch{}, badRequest("error decoding patch: %v", err)
	}
	if len(operations) > MaxPatchOperations {
		return JSONPatch{}, &PatchTooLargeError{len(operations)}
	}
	return JSONPatch{operations}, nil
}

// Replaces is false.
func (p JSONPatch) Replaces() bool { return false }

// Apply runs the operations on the current object; one that fails is a *PatchError.
func (p JSONPatch) Apply(current Object, _ *Version) (Object, []string, error) {
	out, err := p.operations.Apply(current)
	if err != nil {
		return nil, nil, &PatchError{err}
	}
	obj, duplicates, err := ParseObject(out)
	if err != nil {
		return nil, nil, &PatchError{err}
	}
	return obj, duplicates, nil
}

// StrategicPatch is Kubernetes' strategic merge patch, by the merge keys in the version's schema.
type StrategicPatch struct{ Patch Object }

// Replaces is false.
func (p StrategicPatch) Replaces() bool { return false }

// Apply merges the patch into the current object; a resource without merge keys is a *PatchTypeError.
func (p StrategicPatch) Apply(current Object, version *Version) (Object, []string, error) {
	if version.Schema == nil || !version.Schema.HasPatchMeta() {
		return nil, nil, &PatchTypeError{"application/strategic-merge-patch+json", []string{"application/json-patch+json", "application/merge-patch+json"}}
	}
	var original, patch map[string]any
	if err := unmarshalNumbers(current, &original); err != nil {
		return nil, nil, err
	}
	if err := unmarshalNumbers(p.Patch, &patch); err != nil {
		return nil, nil, badRequest("%v", err)
	}
	merged, err := strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(original, patch, version.Schema.PatchMeta())
	if slices.Contains(badPatches, err) {
		return nil, nil, badRequest("%v", err)
	}
	if err != nil {
		return nil, nil, &PatchError{err}
	}
	out, err := json.Marshal(merged)
	if err != nil {
		return nil, nil, err
	}
	return ParseObject(out)
}

// badPatches are the errors of a strategic patch that make it a bad request, as in Kubernetes.
var badPatches = []error{
	mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys,
	mergepatch.ErrBadPatchFormatForSetElementOrderList, mergepatch.ErrUnsupportedStrategicMergePatchFormat,
}

// unmarshalNumbers decodes into a tree whose numbers keep their text.
func unmarshalNumbers(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func init() { jsonpatch.AccumulatedCopySizeLimit = maxPatchCopyBytes }
