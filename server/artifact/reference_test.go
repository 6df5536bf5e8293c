package artifact

import (
	"strings"
	"testing"
)

func TestParseReference(t *testing.T) {
	sum := "sha256:" + strings.Repeat("a", 64)
	for text, want := range map[string]Reference{
		"oci://ghcr.io/team/pods":                  {"ghcr.io", "team/pods", "latest", ""},
		"oci://ghcr.io/team/pods:1.0":              {"ghcr.io", "team/pods", "1.0", ""},
		"oci://127.0.0.1:5000/pods@" + sum:         {"127.0.0.1:5000", "pods", "", sum},
		"oci://localhost:5000/a/b/pods:1.0@" + sum: {"localhost:5000", "a/b/pods", "1.0", sum},
	} {
		got, err := ParseReference(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if again, err := ParseReference(got.String()); err != nil || again != got {
			t.Errorf("%s: %s is not the same", text, got)
		}
	}
	for _, text := range []string{
		"", "oci://", "ghcr.io/team/pods:1.0", "oci://pods:1.0", "oci://ghcr.io/", "oci://ghcr.io/Team/pods", "oci://ghcr.io/team/pods:", "oci://ghcr.io/team/pods:a b",
		"oci://ghcr.io/team/pods@", "oci://ghcr.io/team/pods@sha256:abc", "oci://ghcr.io/team/pods@md5:" + strings.Repeat("a", 32), "oci://ghcr.io/team/pods:1@2@" + sum,
		"oci://ghcr.io/../pods:1", "oci://user:secret@ghcr.io/pods:1", "https://ghcr.io/pods:1", "oci://gh cr.io/pods:1",
	} {
		if got, err := ParseReference(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:5000": true, "127.0.0.1": true, "127.8.9.1:80": true, "[::1]:5000": true, "::1": true,
		"localhost.example.com": false, "127.0.0.1.example.com:80": false, "10.0.0.1:5000": false, "example.com": false, "": false,
	} {
		if isLoopback(host) != want {
			t.Errorf("%q: %t", host, !want)
		}
	}
}
