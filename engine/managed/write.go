package managed

import "time"

// Write is a change of one object by one manager. Objects are in canonical form and in the version of Types.
type Write struct {
	Types *Types
	// Old is the object before, with its managedFields; nil when it is created.
	Old []byte
	// New is the object after, with the managedFields that the client sent, if any. Update only.
	New []byte
	// Sent are those managedFields where New has none.
	Sent []byte

	Manager     string // "" is "unknown"
	Subresource string // through which the object is written, if any
	Time        time.Time
	// Scope is what the write can change.
	Scope Scope

	// Versions finds the types of another version ("apps/v1beta1"); nil for one that is not known. May be nil itself.
	Versions func(apiVersion string) (*Types, error)
	// Convert brings an object to another version.
	Convert func(obj []byte, apiVersion string) ([]byte, error)
}

// manager is the name that goes into managedFields.
func (w *Write) manager() string {
	if w.Manager == "" {
		return "unknown"
	}
	return w.Manager
}

// types finds the types of a version, nil for one that is not known.
func (w *Write) types(apiVersion string) (*Types, error) {
	if apiVersion == w.Types.apiVersion {
		return w.Types, nil
	}
	if w.Versions == nil {
		return nil, nil
	}
	return w.Versions(apiVersion)
}

// span is where a value stands: the bytes from begin to end. A negative begin is nowhere.
type span struct{ begin, end int }

func (s span) of(obj []byte) []byte {
	if s.begin < 0 {
		return nil
	}
	return obj[s.begin:s.end]
}

// fieldsAt is where the managedFields of an object stand.
func fieldsAt(obj []byte) span {
	at := -1
	if meta := find(obj, 0, "metadata"); meta >= 0 {
		at = find(obj, meta, "managedFields")
	}
	if at < 0 {
		return span{-1, -1}
	}
	return span{at, valueEnd(obj, at)}
}

// fieldsOf is the raw managedFields of an object, or nil.
func fieldsOf(obj []byte) []byte { return fieldsAt(obj).of(obj) }
