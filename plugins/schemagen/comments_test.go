package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestDescription(t *testing.T) {
	for source, want := range map[string]string{
		"one\ntwo":                                 "one two",
		"one\n\ntwo\n+optional":                    "one\n\ntwo",
		"one\nTODO: not shown\ntwo":                "one two",
		"one\n---\nnot shown":                      "one",
		"one:\n  indented\n  again\nafter":         "one:\n  indented\n  again\nafter",
		"list:\n - `\"a\"` first\n - `\"b\"` last": "list:\n - `\"a\"` first\n - `\"b\"` last",
		"para\n\n  code\n\nafter":                  "para\n\n  code\n\nafter",
		"+optional":                                "",
		"":                                         "",
	} {
		if got := comment(strings.Split(source, "\n")).Description(); got != want {
			t.Errorf("%q\n got %q\nwant %q", source, got, want)
		}
	}
}

func TestMarkers(t *testing.T) {
	doc := comment{"text", "+listMapKey=a", "+listMapKey=b", "+listMapKeyed=c", "+optional", "  +enum"}
	if got, want := doc.Markers("listMapKey"), []string{"a", "b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("listMapKey: %q, want %q", got, want)
	}
	for marker, want := range map[string]bool{"optional": true, "enum": true, "required": false, "option": false} {
		if doc.Has(marker) != want {
			t.Errorf("Has(%s) = %v", marker, !want)
		}
	}
}
