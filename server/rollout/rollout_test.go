package rollout

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

var widgets = schema.GroupResource{Group: "example.com", Resource: "widgets"}

func percent(n int32) *int32 { return &n }

func canary(t *testing.T, spec Spec) *Trial {
	t.Helper()
	spec.Revision, spec.Mode = 2, Canary
	if errs := spec.Validate(field.NewPath("spec", "rollout")); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	trial, err := NewTrial(spec)
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

func none(string) labels.Set { return nil }

// What is chosen at a percentage is chosen at all higher ones, and about as much as was asked for.
func TestChooses(t *testing.T) {
	few, many, all := canary(t, Spec{Percent: percent(10)}), canary(t, Spec{Percent: percent(60)}), canary(t, Spec{Percent: percent(100)})
	chosen := 0
	for i := range 2000 {
		name := fmt.Sprintf("w-%d", i)
		if few.Chooses(widgets, "default", name, none) {
			chosen++
			if !many.Chooses(widgets, "default", name, none) {
				t.Errorf("%s is in 10%% and not in 60%%", name)
			}
		}
		if !all.Chooses(widgets, "default", name, none) {
			t.Errorf("%s is not in 100%%", name)
		}
	}
	if chosen < 120 || chosen > 280 {
		t.Errorf("%d of 2000 were chosen at 10%%", chosen)
	}
	selected := canary(t, Spec{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "test"}}})
	labelsOf := func(namespace string) labels.Set { return labels.Set{"env": namespace} }
	for namespace, want := range map[string]bool{"test": true, "prod": false, "": false} {
		if got := selected.Chooses(widgets, namespace, "a", labelsOf); got != want {
			t.Errorf("namespace %q: %v", namespace, got)
		}
	}
}

// A canary ends when of the last requests too many failed: not before there were enough, once, and not for refusals.
func TestBreach(t *testing.T) {
	trap := &engine.HookError{Plugin: "p", Kind: engine.FailedTrap, Err: errors.New("unreachable")}
	refusal := &engine.InvalidError{}
	trial := canary(t, Spec{Percent: percent(50), MinRequests: percent(4), MaxErrorPercent: percent(25)})
	for i, step := range []struct {
		err    error
		breach bool
	}{{trap, false}, {refusal, false}, {nil, false}, {nil, false}, {nil, false}, {trap, false}, {errors.New("etcd is away"), false}, {trap, true}, {trap, false}} {
		if got := trial.Answered(step.err, time.Millisecond); (got != "") != step.breach {
			t.Errorf("request %d: %q", i, got)
		}
	}
	counts, _, fresh := trial.Report()
	if !fresh || counts.Requests != 8 || counts.Failed != 4 || counts.Failures["trap"] != 4 || counts.Rejected != 1 {
		t.Errorf("%v %+v", fresh, counts)
	}
	if _, _, fresh := trial.Report(); fresh {
		t.Error("a second report is fresh")
	}
	tolerant := canary(t, Spec{Percent: percent(50), MinRequests: percent(1), MaxErrorPercent: percent(100)})
	if got := tolerant.Answered(trap, 0); got != "" {
		t.Errorf("100%% may fail: %s", got)
	}
}

func job(resource string) *Job {
	info := &engine.RequestInfo{Verb: "create", Resource: resource, Namespace: "default", Time: time.Now()}
	store := engine.NewStore(&engine.Resource{Plural: resource, Namespaced: true, Versions: []engine.Version{{Name: "v1", Storage: true}}}, nil, engine.Options{})
	return &Job{Info: info, Twins: NewTwins(store, store.Resource), Create: &engine.CreateRequest{Object: engine.Object(`{"metadata":{"name":"a"}}`)}}
}

