package engine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// duplicateOwners is Kubernetes' warning of equal ownerReferences.
const duplicateOwners = ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"

// dedupOwners drops ownerReferences that equal an earlier one, with a warning.
func dedupOwners(obj Object) (Object, []string) {
	var kept [][]byte
	var duplicates []string
	for _, ref := range gjson.ParseBytes(obj.member("ownerReferences")).Array() {
		// Canonical values that mean the same are the same bytes.
		if slices.ContainsFunc(kept, func(other []byte) bool { return string(other) == ref.Raw }) {
			duplicates = append(duplicates, ref.Get("uid").String())
			continue
		}
		kept = append(kept, []byte(ref.Raw))
	}
	if len(duplicates) == 0 {
		return obj, nil
	}
	meta := obj.Meta()
	meta.Set("ownerReferences", append(append([]byte{'['}, bytes.Join(kept, []byte{','})...), ']'))
	return obj.WithMeta(meta), []string{fmt.Sprintf(duplicateOwners, strings.Join(duplicates, ", "))}
}
