package podspec

import (
	"strconv"
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// Annotations that Kubernetes gives a meaning.
const (
	MirrorAnnotation     = "kubernetes.io/config.mirror"
	deletionCost         = "controller.kubernetes.io/pod-deletion-cost"
	seccompPod           = "seccomp.security.alpha.kubernetes.io/pod"
	seccompContainer     = "container.seccomp.security.alpha.kubernetes.io/"
	AppArmorAnnotation   = "container.apparmor.security.beta.kubernetes.io/" // and the container's name
	seccompLocalhost     = "localhost/"
	appArmorLocalhost    = "localhost/"
	appArmorRuntime      = "runtime/default"
	unconfined           = "unconfined"
	seccompRuntime       = "runtime/default"
	seccompRuntimeDocker = "docker/default"
)

// annotations checks the annotations that mean something for pods.
func (c *check) annotations(annotations tree.Node, path place) {
	for key, node := range annotations.Fields() {
		value := node.String()
		switch {
		case key == MirrorAnnotation:
			if c.spec.Get("nodeName").String() == "" {
				c.invalid(path.key(key), value, "must set spec.nodeName if mirror pod annotation is set")
			}
		case key == deletionCost:
			if !isDeletionCost(value) {
				c.invalid(path.key(key), value, "must be a 32bit integer")
			}
		case key == seccompPod, strings.HasPrefix(key, seccompContainer):
			c.seccompAnnotation(value, path.child(key))
		case strings.HasPrefix(key, AppArmorAnnotation):
			c.appArmorAnnotation(key, value, path.key(key))
		}
	}
}

// hasProfiles tells whether some annotation is a security profile of the pod or a container.
func hasProfiles(annotations tree.Node) bool {
	for key := range annotations.Fields() {
		if key == seccompPod || strings.HasPrefix(key, seccompContainer) || strings.HasPrefix(key, AppArmorAnnotation) {
			return true
		}
	}
	return false
}

// isDeletionCost tells whether a text is an int32 in its one form.
func isDeletionCost(value string) bool {
	n, err := strconv.ParseInt(value, 10, 32)
	return err == nil && strconv.FormatInt(n, 10) == value
}

func (c *check) seccompAnnotation(profile string, path place) {
	if local, ok := strings.CutPrefix(profile, seccompLocalhost); ok {
		c.descendingPath(local, path)
		return
	}
	if profile != seccompRuntime && profile != seccompRuntimeDocker && profile != unconfined {
		c.invalid(path, profile, "must be a valid seccomp profile")
	}
}

func (c *check) appArmorAnnotation(key, profile string, path place) {
	name := strings.TrimPrefix(key, AppArmorAnnotation)
	found := false
	eachContainer(c.spec, root(""), func(container tree.Node, _ place) {
		found = found || container.Get("name").String() == name
	})
	if !found {
		c.invalid(path, name, "container not found")
	}
	if profile != "" && profile != appArmorRuntime && profile != unconfined && !strings.HasPrefix(profile, appArmorLocalhost) {
		c.invalid(path, profile, "invalid AppArmor profile name: "+tree.Quote(profile))
	}
}

// annotationsAgainstFields holds the old annotations equal to the fields that replace them.
func (c *check) annotationsAgainstFields(annotations tree.Node, path place) {
	if !hasProfiles(annotations) {
		return
	}
	if profile := c.spec.At("securityContext", "seccompProfile"); profile.Exists() {
		c.matchProfile("seccomp", annotations.Get(seccompPod), profile, path.child("securityContext.seccompProfile"))
	}
	eachContainer(c.spec, path, func(container tree.Node, at place) {
		if profile := container.At("securityContext", "seccompProfile"); profile.Exists() {
			c.matchProfile("seccomp", annotations.Get(seccompContainer+container.Get("name").String()), profile,
				at.child("securityContext.seccompProfile"))
		}
	})
	if c.spec.At("os", "name").String() == "windows" {
		return
	}
	eachContainer(c.spec, path, func(container tree.Node, at place) {
		profile := container.At("securityContext", "appArmorProfile")
		if !profile.Exists() {
			profile = c.spec.At("securityContext", "appArmorProfile")
		}
		if profile.Exists() {
			c.matchProfile("apparmor", annotations.Get(AppArmorAnnotation+container.Get("name").String()), profile,
				at.child("securityContext.appArmorProfile"))
		}
	})
}

func (c *check) matchProfile(what string, annotation, profile tree.Node, path place) {
	if !annotation.Exists() {
		return
	}
	text, ok := annotation.String(), true
	switch profile.Get("type").String() {
	case "Unconfined":
		ok = text == unconfined
	case "RuntimeDefault":
		ok = text == appArmorRuntime || what == "seccomp" && text == seccompRuntimeDocker
	case "Localhost":
		local, prefixed := strings.CutPrefix(text, appArmorLocalhost)
		if ok = prefixed; ok && local != profile.Get("localhostProfile").String() {
			c.forbidden(path.child("localhostProfile"), what+" profile in annotation and field must match")
		}
	}
	if !ok {
		c.forbidden(path.child("type"), what+" type in annotation and field must match")
	}
}

// ValidateCreate is Validate with what only new pods must fulfil.
func ValidateCreate(name string, annotations, spec tree.Node) field.ErrorList {
	c := newCheck(spec, true)
	c.errs = Validate(name, annotations, spec, tree.Node{})
	path := root("spec")
	if !spec.Get("ephemeralContainers").Empty() {
		c.forbidden(path.child("ephemeralContainers"), "cannot be set on create")
	}
	if spec.Get("nodeName").String() != "" && !spec.Get("schedulingGates").Empty() {
		c.forbidden(path.child("nodeName"), "cannot be set until all schedulingGates have been cleared")
	}
	c.annotationsAgainstFields(annotations, path)
	return c.errs
}