// A sample shows a difference, bounded; of Secrets not what is in them.
func TestSample(t *testing.T) {
	before := engine.Object(`{"data":{"password":"hunter1"},"metadata":{"name":"a","uid":"1"}}`)
	after := engine.Object(`{"data":{"long":"` + strings.Repeat("x", 1000) + `","password":"hunter2"},"metadata":{"name":"a","uid":"2"}}`)
	rejected := &engine.InvalidError{Errors: field.ErrorList{field.Invalid(field.NewPath("data", "password"), "hunter2", "hunter2 is too weak\x1b[31m")}}
	for resource, secret := range map[string]bool{"secrets": true, "configs": false} {
		j := job(resource)
		d := compare(j, outcome{verdict: Taken, object: before}, outcome{verdict: Taken, object: after})
		if d.Kind != DifferentObjects {
			t.Fatalf("%s", d.Kind)
		}
		changed := d.sample()
		d = compare(j, outcome{verdict: Taken, object: before}, outcome{verdict: Rejected, err: rejected})
		refused := d.sample()
		text := fmt.Sprintf("%+v %+v", changed, refused)
		for _, op := range changed.Patch {
			text += " " + op.Path + " " + string(op.Value)
		}
		if strings.Contains(text, "hunter") == secret {
			t.Errorf("%s: %s", resource, text)
		}
		if !strings.Contains(text, "/data/password") || !strings.Contains(strings.Join(refused.Candidate, ""), "data.password: Invalid value") {
			t.Errorf("%s: not told what is concerned: %s", resource, text)
		}
		if strings.Contains(text, "xxx") || strings.Contains(text, "\x1b") || strings.Contains(text, "uid") {
			t.Errorf("%s: too much is shown: %s", resource, text)
		}
	}
}

// Samples of one kind do not take the place of all others.
func TestMerge(t *testing.T) {
	var samples []Sample
	for i := range 50 {
		for _, kind := range []Kind{NewlyFailed, NewlyRejected, NewlyTaken, DifferentErrors, DifferentObjects} {
			samples = Merge(samples, []Sample{{Kind: kind, Name: fmt.Sprint(i)}, {Kind: kind, Name: fmt.Sprint(i)}})
		}
	}
	seen := map[Kind]int{}
	for _, s := range samples {
		seen[s.Kind]++
	}
	if len(samples) != MaxSamples || len(seen) != 5 {
		t.Errorf("%d samples: %v", len(samples), seen)
	}
}

// A queue that nobody works on takes what it can hold, and drops and counts the rest at once.
func TestReplayerDrops(t *testing.T) {
	trial, err := NewTrial(Spec{Revision: 2, Mode: Shadow})
	if err != nil {
		t.Fatal(err)
	}
	r := NewReplayer(slog.New(slog.DiscardHandler))
	for range maxJobs + 10 {
		r.Add(&Job{Trial: trial, Bytes: 1})
	}
	r.Add(&Job{Trial: trial, Bytes: maxJobBytes})
	if counts, _, _ := trial.Report(); counts.Dropped != 11 {
		t.Errorf("%d were dropped", counts.Dropped)
	}
	if got := r.bytes.Load(); got != maxJobs {
		t.Errorf("%d bytes are held", got)
	}
}

// The differences are told from what both revisions came to.
func TestCompare(t *testing.T) {
	obj := func(text string) engine.Object {
		return engine.Object(`{"metadata":{"name":"a"},"spec":"` + text + `"}`)
	}
	taken := func(text string, warnings ...string) outcome {
		return outcome{verdict: Taken, object: obj(text), warnings: warnings}
	}
	rejected := func(text string) outcome { return outcome{verdict: Rejected, err: errors.New(text)} }
	failed := outcome{verdict: Failed, failure: engine.FailedTrap, err: errors.New("trap")}
	for i, c := range []struct {
		active, candidate outcome
		want              Kind
	}{
		{taken("a"), taken("a"), ""}, {taken("a"), taken("b"), DifferentObjects}, {taken("a", "w"), taken("a"), DifferentWarnings},
		{taken("a"), rejected("no"), NewlyRejected}, {rejected("no"), taken("a"), NewlyTaken}, {rejected("no"), rejected("no"), ""},
		{rejected("no"), rejected("never"), DifferentErrors}, {taken("a"), failed, NewlyFailed}, {failed, failed, ""}, {failed, taken("a"), NewlyTaken},
	} {
		if got := compare(job("widgets"), c.active, c.candidate).Kind; got != c.want {
			t.Errorf("case %d: %q, want %q", i, got, c.want)
		}
	}
}
