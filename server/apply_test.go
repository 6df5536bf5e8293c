package server

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestFieldManager(t *testing.T) {
	long := strings.Repeat("m", 129)
	for _, c := range []struct {
		verb, query, mediaType, agent string
		manager, refusal              string
	}{
		{"create", "fieldManager=me", "", "kubectl/v1.37.2", "me", ""},
		{"create", "", "", "kubectl/v1.37.2 (linux/amd64)", "kubectl", ""},
		{"update", "", "", "Mozilla/5.0", "Mozilla", ""},
		{"update", "", "", "no slash", "no slash", ""},
		{"update", "", "", "a\x00b\u200bc/1", "abc", ""},
		{"update", "", "", long + "/1", long[:128], ""},
		{"update", "", "", strings.Repeat("é", 65), strings.Repeat("é", 64), ""},
		{"update", "", "", "", "", ""},
		{"get", "fieldManager=" + long, "", "x", "", ""},
		{"create", "fieldManager=" + long, "", "", "", "fieldManager: Too long: may not be more than 128 bytes"},
		{"patch", "fieldManager=a%0ab", mergePatchType, "", "", `fieldManager: Invalid value: "a\nb": invalid character U+000A (at position 1)`},
		{"patch", "force=true", mergePatchType, "x/1", "", "force: Forbidden: may not be specified for non-apply patch"},
		{"patch", "", applyPatchType, "kubectl/1", "", "fieldManager: Required value: is required for apply patch"},
		{"patch", "fieldManager=m&force=true", applyPatchType, "kubectl/1", "m", ""},
	} {
		query, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		r := &http.Request{Header: http.Header{"User-Agent": {c.agent}, "Content-Type": {c.mediaType}}}
		manager, err := fieldManager(c.verb, query, r)
		var refused *optionError
		switch {
		case c.refusal != "":
			if !errors.As(err, &refused) || err.Error() != c.refusal {
				t.Errorf("%+v: got %v", c, err)
			}
		case err != nil || manager != c.manager:
			t.Errorf("%+v: got %q, %v", c, manager, err)
		}
	}
}
