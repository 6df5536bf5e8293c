package main

import "github.com/stratagem-dev/stratagem/sdk"

// EvictionStrategy agrees to the deletion that an Eviction asks for. There are no PodDisruptionBudgets here
// that could object; the preconditions in its deleteOptions are the server's to check.
type EvictionStrategy struct{}

// CreateSubresource takes an Eviction.
func (EvictionStrategy) CreateSubresource(_ *sdk.Context, pod, eviction *sdk.Object) (string, error) {
	if name := eviction.Name(); name != "" && name != pod.Name() {
		return "", sdk.BadRequest("name in URL does not match name in Eviction object")
	}
	return "", nil
}

var _ sdk.SubresourceCreator = EvictionStrategy{}
