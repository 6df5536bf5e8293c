package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// groups are the API groups whose kinds can be asked for.
var groups = runtime.SchemeBuilder{
	appsv1.AddToScheme,
	appsv1beta1.AddToScheme,
	autoscalingv1.AddToScheme,
	coordinationv1.AddToScheme,
	corev1.AddToScheme,
	eventsv1.AddToScheme,
	policyv1.AddToScheme,
}

// Kinds are the kinds of one document: those that were asked for, and the names that other types
// have as kinds of the same group versions.
type Kinds struct {
	Roots []reflect.Type
	names map[reflect.Type][]schema.GroupVersionKind
}

// ParseKinds reads names like v1/Pod and apps/v1/Deployment.
func ParseKinds(args []string) (*Kinds, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("no kind is named")
	}
	scheme := runtime.NewScheme()
	if err := groups.AddToScheme(scheme); err != nil {
		return nil, err
	}
	kinds := &Kinds{names: map[reflect.Type][]schema.GroupVersionKind{}}
	versions := map[schema.GroupVersion]bool{}
	for _, arg := range args {
		gvk, err := parseKind(arg)
		if err != nil {
			return nil, err
		}
		root, known := scheme.AllKnownTypes()[gvk]
		if !known {
			return nil, fmt.Errorf("kind %s is not one that schemagen knows: see groups in kinds.go", arg)
		}
		kinds.Roots = append(kinds.Roots, root)
		versions[gvk.GroupVersion()] = true
	}
	for gvk, t := range scheme.AllKnownTypes() {
		if versions[gvk.GroupVersion()] {
			kinds.names[t] = append(kinds.names[t], gvk)
		}
	}
	return kinds, nil
}

// Names are the kinds that t is served as, sorted, in the form of x-kubernetes-group-version-kind.
func (k *Kinds) Names(t reflect.Type) []any {
	gvks := k.names[t]
	sort.Slice(gvks, func(i, j int) bool { return gvks[i].String() < gvks[j].String() })
	var names []any
	for _, gvk := range gvks {
		names = append(names, map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind})
	}
	return names
}

func parseKind(arg string) (schema.GroupVersionKind, error) {
	slash := strings.LastIndexByte(arg, '/')
	if slash < 0 {
		return schema.GroupVersionKind{}, fmt.Errorf("%q is not APIVERSION/KIND", arg)
	}
	gv, err := schema.ParseGroupVersion(arg[:slash])
	if err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("%q: %w", arg, err)
	}
	return gv.WithKind(arg[slash+1:]), nil
}
