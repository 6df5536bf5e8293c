package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// StatusStrategy is for writes of the status by kubelets and schedulers.
type StatusStrategy struct{}

// PrepareForUpdate keeps the spec and the owners, and of the status what a client must not clear.
//
//   - The server keeps the rest of the metadata for every kind; a deletionTimestamp is its to put back.
func (StatusStrategy) PrepareForUpdate(_ *sdk.Context, pod, old *sdk.Object) {
	keep(pod, old, "spec")
	keep(pod, old, "metadata", "ownerReferences")
	if pod.Get("status", "qosClass").String() == "" {
		if class := old.Get("status", "qosClass").String(); class != "" {
			pod.Set(class, "status", "qosClass")
		}
	}
	if pod.Get("status", "observedGeneration").Int() == 0 {
		if seen := old.Get("status", "observedGeneration"); seen.Int() != 0 {
			pod.SetRaw(seen.Raw(), "status", "observedGeneration")
		}
	}
	keepConditionGenerations(pod, old)
}

// keepConditionGenerations keeps the observedGeneration of conditions, type by type in their order.
func keepConditionGenerations(pod, old *sdk.Object) {
	seen := make(map[string][]int64)
	for _, condition := range old.Get("status", "conditions").Items() {
		kind := condition.Get("type").String()
		seen[kind] = append(seen[kind], condition.Get("observedGeneration").Int())
	}
	if len(seen) == 0 {
		return
	}
	for _, condition := range pod.EditEach("status", "conditions") {
		kind := condition.Get("type").String()
		if len(seen[kind]) == 0 {
			continue
		}
		generation := seen[kind][0]
		seen[kind] = seen[kind][1:]
		if generation != 0 && condition.Get("observedGeneration").Int() == 0 {
			condition.Set(generation, "observedGeneration")
		}
	}
}

// ValidateUpdate is Kubernetes' ValidatePodStatusUpdate.
func (StatusStrategy) ValidateUpdate(_ *sdk.Context, pod, old *sdk.Object) field.ErrorList {
	s := statusCheck{spec: specOf(old), status: partOf(pod, "status"), old: partOf(old, "status")}
	s.errs = annotationUpdates(annotationsOf(pod), annotationsOf(old))
	s.conditions(field.NewPath("metadata", "conditions"))
	path := field.NewPath("status")
	s.names(path)
	policy := s.spec.Get("restartPolicy").String()
	s.transitions("containerStatuses", policy, path)
	s.transitions("initContainerStatuses", policy, path)
	s.transitions("ephemeralContainerStatuses", "Never", path)
	s.claims(path.Child("resourceClaimStatuses"))
	s.addresses("podIPs", path.Child("podIPs"))
	s.hostAddresses(path.Child("hostIPs"))
	return s.errs
}

// statusCheck collects what is wrong with a status.
type statusCheck struct {
	errs              field.ErrorList
	spec, status, old tree.Node
}

// conditions checks the types of conditions that are not Kubernetes' own.
func (s *statusCheck) conditions(path *field.Path) {
	for i, condition := range s.status.Get("conditions").Items() {
		switch kind := condition.Get("type").String(); kind {
		case "PodScheduled", "Ready", "Initialized":
		default:
			for _, message := range validate.IsQualifiedName(kind) {
				s.errs = append(s.errs, field.Invalid(path.Index(i).Child("Type"), kind, message))
			}
		}
	}
}

func (s *statusCheck) names(path *field.Path) {
	if name := s.status.Get("nominatedNodeName").String(); name != "" && name != s.old.Get("nominatedNodeName").String() {
		for _, message := range validate.NameIsDNSSubdomain(name, false) {
			s.errs = append(s.errs, field.Invalid(path.Child("nominatedNodeName"), name, message))
		}
	}
	if class := s.status.Get("qosClass"); class.String() != s.old.Get("qosClass").String() {
		s.errs = append(s.errs, field.Invalid(path.Child("qosClass"), class.String(), validate.FieldImmutableErrorMsg))
	}
}

