package podspec

import (
	"math"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// Validate tells what is wrong with the metadata and spec of a pod.
func Validate(metadata, spec tree.Node) field.ErrorList {
	c := newCheck(spec, true)
	c.name = metadata.Get("name").String()
	annotations := metadata.Get("annotations")
	path := field.NewPath("spec")
	c.annotations(annotations, field.NewPath("metadata", "annotations"))
	c.podSpec(path)
	c.tokensNeedAccount(path)
	for _, list := range []string{"containers", "initContainers"} {
		for i, container := range spec.Get(list).Items() {
			c.trimmedImage(container, path.Child(list).Index(i))
		}
	}
	return c.errs
}

// ValidateTemplate tells what is wrong with a pod template. Errors in its labels and annotations leave
// metadata out of the path, as in Kubernetes.
func ValidateTemplate(template tree.Node, path *field.Path) field.ErrorList {
	c := newCheck(template.Get("spec"), false)
	annotations := template.At("metadata", "annotations")
	c.errs = append(c.errs, validate.Labels(template.At("metadata", "labels").StringMap(), path.Child("labels"))...)
	c.errs = append(c.errs, validate.Annotations(annotations.StringMap(), path.Child("annotations"))...)
	c.annotations(annotations, path.Child("annotations"))
	c.podSpec(path.Child("spec"))
	c.annotationsAgainstFields(annotations, path.Child("spec"))
	if !c.spec.Get("ephemeralContainers").Empty() {
		c.forbidden(path.Child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template")
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
func (c *check) podSpec(path *field.Path) {
	spec := c.spec
	if !c.grace.Exists() {
		c.required(path.Child("terminationGracePeriodSeconds"), "")
	}
	c.volumeList(path.Child("volumes"))
	c.resourceClaims(path.Child("resourceClaims"))
	c.containers(path.Child("containers"))
	c.initContainers(path.Child("initContainers"))
	c.ephemeralContainers(path.Child("ephemeralContainers"))
	c.podResources(path)
	c.hostNetworkPorts(path.Child("containers"))
	c.oneRequired(c.restart, path.Child("restartPolicy"), "Always", "OnFailure", "Never")
	c.oneRequired(spec.Get("dnsPolicy").String(), path.Child("dnsPolicy"), "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
	if selector := spec.Get("nodeSelector"); !selector.Empty() {
		c.errs = append(c.errs, validate.Labels(selector.StringMap(), path.Child("nodeSelector"))...)
	}
	c.podSecurity(path)
	c.pullSecrets(path.Child("imagePullSecrets"))
	c.affinity(path.Child("affinity"))
	c.dnsConfig(path.Child("dnsConfig"))
	c.readinessGates(path.Child("readinessGates"))
	c.schedulingGates(path.Child("schedulingGates"))
	c.spreadConstraints(path.Child("topologySpreadConstraints"))
	c.hostUsersRules(path)
	c.names(path)
	c.tolerations(path.Child("tolerations"))
	c.hostAliases(path.Child("hostAliases"))
	c.classes(path)
	c.operatingSystem(path)
}

// names checks what the spec names, and the deadline between them.
func (c *check) names(path *field.Path) {
	c.optionalName("serviceAccountName", path, subdomain)
	c.optionalName("nodeName", path, subdomain)
	if deadline := c.spec.Get("activeDeadlineSeconds"); deadline.Exists() {
		if n := deadline.Int(); n < 1 || n > math.MaxInt32 {
			c.invalid(path.Child("activeDeadlineSeconds"), deadline.Value(), validate.InclusiveRangeError(1, math.MaxInt32))
		}
	}
	c.optionalName("hostname", path, validate.IsDNS1123Label)
	c.optionalName("subdomain", path, validate.IsDNS1123Label)
	c.hostnameOverride(path)
}

// hostnameOverride excludes other ways to name the host.
func (c *check) hostnameOverride(path *field.Path) {
	override := c.spec.Get("hostnameOverride")
	if !override.Exists() {
		return
	}
	child := path.Child("hostnameOverride")
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
func (c *check) classes(path *field.Path) {
	c.optionalName("priorityClassName", path, subdomain)
	if class := c.spec.Get("runtimeClassName"); class.Exists() {
		c.each(path.Child("runtimeClassName"), class.String(), subdomain(class.String()))
	}
	if policy := c.spec.Get("preemptionPolicy"); policy.Exists() {
		c.oneRequired(policy.String(), path.Child("preemptionPolicy"), "PreemptLowerPriority", "Never")
	}
	if overhead := c.spec.Get("overhead"); overhead.Exists() {
		for name, value := range overhead.Fields() {
			c.containerResource(name, value, path.Child("overhead", "limits").Key(name))
		}
	}
}

func (c *check) optionalName(key string, path *field.Path, valid func(string) []string) {
	if name := c.spec.Get(key).String(); name != "" {
		c.each(path.Child(key), name, valid(name))
	}
}

func subdomain(name string) []string { return validate.NameIsDNSSubdomain(name, false) }

func (c *check) resourceClaims(path *field.Path) {
	for i, claim := range c.spec.Get("resourceClaims").Items() {
		at := path.Index(i)
		name := claim.Get("name").String()
		switch {
		case name == "":
			c.required(at.Child("name"), "")
		case contains(c.claims, name):
			c.duplicate(at.Child("name"), name)
		default:
			c.each(at.Child("name"), name, validate.IsDNS1123Label(name))
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
			c.each(at.Child("resourceClaimName"), direct.String(), subdomain(direct.String()))
		}
		if template.Exists() {
			c.each(at.Child("resourceClaimTemplateName"), template.String(), subdomain(template.String()))
		}
	}
}

func (c *check) pullSecrets(path *field.Path) {
	for i, secret := range c.spec.Get("imagePullSecrets").Items() {
		for key := range secret.Fields() {
			if key != "name" {
				c.invalid(path.Index(i), secret.Value(), "only name may be set")
				break
			}
		}
	}
}

// tokensNeedAccount is for pods alone.
func (c *check) tokensNeedAccount(path *field.Path) {
	if c.spec.Get("serviceAccountName").String() != "" {
		return
	}
	for i, volume := range c.spec.Get("volumes").Items() {
		for j, source := range volume.At("projected", "sources").Items() {
			if source.Has("serviceAccountToken") {
				c.forbidden(path.Child("volumes").Index(i).Child("projected", "sources").Index(j).Child("serviceAccountToken"),
					"must not be specified when serviceAccountName is not set")
			}
		}
	}
}
