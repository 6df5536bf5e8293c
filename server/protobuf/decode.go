package protobuf

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ContentType is the media type of bodies that Decode reads.
const ContentType = runtime.ContentTypeProtobuf

var magic = []byte("k8s\x00")

// Recognizes tells whether data claims to be Kubernetes protobuf; JSON never does.
func Recognizes(data []byte) bool { return bytes.HasPrefix(data, magic) }

// Decode returns the object in data as JSON, and what it says it is.
//
//   - The JSON is what encoding/json writes for the kind's Go type, apiVersion and kind included,
//     compact and with <, > and & as they are. Fields that the type does not leave out when they are
//     empty ("status":{}) are there.
//   - Options (DeleteOptions, CreateOptions, …) are read under whatever group version they name:
//     clients send them under that of the resource they are for.
//   - Fields that the type does not know are dropped.
//   - Errors are ErrNotProtobuf, *EnvelopeError, *KindError and *MessageError; the kind is returned
//     with the last two as well.
//   - Memory is bounded by a multiple of len(data), whatever data holds (see RATIONALE.md).
func Decode(data []byte) ([]byte, schema.GroupVersionKind, error) {
	raw, gvk, err := open(data)
	if err != nil {
		return nil, gvk, err
	}
	obj, err := newObject(gvk)
	if err != nil {
		return nil, gvk, err
	}
	if err := affordable(obj, raw); err != nil {
		return nil, gvk, &MessageError{gvk, err}
	}
	if err := obj.Unmarshal(raw); err != nil {
		return nil, gvk, &MessageError{gvk, err}
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	out, err := marshal(obj)
	if err != nil {
		return nil, gvk, &MessageError{gvk, err}
	}
	return out, gvk, nil
}

// open reads the envelope: the message inside and the kind it is of.
func open(data []byte) ([]byte, schema.GroupVersionKind, error) {
	var none schema.GroupVersionKind
	if !Recognizes(data) {
		return nil, none, ErrNotProtobuf
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(data[len(magic):]); err != nil {
		return nil, none, &EnvelopeError{"cannot be decoded", err}
	}
	switch {
	case envelope.ContentEncoding != "":
		return nil, none, &EnvelopeError{fmt.Sprintf("content encoding %q is not supported", envelope.ContentEncoding), nil}
	case envelope.ContentType != "" && envelope.ContentType != ContentType:
		return nil, none, &EnvelopeError{fmt.Sprintf("content type %q is not supported", envelope.ContentType), nil}
	case envelope.Kind == "":
		return nil, none, &EnvelopeError{"kind is not set", nil}
	case envelope.APIVersion == "":
		return nil, none, &EnvelopeError{"apiVersion is not set", nil}
	}
	gv, err := schema.ParseGroupVersion(envelope.APIVersion)
	if err != nil {
		return nil, none, &EnvelopeError{"apiVersion", err}
	}
	return envelope.Raw, gv.WithKind(envelope.Kind), nil
}

func marshal(obj any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(obj); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
