package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

func (c *check) env(list tree.Node, path place) {
	if list.Empty() {
		return
	}
	path = path.child("env")
	for i, env := range list.Items() {
		name, from := env.Get("name").String(), env.Get("valueFrom")
		if name == "" {
			c.required(path.index(i).child("name"), "")
		} else if messages := validate.IsRelaxedEnvVarName(name); len(messages) > 0 {
			c.each(path.index(i).child("name"), name, messages)
		}
		if from.Exists() {
			c.valueFrom(env, from, path.index(i).child("valueFrom"))
		}
	}
}

var envFieldPaths = []string{
	"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
	"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
}

func (c *check) valueFrom(env, from tree.Node, path place) {
	sources := 0
	for key, source := range from.Fields() {
		at := path.child(key)
		switch key {
		case "fieldRef":
			c.fieldRef(source, envFieldPaths, at)
		case "resourceFieldRef":
			c.resourceFieldRef(source, false, at)
		case "configMapKeyRef", "secretKeyRef":
			c.keyRef(source, at)
		case "fileKeyRef":
			c.fileKeyRef(source, at)
		default:
			continue
		}
		sources++
	}
	switch {
	case sources == 0:
		c.invalid(path, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`")
	case env.Get("value").String() != "":
		c.invalid(path, "", "may not be specified when `value` is not empty")
	case sources > 1:
		c.invalid(path, "", "may not have more than one field specified at a time")
	}
}

func (c *check) keyRef(ref tree.Node, path place) {
	name := ref.Get("name").String()
	c.each(path.child("name"), name, subdomain(name))
	if key := ref.Get("key").String(); key == "" {
		c.required(path.child("key"), "")
	} else {
		c.each(path.child("key"), key, validate.IsConfigMapKey(key))
	}
}

func (c *check) fileKeyRef(ref tree.Node, path place) {
	if key := ref.Get("key").String(); key == "" {
		c.required(path.child("key"), "")
	} else {
		c.each(path.child("key"), key, validate.IsRelaxedEnvVarName(key))
	}
	volume := ref.Get("volumeName").String()
	if volume == "" {
		c.required(path.child("volumeName"), "")
	} else {
		c.each(path.child("volumeName"), volume, dnsLabel(volume))
		if kind, ok := c.volumes[volume]; !ok {
			c.report(path.child("volumeName"), field.NotFound(nil, volume))
		} else if kind != "emptyDir" {
			c.invalid(path.child("volumeName"), volume, "referenced volume must be of type emptyDir")
		}
	}
	if file := ref.Get("path").String(); file == "" {
		c.required(path.child("path"), "")
	} else {
		c.localPath(file, path.child("path"))
	}
}

func (c *check) envFrom(list tree.Node, path place) {
	if list.Empty() {
		return
	}
	path = path.child("envFrom")
	for i, from := range list.Items() {
		if prefix := from.Get("prefix").String(); prefix != "" {
			c.each(path.index(i).child("prefix"), prefix, validate.IsRelaxedEnvVarName(prefix))
		}
		sources := 0
		for _, key := range []string{"configMapRef", "secretRef"} {
			ref := from.Get(key)
			if !ref.Exists() {
				continue
			}
			sources++
			if at := path.index(i).child(key); c.present(ref, "name", at) {
				name := ref.Get("name").String()
				c.each(at.child("name"), name, validate.NameIsDNSSubdomain(name, true))
			}
		}
		if sources == 0 {
			c.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
		} else if sources > 1 {
			c.invalid(path, "", "may not have more than one field specified at a time")
		}
	}
}

// fieldRef checks a reference to one of the pod's own fields.
func (c *check) fieldRef(ref tree.Node, valid []string, path place) {
	if !c.present(ref, "apiVersion", path) || !c.present(ref, "fieldPath", path) {
		return
	}
	name := ref.Get("fieldPath").String()
	at := path.child("fieldPath")
	if version := ref.Get("apiVersion").String(); version != "v1" {
		c.invalid(at, name, `error converting fieldPath: unsupported pod version: `+version)
		return
	}
	base, subscript, subscripted := splitSubscript(name)
	switch {
	case !isFieldLabel(base, subscripted):
		c.invalid(at, name, `error converting fieldPath: field label not supported: `+name)
	case !subscripted && !contains(valid, base):
		c.report(at, field.NotSupported(nil, base, sorted(valid)))
	case !subscripted:
	case base == "metadata.annotations":
		c.each(path, strings.ToLower(subscript), qualifiedName(strings.ToLower(subscript)))
	case base == "metadata.labels":
		c.each(path, subscript, qualifiedName(subscript))
	}
}

// splitSubscript cuts metadata.labels['key'] into its two parts.
func splitSubscript(name string) (base, subscript string, ok bool) {
	inner, ok := strings.CutSuffix(name, "']")
	if !ok {
		return name, "", false
	}
	base, subscript, ok = strings.Cut(inner, "['")
	if !ok || base == "" {
		return name, "", false
	}
	return base, subscript, true
}

// isFieldLabel tells whether Kubernetes knows a field of pods by this name.
func isFieldLabel(name string, subscripted bool) bool {
	if subscripted {
		return name == "metadata.annotations" || name == "metadata.labels"
	}
	switch name {
	case "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
		"spec.restartPolicy", "spec.serviceAccountName", "spec.schedulerName", "status.phase", "status.hostIP", "status.hostIPs",
		"status.podIP", "status.podIPs", "spec.host":
		return true
	}
	return false
}

var resourceFields = []string{
	"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory",
}

// resourceFieldRef checks a reference to a container's resource.
func (c *check) resourceFieldRef(ref tree.Node, volume bool, path place) {
	resource := ref.Get("resource").String()
	huge := strings.HasPrefix(resource, "requests.hugepages-") || strings.HasPrefix(resource, "limits.hugepages-")
	switch {
	case volume && ref.Get("containerName").String() == "":
		c.required(path.child("containerName"), "")
	case resource == "":
		c.required(path.child("resource"), "")
	case !contains(resourceFields, resource) && !huge:
		c.report(path.child("resource"), field.NotSupported(nil, resource, resourceFields))
	}
	c.divisor(resource, huge, ref.Get("divisor"), path.child("divisor"))
}

const byteDivisors = "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the "

func (c *check) divisor(resource string, huge bool, divisor tree.Node, path place) {
	q, ok := parse(divisor)
	if !ok || q.IsZero() {
		return
	}
	what := ""
	switch _, name, _ := strings.Cut(resource, "."); {
	case name == "cpu":
		if text := q.String(); text != "1m" && text != "1" {
			c.invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource")
		}
		return
	case name == "memory":
		what = "memory resource"
	case name == "ephemeral-storage":
		what = "local ephemeral storage resource"
	case huge:
		what = "hugepages resource"
	default:
		return
	}
	if text := q.String(); text[0] != '1' || !contains([]string{"", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}, text[1:]) {
		c.invalid(path, resource, byteDivisors+what)
	}
}
