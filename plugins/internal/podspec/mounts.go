package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// mounts checks the volumeMounts of a container.
func (c *check) mounts(container tree.Node, path place) {
	list, devices := container.Get("volumeMounts"), container.Get("volumeDevices")
	if list.Empty() {
		return
	}
	path = path.child("volumeMounts")
	var seen []string
	for i, mount := range list.Items() {
		at := path.index(i)
		name, where := mount.Get("name").String(), mount.Get("mountPath").String()
		kind, found := c.volumes[name]
		if name == "" {
			c.required(at.child("name"), "")
		}
		if !found {
			c.report(at.child("name"), field.NotFound(nil, name))
		}
		if where == "" {
			c.required(at.child("mountPath"), "")
		}
		if contains(seen, where) {
			c.invalid(at.child("mountPath"), where, "must be unique")
		}
		seen = append(seen, where)
		if hasField(devices, "name", name) {
			c.invalid(at.child("name"), name, "must not already exist in volumeDevices")
		}
		if hasField(devices, "devicePath", where) {
			c.invalid(at.child("mountPath"), where, "must not already exist as a path in volumeDevices")
		}
		if found && kind == "image" && mount.Get("subPathExpr").String() != "" {
			c.invalid(at.child("subPathExpr"), mount.Get("subPathExpr").String(), "not allowed in image volume sources")
		}
		c.subPaths(mount, at, path)
		c.propagation(mount, container, path)
		c.recursiveReadOnly(mount, path.child("recursiveReadOnly"))
	}
}

// subPaths checks where in the volume a mount begins. Kubernetes leaves the index out of one of the paths.
func (c *check) subPaths(mount tree.Node, at, list place) {
	sub, expr := mount.Get("subPath").String(), mount.Get("subPathExpr").String()
	if sub != "" {
		c.descendingPath(sub, list.child("subPath"))
	}
	if expr != "" {
		if sub != "" {
			c.invalid(at.child("subPathExpr"), expr, "subPathExpr and subPath are mutually exclusive")
		}
		c.descendingPath(expr, list.child("subPathExpr"))
	}
}

func (c *check) propagation(mount, container tree.Node, path place) {
	mode := mount.Get("mountPropagation")
	if !mode.Exists() {
		return
	}
	at := path.child("mountPropagation")
	c.one(mode.String(), at, "Bidirectional", "HostToContainer", "None")
	if mode.String() == "Bidirectional" && !container.At("securityContext", "privileged").True() {
		c.forbidden(at, "Bidirectional mount propagation is available only to privileged containers")
	}
}

func (c *check) recursiveReadOnly(mount tree.Node, path place) {
	mode := mount.Get("recursiveReadOnly")
	if !mode.Exists() || mode.String() == "Disabled" {
		return
	}
	if text := mode.String(); text != "Enabled" && text != "IfPossible" {
		c.one(text, path, "Disabled", "Enabled", "IfPossible")
		return
	}
	if !mount.Get("readOnly").True() {
		c.forbidden(path, "may only be specified when readOnly is true")
	}
	if propagation := mount.Get("mountPropagation"); propagation.Exists() && propagation.String() != "None" {
		c.forbidden(path, "may only be specified when mountPropagation is None or not specified")
	}
}

// devices checks the volumeDevices of a container.
func (c *check) devices(container tree.Node, path place) {
	list, mounts := container.Get("volumeDevices"), container.Get("volumeMounts")
	if list.Empty() {
		return
	}
	path = path.child("volumeDevices")
	var names, paths []string
	for i, device := range list.Items() {
		at := path.index(i)
		name, where := device.Get("name").String(), device.Get("devicePath").String()
		if name == "" {
			c.required(at.child("name"), "")
		}
		if contains(names, name) {
			c.invalid(at.child("name"), name, "must be unique")
		}
		kind, found := c.volumes[name]
		if found && kind != "persistentVolumeClaim" && kind != "ephemeral" {
			c.invalid(at.child("name"), name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")
		}
		if !found {
			c.report(at.child("name"), field.NotFound(nil, name))
		}
		if where == "" {
			c.required(at.child("devicePath"), "")
		}
		if contains(paths, where) {
			c.invalid(at.child("devicePath"), where, "must be unique")
		}
		if hasBackstep(where) {
			c.invalid(at.child("devicePath"), where, "can not contain backsteps ('..')")
		} else {
			paths = append(paths, where)
		}
		if hasField(mounts, "name", name) {
			c.invalid(at.child("name"), name, "must not already exist in volumeMounts")
		}
		if hasField(mounts, "mountPath", where) {
			c.invalid(at.child("devicePath"), where, "must not already exist as a path in volumeMounts")
		}
		if name != "" {
			names = append(names, name)
		}
	}
}

func hasField(list tree.Node, key, value string) bool {
	for _, item := range list.Items() {
		if item.Get(key).String() == value {
			return true
		}
	}
	return false
}

// descendingPath refuses absolute paths and those with a "..".
func (c *check) descendingPath(name string, path place) {
	if strings.HasPrefix(name, "/") {
		c.invalid(path, name, "must be a relative path")
	}
	if hasBackstep(name) {
		c.invalid(path, name, "must not contain '..'")
	}
}

// localPath is descendingPath for names that may not begin with ".." either.
func (c *check) localPath(name string, path place) {
	c.descendingPath(name, path)
	if strings.HasPrefix(name, "..") && !strings.HasPrefix(name, "../") {
		c.invalid(path, name, "must not start with '..'")
	}
}

func hasBackstep(name string) bool {
	for {
		part, rest, more := strings.Cut(name, "/")
		if part == ".." {
			return true
		}
		if !more {
			return false
		}
		name = rest
	}
}
