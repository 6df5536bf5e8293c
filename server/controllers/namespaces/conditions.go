package namespaces

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// condition is one of a namespace's conditions.
type condition struct {
	kind    string
	status  bool
	reason  string
	message string
}

// conditions are what the namespace tells of its deletion, in Kubernetes' words.
func (f *content) conditions() []condition {
	conditions := []condition{
		{"NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered", "All resources successfully discovered"},
		{"NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions", "All legacy kube types successfully parsed"},
		{"NamespaceDeletionContentFailure", false, "ContentDeleted", "All content successfully deleted, may be waiting on finalization"},
		{"NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed"},
		{"NamespaceFinalizersRemaining", false, "ContentRemoved", "All content successfully removed"},
	}
	set := func(i int, reason, format string, args ...any) {
		conditions[i].status, conditions[i].reason, conditions[i].message = true, reason, fmt.Sprintf(format, args...)
	}
	if f.undiscovered != nil {
		set(0, "DiscoveryFailed", "%v", f.undiscovered)
	}
	if n := len(f.failures); n > 0 {
		texts := make([]string, n)
		for i, err := range f.failures {
			texts[i] = err.Error()
		}
		slices.Sort(texts)
		set(2, "ContentDeletionFailed", "Failed to delete all resource types, %d remaining: %v", n, strings.Join(texts, ", "))
	}
	if len(f.remaining) > 0 {
		var texts []string
		for gr, n := range f.remaining {
			texts = append(texts, fmt.Sprintf("%s.%s has %d resource instances", gr.Resource, gr.Group, n))
		}
		slices.Sort(texts)
		set(3, "SomeResourcesRemain", "Some resources are remaining: %s", strings.Join(texts, ", "))
	}
	if len(f.finalizers) > 0 {
		var texts []string
		for _, name := range slices.Sorted(maps.Keys(f.finalizers)) {
			texts = append(texts, fmt.Sprintf("%s in %d resource instances", name, f.finalizers[name]))
		}
		set(4, "SomeFinalizersRemain", "Some finalizers are remaining: %s", strings.Join(texts, ", "))
	}
	return conditions
}