// transitions holds terminated containers that will not be started again.
func (s *statusCheck) transitions(list, policy string, path *field.Path) {
	if policy == "Always" {
		return
	}
	for i, was := range s.old.Get(list).Items() {
		terminated := was.At("state", "terminated")
		name := was.Get("name").String()
		failed := terminated.Get("exitCode").Int() != 0
		if !terminated.Exists() || failed && policy == "OnFailure" || list == "initContainerStatuses" && s.isSidecar(name) || s.mayRestart(list, name) {
			continue
		}
		for _, is := range s.status.Get(list).Items() {
			if is.Get("name").String() == name && !is.At("state", "terminated").Exists() {
				s.errs = append(s.errs, field.Forbidden(path.Child(list).Index(i).Child("state"), "may not be transitioned to non-terminated state"))
			}
		}
	}
}

func (s *statusCheck) isSidecar(name string) bool {
	for _, container := range s.spec.Get("initContainers").Items() {
		if container.Get("name").String() == name {
			return container.Get("restartPolicy").String() == "Always"
		}
	}
	return false
}

// mayRestart tells whether a container has a restart policy of its own that is not Never.
func (s *statusCheck) mayRestart(list, name string) bool {
	if list != "containerStatuses" {
		return false
	}
	for _, container := range s.spec.Get("containers").Items() {
		if container.Get("name").String() == name {
			policy := container.Get("restartPolicy").String()
			return policy != "" && policy != "Never" || !container.Get("restartPolicyRules").Empty()
		}
	}
	return false
}

func (s *statusCheck) claims(path *field.Path) {
	var seen []string
	for i, status := range s.status.Get("resourceClaimStatuses").Items() {
		name := status.Get("name").String()
		known := false
		for _, claim := range s.spec.Get("resourceClaims").Items() {
			known = known || claim.Get("name").String() == name
		}
		if !known {
			s.errs = append(s.errs, field.Invalid(path.Index(i).Child("name"), name, "must match the name of an entry in `spec.resourceClaims`"))
		}
		for _, other := range seen {
			if other == name {
				s.errs = append(s.errs, field.Duplicate(path.Index(i).Child("name"), name))
				break
			}
		}
		seen = append(seen, name)
	}
}

func (s *statusCheck) hostAddresses(path *field.Path) {
	list := s.status.Get("hostIPs")
	if list.Empty() {
		return
	}
	if first := nth(list, 0).Get("ip").String(); first != s.status.Get("hostIP").String() {
		s.errs = append(s.errs, field.Invalid(path.Index(0).Child("ip"), first, "must be equal to `hostIP`"))
	}
	s.addresses("hostIPs", path)
}

// addresses checks a list of at most one IP of each family.
func (s *statusCheck) addresses(key string, path *field.Path) {
	list := s.status.Get(key)
	var seen []string
	families := make(map[int]int)
	for i, address := range list.Items() {
		ip := address.Get("ip").String()
		parsed := podspec.ParseIP(ip)
		families[parsed.Family]++
		if problem := parsed.Problem(); problem != "" && (parsed.Family == 0 || !hasAddress(s.old.Get(key), ip)) {
			s.errs = append(s.errs, field.Invalid(path.Index(i), ip, problem))
		}
		for _, other := range seen {
			if other == ip {
				s.errs = append(s.errs, field.Duplicate(path.Index(i), address.Value()))
				break
			}
		}
		seen = append(seen, ip)
	}
	if families[4] > 1 || families[6] > 1 {
		s.errs = append(s.errs, field.Invalid(path, list.Value(), "may specify no more than one IP for each IP family"))
	}
}

func hasAddress(list tree.Node, ip string) bool {
	for _, address := range list.Items() {
		if address.Get("ip").String() == ip {
			return true
		}
	}
	return false
}

// WarningsOnUpdate tells of addresses in unusual forms.
func (StatusStrategy) WarningsOnUpdate(_ *sdk.Context, pod, _ *sdk.Object) (warnings []string) {
	for _, key := range []string{"podIPs", "hostIPs"} {
		for i, address := range pod.Get("status", key).Items() {
			ip := address.Get("ip").String()
			if warning := podspec.ParseIP(ip).Warning(ip); warning != "" {
				warnings = append(warnings, field.NewPath("status", key).Index(i).Child("ip").String()+": "+warning)
			}
		}
	}
	return warnings
}

var (
	_ sdk.UpdateWarner    = StatusStrategy{}
	_ sdk.UpdatePreparer  = StatusStrategy{}
	_ sdk.UpdateValidator = StatusStrategy{}
)
