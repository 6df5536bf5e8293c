package protobuf

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrNotProtobuf is returned for data that does not begin with the bytes "k8s\x00".
var ErrNotProtobuf = errors.New(`not Kubernetes protobuf: the data does not begin with "k8s\x00"`)

// EnvelopeError reports an envelope (runtime.Unknown) that cannot be read or says what it must not say.
type EnvelopeError struct {
	Reason string
	Err    error // of the protobuf decoder, or nil
}

func (e *EnvelopeError) Error() string {
	if e.Err == nil {
		return "protobuf envelope: " + e.Reason
	}
	return fmt.Sprintf("protobuf envelope: %s: %v", e.Reason, e.Err)
}

func (e *EnvelopeError) Unwrap() error { return e.Err }

// KindError reports a kind that has no protobuf encoding here: custom resources never have one.
type KindError struct{ GroupVersionKind schema.GroupVersionKind }

func (e *KindError) Error() string {
	return fmt.Sprintf("no kind %q of version %q can be read from protobuf", e.GroupVersionKind.Kind, e.GroupVersionKind.GroupVersion())
}

// MessageError reports a message of a known kind that cannot be decoded or has no JSON.
type MessageError struct {
	GroupVersionKind schema.GroupVersionKind
	Err              error
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("protobuf of %s, kind %s: %v", e.GroupVersionKind.GroupVersion(), e.GroupVersionKind.Kind, e.Err)
}

func (e *MessageError) Unwrap() error { return e.Err }

// The causes inside a MessageError that this package finds itself.
var (
	ErrTooLarge  = errors.New("it would take far more memory than it has bytes")
	ErrTooDeep   = errors.New("it is nested too deeply")
	ErrMalformed = errors.New("it is truncated or not protobuf")
)
