package e2e

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// nested is a text in an object, "" where there is none.
func nested(obj *unstructured.Unstructured, fields ...string) string {
	text, _, _ := unstructured.NestedString(obj.Object, fields...)
	return text
}

// told is one of an object's conditions.
type told struct{ status, reason, message string }

func conditionOf(obj *unstructured.Unstructured, kind string) told {
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == kind {
			text := func(key string) string { s, _ := c[key].(string); return s }
			return told{text("status"), text("reason"), text("message")}
		}
	}
	return told{}
}

var triedModule struct {
	once sync.Once
	file string
}

// tried is a module of the Deployments' plugin that does what the annotation "try" of an object says.
func tried(t *testing.T) string {
	t.Helper()
	triedModule.once.Do(func() {
		wasm, err := os.ReadFile(buildOver(t, "deployments", "a_tried.go", "tried.go"))
		must(t, err)
		triedModule.file = filepath.Join(bin.dir, "tried.wasm")
		must(t, os.WriteFile(triedModule.file, wasm, 0o600))
	})
	if triedModule.file == "" {
		t.Fatal("the module could not be built")
	}
	return triedModule.file
}

// trying is a Deployment with the annotation "try".
func trying(name, what string) *appsv1.Deployment {
	d := newDeployment(name)
	if what != "" {
		d.Annotations = map[string]string{"try": what}
	}
	return d
}

// run runs the command, which must succeed.
func (s *server) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := s.stratagem(t, args...)
	if err != nil {
		t.Fatalf("stratagem %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// plugin is the StrategyPlugin of the Deployments.
func (s *server) plugin(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	obj, err := s.dynamic(t).Resource(plugins).Get(within(t), "deployments", metav1.GetOptions{})
	must(t, err)
	return obj
}

// counted is one of the counts of the trial.
func counted(obj *unstructured.Unstructured, name string) int64 {
	n, _, _ := unstructured.NestedInt64(obj.Object, "status", "rollout", "counts", name)
	return n
}

// stateOf is the state of a revision.
func stateOf(obj *unstructured.Unstructured, revision int64) string {
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "revisions")
	for _, item := range list {
		if r, ok := item.(map[string]any); ok && r["revision"] == revision {
			state, _ := r["state"].(string)
			return state
		}
	}
	return ""
}

// inCanary tells what README and API say of a canary: which Deployments are in so many percent.
func inCanary(namespace, name string, percent uint64) bool {
	sum := sha256.Sum256([]byte("deployments.apps/" + namespace + "/" + name))
	return binary.BigEndian.Uint64(sum[:8])%100 < percent
}

// answeredBy is what a canary at so many percent leaves on a Deployment that is to be stamped.
func answeredBy(namespace, name string, percent uint64) string {
	if inCanary(namespace, name, percent) {
		return "2"
	}
	return ""
}
