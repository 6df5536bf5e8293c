package crd

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/stratagem-dev/stratagem/engine"
)

// standardFinalizers need no domain in front.
var standardFinalizers = []string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, "kubernetes"}

// finalizerWarnings warns of new finalizers that could be another writer's too.
func finalizerWarnings(obj, old engine.Object) (warnings []string) {
	added := finalizersOf(obj)
	if len(added) == 0 {
		return nil
	}
	for _, name := range sets.List(added.Difference(finalizersOf(old))) {
		for _, msg := range validation.IsQualifiedName(name) {
			warnings = append(warnings, fmt.Sprintf("metadata.finalizers: %q: %s", name, msg))
		}
		if strings.Contains(name, "/") || slices.Contains(standardFinalizers, name) {
			continue
		}
		advice := "prefer a domain-qualified finalizer name"
		if strings.Contains(name, ".") {
			advice += " including a path (/)"
		}
		warnings = append(warnings, fmt.Sprintf("metadata.finalizers: %q: %s to avoid accidental conflicts with other finalizer writers", name, advice))
	}
	return warnings
}

func finalizersOf(obj engine.Object) sets.Set[string] {
	names := sets.New[string]()
	for _, f := range obj.Get("metadata", "finalizers").Array() {
		names.Insert(f.String())
	}
	return names
}
