package artifact

import (
	"fmt"
	"net"
	"strings"

	"oras.land/oras-go/v2/registry"
)

const scheme = "oci://"

// IsReference tells whether a text is meant as a Reference.
func IsReference(text string) bool { return strings.HasPrefix(text, scheme) }

// Reference is what oci://REGISTRY/REPOSITORY:TAG@sha256:DIGEST names. Where there is a digest it decides, and the tag is only
// told; without both the tag is "latest".
type Reference struct {
	Registry, Repository, Tag, Digest string
}

// ParseReference reads a Reference.
func ParseReference(text string) (Reference, error) {
	rest, found := strings.CutPrefix(text, scheme)
	if !found {
		return Reference{}, fmt.Errorf("%s: must be oci://REGISTRY/REPOSITORY:TAG or oci://REGISTRY/REPOSITORY@sha256:DIGEST", text)
	}
	named, digest, pinned := strings.Cut(rest, "@")
	parsed, err := registry.ParseReference(named)
	if err == nil && pinned {
		err = registry.Reference{Registry: parsed.Registry, Repository: parsed.Repository, Reference: digest}.ValidateReferenceAsDigest()
	}
	if err == nil && (parsed.Reference != "" || strings.HasSuffix(named, ":")) {
		err = parsed.ValidateReferenceAsTag()
	}
	if err != nil {
		return Reference{}, fmt.Errorf("%s: %w", text, err)
	}
	r := Reference{Registry: parsed.Registry, Repository: parsed.Repository, Tag: parsed.Reference, Digest: digest}
	if r.Tag == "" && r.Digest == "" {
		r.Tag = "latest"
	}
	return r, nil
}

func (r Reference) String() string {
	text := scheme + r.Registry + "/" + r.Repository
	if r.Tag != "" {
		text += ":" + r.Tag
	}
	if r.Digest != "" {
		text += "@" + r.Digest
	}
	return text
}

// target is what a registry is asked for.
func (r Reference) target() string {
	if r.Digest != "" {
		return r.Digest
	}
	return r.Tag
}

// isLoopback tells whether a host, with or without a port, is this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
