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
	if was, is := before.APIVersion(), after.APIVersion(); was != is {
		return fmt.Errorf("it changes apiVersion from %.100q to %.100q", was, is)
	}
	if was, is := before.Kind(), after.Kind(); was != is {
		return fmt.Errorf("it changes kind from %.100q to %.100q", was, is)
	}
	return guardMeta(before, after, guarded)
}

// guardConverted refuses an item of Convert's reply that is not the same object in another version.
func guardConverted(before, after engine.Object) error {
	if was, is := before.Kind(), after.Kind(); was != is {
		return fmt.Errorf("it changes kind from %.100q to %.100q", was, is)
	}
	return guardMeta(before, after, guarded[:3])
}

func guardMeta(before, after engine.Object, keys []string) error {
	was, is := before.Meta(), after.Meta()
	for _, key := range keys {
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
