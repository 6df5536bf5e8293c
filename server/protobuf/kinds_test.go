package protobuf

import (
	"go/build"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// notServed are the packages of k8s.io/api that are protocols of their own, not resources.
var notServed = []string{"admission/v1", "admission/v1beta1", "apidiscovery/v2", "apidiscovery/v2beta1", "imagepolicy/v1alpha1"}

// TestEveryGroupIsRegistered fails when an upgrade of k8s.io/api brings a group version that kinds.go lacks.
func TestEveryGroupIsRegistered(t *testing.T) {
	types, err := filepath.Glob(filepath.Join(apiModule(t), "*", "v*", "register.go"))
	if err != nil || len(types) == 0 {
		t.Fatalf("no packages of k8s.io/api: %v", err)
	}
	registered := map[string]bool{}
	scheme, err := scheme()
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range scheme.AllKnownTypes() {
		registered[strings.TrimPrefix(known.PkgPath(), "k8s.io/api/")] = true
	}
	for _, file := range types {
		version := filepath.Dir(file)
		name := filepath.Base(filepath.Dir(version)) + "/" + filepath.Base(version)
		if !registered[name] && !slices.Contains(notServed, name) {
			t.Errorf("k8s.io/api/%s is not in groups", name)
		}
	}
}

func TestOptionsBelongToEveryGroup(t *testing.T) {
	for _, gv := range []schema.GroupVersion{{Version: "v1"}, {Group: "meta.k8s.io", Version: "v1"}, {Group: "policy", Version: "v1"}, {Group: "example.com", Version: "v2alpha1"}} {
		obj, err := newObject(gv.WithKind("DeleteOptions"))
		if err != nil {
			t.Errorf("%s: %v", gv, err)
		} else if _, ok := obj.(*metav1.DeleteOptions); !ok {
			t.Errorf("%s: %T", gv, obj)
		}
	}
}

// apiModule is the folder of the module k8s.io/api.
func apiModule(t *testing.T) string {
	t.Helper()
	pkg, err := build.Default.Import("k8s.io/api/core/v1", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(filepath.Dir(pkg.Dir))
}
