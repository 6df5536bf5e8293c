package podspec

import "strings"

// pullPolicy is the default imagePullPolicy of an image: Always for the tag latest, which an image without
// tag and digest has, and IfNotPresent otherwise, also for what is not the name of an image.
func pullPolicy(image string) string {
	name, digest, digested := strings.Cut(image, "@")
	tag := ""
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, tag = name[:i], name[i+1:]
		if tag == "" {
			return `"IfNotPresent"`
		}
	}
	switch {
	case !isRepository(name), digested && digest == "":
		return `"IfNotPresent"`
	case tag == "latest", tag == "" && !digested:
		return `"Always"`
	}
	return `"IfNotPresent"`
}

// isRepository tells whether a name without tag and digest is one of an image: a registry in any letters, and a
// path in lower case.
func isRepository(name string) bool {
	if first, rest, ok := strings.Cut(name, "/"); ok && isRegistry(first) {
		name = rest
	}
	if name == "" {
		return false
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case (c == '.' || c == '_' || c == '-' || c == '/') && i > 0 && i < len(name)-1:
		default:
			return false
		}
	}
	return true
}

func isRegistry(s string) bool {
	return s == "localhost" || strings.ContainsAny(s, ".:") || s != strings.ToLower(s)
}
