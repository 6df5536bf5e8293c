package podspec

import (
	"math"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// Validate tells what is wrong with the annotations and the spec of a pod of the given name. old is the spec
// before an update.
func Validate(name string, annotations, spec, old tree.Node) field.ErrorList {
	c := newCheck(spec, true)
	c.name, c.old = name, old
	path := root("spec")
	c.annotations(annotations, root("metadata.annotations"))
	c.podSpec(path)
	c.tokensNeedAccount(path)
	for _, list := range []string{"containers", "initContainers"} {
		for i, container := range spec.Get(list).Items() {
			c.trimmedImage(container, path.child(list).index(i))
		}
	}
	return c.errs
}

// ValidateTemplate tells what is wrong with a pod template; old is the one before an update. Errors in its labels and annotations leave
// metadata out of the path, as in Kubernetes.
func ValidateTemplate(template, old tree.Node, at string) field.ErrorList {
	path := root(at)
	c := newCheck(template.Get("spec"), false)
	c.old = old.Get("spec")
	annotations := template.At("metadata", "annotations")
	c.labelMap(template.At("metadata", "labels"), path.child("labels"))
	c.annotationMap(annotations, path.child("annotations"))
	c.annotations(annotations, path.child("annotations"))
	c.podSpec(path.child("spec"))
	c.annotationsAgainstFields(annotations, path.child("spec"))
	if !c.spec.Get("ephemeralContainers").Empty() {
		c.forbidden(path.child("spec.ephemeralContainers"), "ephemeral containers not allowed in pod template")
	}
	return c.errs
}

func newCheck(spec tree.Node, pod bool) *check {
	return &check{
		spec: spec, pod: pod,
		grace:     spec.Get("terminationGracePeriodSeconds"),
		restart:   spec.Get("restartPolicy").String(),
		hostUsers: spec.Get("hostUsers").Raw() != "false",
	}
}

// podSpec runs in the order of Kubernetes' validation, so that causes come in its order.
func (c *check) podSpec(path place) {
	spec := c.spec
	if !c.grace.Exists() {
		c.required(path.child("terminationGracePeriodSeconds"), "")
	}
	c.volumeList(path.child("volumes"))
	c.resourceClaims(path.child("resourceClaims"))
	c.containers(path.child("containers"))
	c.initContainers(path.child("initContainers"))
	c.ephemeralContainers(path.child("ephemeralContainers"))
	c.podResources(path)
	c.hostNetworkPorts(path.child("containers"))
	c.oneRequired(c.restart, path.child("restartPolicy"), "Always", "OnFailure", "Never")
	c.oneRequired(spec.Get("dnsPolicy").String(), path.child("dnsPolicy"), "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
	if selector := spec.Get("nodeSelector"); !selector.Empty() {
		c.labelMap(selector, path.child("nodeSelector"))
	}
	c.podSecurity(path)
	c.pullSecrets(path.child("imagePullSecrets"))
	c.affinity(path.child("affinity"))
	c.dnsConfig(path.child("dnsConfig"))
	c.readinessGates(path.child("readinessGates"))
	c.schedulingGates(path.child("schedulingGates"))
	c.spreadConstraints(path.child("topologySpreadConstraints"))
	c.hostUsersRules(path)
	c.names(path)
	c.tolerations(path.child("tolerations"))
	c.hostAliases(path.child("hostAliases"))
	c.classes(path)
	c.operatingSystem(path)
}

// names checks what the spec names, and the deadline between them.
func (c *check) names(path place) {
	c.optionalName("serviceAccountName", path, subdomain)
	c.optionalName("nodeName", path, subdomain)
	if deadline := c.spec.Get("activeDeadlineSeconds"); deadline.Exists() {
		if n := deadline.Int(); n < 1 || n > math.MaxInt32 {
			c.invalid(path.child("activeDeadlineSeconds"), deadline.Value(), validate.InclusiveRangeError(1, math.MaxInt32))
		}
	}
	c.optionalName("hostname", path, dnsLabel)
	c.optionalName("subdomain", path, dnsLabel)
	c.hostnameOverride(path)
}

// hostnameOverride excludes other ways to name the host.
func (c *check) hostnameOverride(path place) {
	override := c.spec.Get("hostnameOverride")
	if !override.Exists() {
		return
	}
	child := path.child("hostnameOverride")
	if len(override.String()) > 64 {
		c.invalid(child, override.String(), validate.MaxLenError(64))
	}
	c.each(child, override.String(), validate.IsDNS1123Subdomain(override.String()))
	if c.spec.Get("setHostnameAsFQDN").True() {
		c.forbidden(child, "may not be specified when setHostnameAsFQDN is true")
	}
	if c.spec.Get("hostNetwork").True() {
		c.forbidden(child, "may not be specified when hostNetwork is true")
	}
}

// classes checks the names of classes, the preemption policy and the overhead.
func (c *check) classes(path place) {
	c.optionalName("priorityClassName", path, subdomain)
	if class := c.spec.Get("runtimeClassName"); class.Exists() {
		c.each(path.child("runtimeClassName"), class.String(), subdomain(class.String()))
	}
	if policy := c.spec.Get("preemptionPolicy"); policy.Exists() {
		c.oneRequired(policy.String(), path.child("preemptionPolicy"), "PreemptLowerPriority", "Never")
	}
	if overhead := c.spec.Get("overhead"); overhead.Exists() {
		for name, value := range overhead.Fields() {
			c.containerResource(name, value, path.child("overhead.limits").key(name))
		}
	}
}

func (c *check) optionalName(key string, path place, valid func(string) []string) {
	if name := c.spec.Get(key).String(); name != "" {
		c.each(path.child(key), name, valid(name))
	}
}

func (c *check) resourceClaims(path place) {
	for i, claim := range c.spec.Get("resourceClaims").Items() {
		at := path.index(i)
		name := claim.Get("name").String()
		switch {
		case name == "":
			c.required(at.child("name"), "")
		case contains(c.claims, name):
			c.duplicate(at.child("name"), name)
		default:
			c.each(at.child("name"), name, dnsLabel(name))
			c.claims = append(c.claims, name)
		}
		direct, template := claim.Get("resourceClaimName"), claim.Get("resourceClaimTemplateName")
		if direct.Exists() && template.Exists() {
			c.invalid(at, claim.Value(), "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
		}
		if !direct.Exists() && !template.Exists() {
			c.invalid(at, claim.Value(), "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
		}
		if direct.Exists() {
			c.each(at.child("resourceClaimName"), direct.String(), subdomain(direct.String()))
		}
		if template.Exists() {
			c.each(at.child("resourceClaimTemplateName"), template.String(), subdomain(template.String()))
		}
	}
}

func (c *check) pullSecrets(path place) {
	for i, secret := range c.spec.Get("imagePullSecrets").Items() {
		for key := range secret.Fields() {
			if key != "name" {
				c.invalid(path.index(i), secret.Value(), "only name may be set")
				break
			}
		}
	}
}

// tokensNeedAccount is for pods alone.
func (c *check) tokensNeedAccount(path place) {
	if c.spec.Get("serviceAccountName").String() != "" {
		return
	}
	for i, volume := range c.spec.Get("volumes").Items() {
		for j, source := range volume.At("projected", "sources").Items() {
			if source.Has("serviceAccountToken") {
				c.forbidden(path.child("volumes").index(i).child("projected.sources").index(j).child("serviceAccountToken"),
					"must not be specified when serviceAccountName is not set")
			}
		}
	}
}
