package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

// operatingSystem checks os.name and that nothing of the other system is set.
func (c *check) operatingSystem(path place) {
	system := c.spec.Get("os")
	if !system.Exists() {
		return
	}
	switch name := system.Get("name").String(); name {
	case "":
		c.required(path.child("os.name"), "")
	case "linux":
		c.refuse(c.spec.Get("securityContext"), path.child("securityContext"), "windows options cannot be set for a linux pod", "windowsOptions")
		eachContainer(c.spec, path, func(container tree.Node, at place) {
			c.refuse(container.Get("securityContext"), at.child("securityContext"), "windows options cannot be set for a linux pod", "windowsOptions")
		})
	case "windows":
		c.windows(path)
	default:
		c.one(name, path.child("os"), "linux", "windows")
	}
}

const notForWindows = "cannot be set for a windows pod"

func (c *check) windows(path place) {
	sc := c.spec.Get("securityContext")
	at := path.child("securityContext")
	c.refuse(sc, at, notForWindows, "appArmorProfile", "seLinuxOptions")
	c.refuse(c.spec, path, notForWindows, "hostUsers")
	for _, key := range []string{"hostPID", "hostIPC"} {
		if c.spec.Get(key).True() {
			c.forbidden(path.child(key), notForWindows)
		}
	}
	c.refuse(sc, at, notForWindows, "seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls")
	c.refuse(c.spec, path, notForWindows, "shareProcessNamespace")
	c.refuse(sc, at, notForWindows, "runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy")
	eachContainer(c.spec, path, func(container tree.Node, p place) {
		c.refuse(container.Get("securityContext"), p.child("securityContext"), notForWindows, "appArmorProfile", "seLinuxOptions",
			"seccompProfile", "capabilities", "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup")
	})
}

func (c *check) refuse(object tree.Node, path place, why string, keys ...string) {
	for _, key := range keys {
		if object.Has(key) {
			c.forbidden(path.child(key), why)
		}
	}
}

// hostUsersRules refuse the host's other namespaces to pods with users of their own.
func (c *check) hostUsersRules(path place) {
	if c.hostUsers {
		return
	}
	for _, rule := range []struct{ key, name string }{{"hostNetwork", "hostNetwork"}, {"hostPID", "HostPID"}, {"hostIPC", "HostIPC"}} {
		if c.spec.Get(rule.key).True() {
			c.forbidden(path.child(rule.name), "when `hostUsers` is false")
		}
	}
}

// windowsOptions checks the names in a security context for Windows.
func (c *check) windowsOptions(options tree.Node, path place) {
	if spec := options.Get("gmsaCredentialSpec"); spec.Exists() {
		if size := len(spec.String()); size == 0 {
			c.invalid(path.child("gmsaCredentialSpec"), "", "gmsaCredentialSpec cannot be an empty string")
		} else if size > 64<<10 {
			c.invalid(path.child("gmsaCredentialSpec"), spec.String(), "gmsaCredentialSpec size must be under 64 KiB")
		}
	}
	if name := options.Get("gmsaCredentialSpecName"); name.Exists() {
		c.each(path.child("gmsaCredentialSpecName"), name.String(), subdomain(name.String()))
	}
	user := options.Get("runAsUserName")
	if !user.Exists() {
		return
	}
	at := path.child("runAsUserName")
	name := user.String()
	switch {
	case name == "":
		c.invalid(at, name, "runAsUserName cannot be an empty string")
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		c.invalid(at, name, "runAsUserName cannot contain control characters")
	case strings.Count(name, `\`) > 1:
		c.invalid(at, name, `runAsUserName cannot contain more than one backslash`)
	}
}
