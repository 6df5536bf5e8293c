package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// podSecurity checks the security context of the pod.
func (c *check) podSecurity(path place) {
	sc := c.spec.Get("securityContext")
	if sc.Empty() {
		return
	}
	path = path.child("securityContext")
	c.ids(sc, path, "fsGroup", "runAsUser", "runAsGroup")
	for i, group := range sc.Get("supplementalGroups").Items() {
		c.eachOf(path.child("supplementalGroups").index(i), group, validate.IsValidGroupID(group.Int()))
	}
	if c.spec.Get("shareProcessNamespace").True() && c.spec.Get("hostPID").True() {
		c.invalid(path.child("shareProcessNamespace"), true, "ShareProcessNamespace and HostPID cannot both be enabled")
	}
	c.sysctls(sc.Get("sysctls"), path.child("sysctls"))
	c.optionalOne(sc, "fsGroupChangePolicy", path, "Always", "OnRootMismatch")
	c.profiles(sc, path)
	c.optionalOne(sc, "supplementalGroupsPolicy", path, "Merge", "Strict")
	c.optionalOne(sc, "seLinuxChangePolicy", path, "MountOption", "Recursive")
}

// ids checks the numbers of users and groups.
func (c *check) ids(sc tree.Node, path place, keys ...string) {
	for _, key := range keys {
		if id := sc.Get(key); id.Exists() {
			c.eachOf(path.child(key), id, validate.IsValidUserID(id.Int()))
		}
	}
}

// profiles checks what pods and containers have in common.
func (c *check) profiles(sc tree.Node, path place) {
	c.seccomp(sc.Get("seccompProfile"), path.child("seccompProfile"))
	if options := sc.Get("windowsOptions"); options.Exists() {
		c.windowsOptions(options, path.child("windowsOptions"))
	}
	c.appArmor(sc.Get("appArmorProfile"), path.child("appArmorProfile"))
}

func (c *check) containerSecurity(sc tree.Node, path place) {
	if sc.Empty() {
		return
	}
	path = path.child("securityContext")
	c.ids(sc, path, "runAsUser", "runAsGroup")
	if mount := sc.Get("procMount"); mount.Exists() {
		c.one(mount.String(), path.child("procMount"), "Default", "Unmasked")
		if c.hostUsers && mount.String() == "Unmasked" {
			c.invalid(path.child("procMount"), mount.String(), "`hostUsers` must be false to use `Unmasked`")
		}
	}
	if escalation := sc.Get("allowPrivilegeEscalation"); escalation.Exists() && !escalation.True() {
		if sc.Get("privileged").True() {
			c.invalid(path, sc.Value(), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
		}
		for _, capability := range sc.At("capabilities", "add").Items() {
			if capability.String() == "CAP_SYS_ADMIN" {
				c.invalid(path, sc.Value(), "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN")
			}
		}
	}
	c.profiles(sc, path)
}

func (c *check) seccomp(profile tree.Node, path place) {
	if !profile.Exists() {
		return
	}
	kind, local := profile.Get("type").String(), profile.Get("localhostProfile")
	if kind == "" {
		c.required(path.child("type"), "type is required when seccompProfile is set")
	} else {
		c.one(kind, path.child("type"), "Localhost", "RuntimeDefault", "Unconfined")
	}
	switch {
	case kind == "Localhost" && !local.Exists():
		c.required(path.child("localhostProfile"), "must be set when seccomp type is Localhost")
	case kind == "Localhost":
		c.descendingPath(local.String(), path.child("localhostProfile"))
	case local.Exists():
		c.invalid(path.child("localhostProfile"), profile.Value(), "can only be set when seccomp type is Localhost")
	}
}

func (c *check) appArmor(profile tree.Node, path place) {
	if !profile.Exists() {
		return
	}
	local, at := profile.Get("localhostProfile"), path.child("localhostProfile")
	switch kind := profile.Get("type").String(); kind {
	case "Localhost":
		name := local.String()
		switch trimmed := strings.TrimSpace(name); {
		case trimmed != name:
			c.invalid(at, name, "must not be padded with whitespace")
		case name == "":
			c.required(at, "must be set when AppArmor type is Localhost")
		}
		if len(name) > 4095 {
			c.report(at, field.TooLong(nil, "", 4095))
		}
	case "RuntimeDefault", "Unconfined":
		if local.Exists() {
			c.invalid(at, local.Value(), "can only be set when AppArmor type is Localhost")
		}
	case "":
		c.required(path.child("type"), "type is required when appArmorProfile is set")
	default:
		c.one(kind, path.child("type"), "Localhost", "RuntimeDefault", "Unconfined")
	}
}

func (c *check) sysctls(list tree.Node, path place) {
	var names []string
	for i, sysctl := range list.Items() {
		at := path.index(i).child("name")
		name := sysctl.Get("name").String()
		switch {
		case name == "":
			c.required(at, "")
		case !isSysctl(name):
			c.invalid(at, name, "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$")
		case contains(names, name):
			c.duplicate(at, name)
		}
		switch namespace := sysctlNamespace(name); {
		case namespace == "net" && c.spec.Get("hostNetwork").True():
			c.invalid(at, name, "may not be specified when 'hostNetwork' is true")
		case namespace == "ipc" && c.spec.Get("hostIPC").True():
			c.invalid(at, name, "may not be specified when 'hostIPC' is true")
		}
		names = append(names, name)
	}
}

func isSysctl(name string) bool {
	if len(name) > 253 {
		return false
	}
	for _, segment := range strings.FieldsFunc("/"+strings.ReplaceAll(name, ".", "/")+"/", func(r rune) bool { return r == '/' }) {
		last := len(segment) - 1
		for i := 0; i <= last; i++ {
			b := segment[i]
			edge := i == 0 || i == last
			if !('a' <= b && b <= 'z' || '0' <= b && b <= '9' || !edge && (b == '-' || b == '_')) {
				return false
			}
		}
	}
	return !strings.ContainsAny(name[:1]+name[len(name)-1:], "./") && !strings.Contains(strings.ReplaceAll(name, "/", "."), "..")
}

func sysctlNamespace(name string) string {
	name = strings.ReplaceAll(name, "/", ".")
	switch {
	case strings.HasPrefix(name, "net."):
		return "net"
	case strings.HasPrefix(name, "kernel.shm"), strings.HasPrefix(name, "kernel.msg"), strings.HasPrefix(name, "fs.mqueue."), name == "kernel.sem":
		return "ipc"
	}
	return ""
}
