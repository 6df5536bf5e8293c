package main

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// BindingStrategy assigns a pod to a node, once. The generation stays: a binding is no change of what is wanted.
type BindingStrategy struct{}

// CreateSubresource takes a Binding.
func (BindingStrategy) CreateSubresource(ctx *sdk.Context, pod, binding *sdk.Object) (string, error) {
	if errs := validateBinding(binding); len(errs) > 0 {
		return "", sdk.Invalid(errs)
	}
	name := pod.Name()
	switch assigned := pod.Get("spec", "nodeName").String(); {
	case binding.UID() != "" && binding.UID() != pod.UID():
		return "", sdk.Conflict("Precondition failed: UID in precondition: " + binding.UID() + ", UID in object meta: " + pod.UID())
	case binding.ResourceVersion() != "" && pod.ResourceVersion() != "" && binding.ResourceVersion() != pod.ResourceVersion():
		return "", sdk.Conflict("Precondition failed: ResourceVersion in precondition: " + binding.ResourceVersion() + ", ResourceVersion in object meta: " + pod.ResourceVersion())
	case pod.BeingDeleted():
		return "", sdk.Conflict("pod " + name + " is being deleted, cannot be assigned to a host")
	case assigned != "":
		return "", sdk.Conflict("pod " + name + " is already assigned to node " + strconv.Quote(assigned))
	case pod.Get("spec", "schedulingGates").Len() > 0:
		return "", sdk.Conflict("pod " + name + " has non-empty .spec.schedulingGates")
	}
	pod.Set(binding.Get("target", "name").String(), "spec", "nodeName")
	pod.Delete("status", "nominatedNodeName")
	for _, part := range []string{"annotations", "labels"} {
		for key, value := range binding.Get("metadata", part).Fields() {
			pod.Set(value, "metadata", part, key)
		}
	}
	markScheduled(pod, ctx.Time)
	return "", nil
}

func validateBinding(binding *sdk.Object) (errs field.ErrorList) {
	target := field.NewPath("target")
	if kind := binding.Get("target", "kind").String(); kind != "" && kind != "Node" {
		errs = append(errs, field.NotSupported(target.Child("kind"), kind, []string{"Node", "<empty>"}))
	}
	if binding.Get("target", "name").String() == "" {
		errs = append(errs, field.Required(target.Child("name"), ""))
	}
	return errs
}

// markScheduled sets the condition PodScheduled to True at a time.
func markScheduled(pod *sdk.Object, now string) {
	condition := map[string]any{"type": "PodScheduled", "status": "True", "lastProbeTime": nil, "lastTransitionTime": now}
	if generation := pod.Get("status", "observedGeneration").Int(); generation != 0 {
		condition["observedGeneration"] = generation
	}
	index := -1
	for i, c := range pod.Get("status", "conditions").Items() {
		if c.Get("type").String() == "PodScheduled" {
			index = i
			if c.Get("status").String() == "True" {
				condition["lastTransitionTime"] = c.Get("lastTransitionTime")
			}
			break
		}
	}
	if index < 0 {
		pod.Append(condition, "status", "conditions")
		return
	}
	pod.Set(condition, "status", "conditions", strconv.Itoa(index))
}

var _ sdk.SubresourceCreator = BindingStrategy{}
