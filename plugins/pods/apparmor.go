package main

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

// syncAppArmor turns the deprecated annotations of containers into the fields that replace them.
func syncAppArmor(e *tree.Edits, spec, annotations tree.Node) {
	eachAppArmor(spec, annotations, func(container tree.Node, _ string, profile string) {
		sc := container.Get("securityContext")
		switch {
		case profile == "" || sc.Has("appArmorProfile") || podspec.Same(tree.Parse(profile), spec.At("securityContext", "appArmorProfile")):
		case sc.IsObject():
			e.Set(sc, "appArmorProfile", profile)
		default:
			e.Set(container, "securityContext", `{"appArmorProfile":`+profile+`}`)
		}
	})
}

// appArmorWarnings warn of every annotation that is not the pod's own profile in other words.
func appArmorWarnings(spec, annotations tree.Node) (warnings []string) {
	eachAppArmor(spec, annotations, func(container tree.Node, key, profile string) {
		own := spec.At("securityContext", "appArmorProfile")
		if profile == "" || !podspec.Same(tree.Parse(profile), own) {
			warnings = append(warnings, "metadata.annotations["+key+`]: deprecated since v1.30; use the "appArmorProfile" field instead`)
		}
	})
	return warnings
}

// eachAppArmor calls visit for the containers with an annotation, with the profile it means; "" is none.
func eachAppArmor(spec, annotations tree.Node, visit func(container tree.Node, key, profile string)) {
	if !hasAppArmor(annotations) || spec.At("os", "name").String() == "windows" {
		return
	}
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for _, container := range spec.Get(list).Items() {
			key := podspec.AppArmorAnnotation + container.Get("name").String()
			if annotation := annotations.Get(key); annotation.Exists() {
				visit(container, key, appArmorProfile(annotation.String()))
			}
		}
	}
}

func hasAppArmor(annotations tree.Node) bool {
	for key := range annotations.Fields() {
		if strings.HasPrefix(key, podspec.AppArmorAnnotation) {
			return true
		}
	}
	return false
}

func appArmorProfile(annotation string) string {
	switch annotation {
	case "unconfined":
		return `{"type":"Unconfined"}`
	case "runtime/default":
		return `{"type":"RuntimeDefault"}`
	}
	if name, ok := strings.CutPrefix(annotation, "localhost/"); ok && name != "" && name == strings.TrimSpace(name) {
		return `{"type":"Localhost","localhostProfile":` + tree.Quote(name) + `}`
	}
	return ""
}
