package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

func (c *check) containers(path place) {
	list := c.spec.Get("containers")
	if list.Empty() {
		c.required(path, "")
		return
	}
	var names []string
	for i, container := range list.Items() {
		at := path.index(i)
		c.container(container, at)
		name := container.Get("name").String()
		if contains(names, name) {
			c.duplicate(at.child("name"), name)
		} else {
			names = append(names, name)
		}
		c.lifecycle(container, at)
		c.probes(container, at)
		c.restartRules(container, at, false)
	}
	c.hostPortConflicts(list, path)
}

const needsSidecar = "may not be set for init containers without restartPolicy=Always"

func (c *check) initContainers(path place) {
	names := containerNames(c.spec.Get("containers"), nil)
	for i, container := range c.spec.Get("initContainers").Items() {
		at := path.index(i)
		c.container(container, at)
		c.restartRules(container, at, true)
		name := container.Get("name").String()
		if contains(names, name) {
			c.duplicate(at.child("name"), name)
		} else if name != "" {
			names = append(names, name)
		}
		c.ownHostPortConflicts(container, path)
		if isSidecar(container) {
			c.lifecycle(container, at)
			c.probes(container, at)
			continue
		}
		for _, key := range []string{"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"} {
			if container.Has(key) {
				c.forbidden(at.child(key), needsSidecar)
			}
		}
	}
}

// restartRules checks the restartPolicy of a single container and its rules.
func (c *check) restartRules(container tree.Node, path place, init bool) {
	policy, rules := container.Get("restartPolicy"), container.Get("restartPolicyRules")
	if policy.Exists() {
		c.one(policy.String(), path.child("restartPolicy"), "Always", "OnFailure", "Never")
	}
	if rules.Empty() {
		return
	}
	at := path.child("restartPolicyRules")
	if !policy.Exists() {
		c.required(path.child("restartPolicy"), "must specify restartPolicy when restart rules are used")
	}
	if init && policy.String() == "Always" {
		c.forbidden(at, "restartPolicyRules are not allowed for init containers with restart policy Always")
	}
	if rules.Len() > 20 {
		c.report(at, field.TooMany(nil, rules.Len(), 20))
	}
	for i, rule := range rules.Items() {
		c.restartRule(rule, at.index(i))
	}
}

func (c *check) restartRule(rule tree.Node, path place) {
	if action := rule.Get("action").String(); action == "" {
		c.required(path.child("action"), "")
	} else {
		c.one(action, path.child("action"), "Restart", "RestartAllContainers")
	}
	codes := rule.Get("exitCodes")
	if !codes.Exists() {
		c.required(path.child("exitCodes"), "must be specified")
		return
	}
	c.one(codes.Get("operator").String(), path.child("exitCodes.operator"), "In", "NotIn")
	if values := codes.Get("values"); values.Len() > 255 {
		c.report(path.child("exitCodes.values"), field.TooMany(nil, values.Len(), 255))
	}
}

// container checks what containers of all sorts have in common.
func (c *check) container(container tree.Node, path place) {
	if name := container.Get("name").String(); name == "" {
		c.required(path.child("name"), "")
	} else {
		c.each(path.child("name"), name, dnsLabel(name))
	}
	c.present(container, "image", path)
	if policy := container.Get("terminationMessagePolicy").String(); policy != "File" {
		c.oneRequired(policy, path.child("terminationMessagePolicy"), "File", "FallbackToLogsOnError")
	}
	c.ports(container.Get("ports"), path)
	c.env(container.Get("env"), path)
	c.envFrom(container.Get("envFrom"), path)
	c.mounts(container, path)
	c.devices(container, path)
	if policy := container.Get("imagePullPolicy").String(); policy != "IfNotPresent" {
		c.oneRequired(policy, path.child("imagePullPolicy"), "Always", "IfNotPresent", "Never")
	}
	if resources := container.Get("resources"); !resources.Empty() {
		c.resources(resources, path.child("resources"))
	}
	c.resizePolicy(container.Get("resizePolicy"), path)
	c.containerSecurity(container.Get("securityContext"), path)
}

// trimmedImage is for pods alone.
func (c *check) trimmedImage(container tree.Node, path place) {
	if image := container.Get("image").String(); image != strings.TrimSpace(image) {
		c.invalid(path.child("image"), image, "must not have leading or trailing whitespace")
	}
}

// ephemeralAllowed are the fields that an ephemeral container may have.
var ephemeralAllowed = []string{
	"name", "image", "command", "args", "workingDir", "envFrom", "env", "volumeMounts", "volumeDevices", "terminationMessagePath",
	"terminationMessagePolicy", "imagePullPolicy", "securityContext", "stdin", "stdinOnce", "tty", "targetContainerName",
}

const notForEphemeral = "cannot be set for an Ephemeral Container"

func (c *check) ephemeralContainers(path place) {
	list := c.spec.Get("ephemeralContainers")
	if list.Empty() {
		return
	}
	others := containerNames(c.spec.Get("initContainers"), containerNames(c.spec.Get("containers"), nil))
	names := append([]string(nil), others...)
	for i, container := range list.Items() {
		at := path.index(i)
		c.container(container, at)
		c.trimmedImage(container, at)
		name := container.Get("name").String()
		if contains(names, name) {
			c.duplicate(at.child("name"), name)
		} else {
			names = append(names, name)
		}
		if target := container.Get("targetContainerName").String(); target != "" && !contains(others, target) {
			c.report(at.child("targetContainerName"), field.NotFound(nil, target))
		}
		for key, value := range container.Fields() {
			if !contains(ephemeralAllowed, key) && !Zero(key, value) {
				c.forbidden(at.child(key), notForEphemeral)
			}
		}
		for j, mount := range container.Get("volumeMounts").Items() {
			for _, key := range []string{"subPath", "subPathExpr"} {
				if mount.Get(key).String() != "" {
					c.forbidden(at.child("volumeMounts").index(j).child(key), notForEphemeral)
				}
			}
		}
	}
}

func containerNames(list tree.Node, names []string) []string {
	for _, container := range list.Items() {
		names = append(names, container.Get("name").String())
	}
	return names
}

func (c *check) resizePolicy(list tree.Node, path place) {
	if list.Empty() {
		return
	}
	path = path.child("resizePolicy")
	var seen []string
	for i, policy := range list.Items() {
		name, restart := policy.Get("resourceName").String(), policy.Get("restartPolicy").String()
		if contains(seen, name) {
			c.duplicate(path.index(i), name)
		}
		seen = append(seen, name)
		c.oneRequired(name, path, "cpu", "memory")
		c.oneRequired(restart, path, "NotRequired", "RestartContainer")
		if c.restart == "Never" && restart != "NotRequired" {
			c.invalid(path, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'")
		}
	}
}

// eachContainer calls visit for all containers with the path of each: init, regular, ephemeral.
func eachContainer(spec tree.Node, path place, visit func(container tree.Node, path place)) {
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for i, container := range spec.Get(list).Items() {
			visit(container, path.child(list).index(i))
		}
	}
}
