package schema

import (
	"bytes"
	"testing"
)

func BenchmarkDecode(b *testing.B) {
	benchmark(b, func(s *Schema, obj []byte) bool {
		decoded, err := s.Decode(obj)
		return err == nil && len(decoded.Unknown) == 0
	})
}

func BenchmarkDecodePruning(b *testing.B) {
	s, obj := bundled(b, "deployments", "io.k8s.api.apps.v1.Deployment"), deploymentObject(b)
	obj = bytes.Replace(obj, []byte(`"imagePullPolicy"`), []byte(`"imagePullPolice"`), 1)
	b.SetBytes(int64(len(obj)))
	b.ReportAllocs()
	for b.Loop() {
		if decoded, err := s.Decode(obj); err != nil || len(decoded.Unknown) != 1 {
			b.Fatal(decoded.Unknown, err)
		}
	}
}

func BenchmarkDefault(b *testing.B) {
	benchmark(b, func(s *Schema, obj []byte) bool {
		_, err := s.Default(obj)
		return err == nil
	})
}

func BenchmarkValidate(b *testing.B) {
	benchmark(b, func(s *Schema, obj []byte) bool { return len(s.Validate(obj)) == 0 })
}

// benchmark runs on a Deployment of 3 kB that needs no change.
func benchmark(b *testing.B, run func(*Schema, []byte) bool) {
	s, obj := bundled(b, "deployments", "io.k8s.api.apps.v1.Deployment"), deploymentObject(b)
	b.SetBytes(int64(len(obj)))
	b.ReportAllocs()
	for b.Loop() {
		if !run(s, obj) {
			b.Fatal("the object is not good")
		}
	}
}

// What needs no change costs no allocation.
func TestNothingToDoAllocatesNothing(t *testing.T) {
	obj := deploymentObject(t)
	for name, s := range map[string]*Schema{"small": deployment(t), "bundled": bundled(t, "deployments", "io.k8s.api.apps.v1.Deployment")} {
		defaulted, err := s.Default(obj)
		if err != nil {
			t.Fatal(err)
		}
		allocs := testing.AllocsPerRun(100, func() {
			decoded, err := s.Decode(defaulted)
			if err != nil || &decoded.Object[0] != &defaulted[0] {
				t.Error("Decode made a copy", err)
			}
			if out, err := s.Default(defaulted); err != nil || &out[0] != &defaulted[0] {
				t.Error("Default made a copy", err)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
