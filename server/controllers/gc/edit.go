package gc

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

// The changes that the collector makes. Each is meant for the object of one uid, and changes nothing where
// there is nothing to do.
type (
	// dropOwners takes the references to some owners off an object.
	dropOwners struct {
		uid    string
		owners []string
	}
	// unblockOwner makes the reference to one owner a non-blocking one.
	unblockOwner struct{ uid, owner string }
	// dropFinalizer takes a finalizer off an object.
	dropFinalizer struct{ uid, finalizer string }
)

// Apply drops the references.
func (e dropOwners) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	return editList(current, e.uid, "ownerReferences", func(ref gjson.Result) []byte {
		if slices.Contains(e.owners, ref.Get("uid").String()) {
			return nil
		}
		return []byte(ref.Raw)
	})
}

// Apply sets blockOwnerDeletion to false.
func (e unblockOwner) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	return editList(current, e.uid, "ownerReferences", func(ref gjson.Result) []byte {
		if ref.Get("uid").String() != e.owner {
			return []byte(ref.Raw)
		}
		fields := engine.ParseFields([]byte(ref.Raw))
		fields.Set("blockOwnerDeletion", []byte("false"))
		return fields.Raw()
	})
}

// Apply drops the finalizer.
func (e dropFinalizer) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	if current.UID() == e.uid && !current.Deleting() {
		return nil, nil, errBehind
	}
	return editList(current, e.uid, "finalizers", func(name gjson.Result) []byte {
		if name.String() == e.finalizer {
			return nil
		}
		return []byte(name.Raw)
	})
}

// Replaces is false.
func (dropOwners) Replaces() bool { return false }

// Replaces is false.
func (unblockOwner) Replaces() bool { return false }

// Replaces is false.
func (dropFinalizer) Replaces() bool { return false }

// editList replaces the items of a list in metadata, or drops those that become nil.
func editList(current engine.Object, uid, key string, edit func(gjson.Result) []byte) (engine.Object, []string, error) {
	if current.UID() != uid {
		return nil, nil, controllers.ErrGone
	}
	var items [][]byte
	for _, item := range current.Get("metadata", key).Array() {
		if raw := edit(item); raw != nil {
			items = append(items, raw)
		}
	}
	meta := current.Meta()
	if len(items) == 0 {
		meta.Set(key, nil)
	} else {
		meta.Set(key, append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']'))
	}
	return current.WithMeta(meta), nil, nil
}
