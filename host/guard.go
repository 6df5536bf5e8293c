package host

import (
	"bytes"
	"fmt"

	"github.com/stratagem-dev/stratagem/engine"
)

// guarded are the members of metadata that belong to the server alone.
var guarded = []string{
	"name", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields",
}

// guard refuses a reply's object that changes what a hook may not change.
func guard(before, after engine.Object) error {
	if bytes.Equal(before, after) {
		return nil
	}
	if before.APIVersion() != after.APIVersion() {
		return fmt.Errorf("it changes apiVersion from %q to %q", before.APIVersion(), after.APIVersion())
	}
	if before.Kind() != after.Kind() {
		return fmt.Errorf("it changes kind from %q to %q", before.Kind(), after.Kind())
	}
	was, is := before.Meta(), after.Meta()
	for _, key := range guarded {
		if !bytes.Equal(was.Get(key), is.Get(key)) {
			return fmt.Errorf("it changes metadata.%s from %.100s to %.100s", key, orNothing(was.Get(key)), orNothing(is.Get(key)))
		}
	}
	return nil
}

func orNothing(raw []byte) []byte {
	if raw == nil {
		return []byte("nothing")
	}
	return raw
}
