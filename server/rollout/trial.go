package rollout

import (
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Trial is a Spec in force on one server. It is safe for concurrent use.
type Trial struct {
	Spec     Spec
	selector labels.Selector // nil selects all

	mu      sync.Mutex
	ended   bool
	counts  Counts
	window  *window
	samples []Sample
	changed bool // since the last report
}

// NewTrial puts a valid Spec in force.
func NewTrial(spec Spec) (*Trial, error) {
	t := &Trial{Spec: spec}
	if spec.NamespaceSelector != nil {
		selector, err := metav1.LabelSelectorAsSelector(spec.NamespaceSelector)
		if err != nil {
			return nil, fmt.Errorf("namespaceSelector: %w", err)
		}
		t.selector = selector
	}
	if spec.Mode == Canary {
		t.window = newWindow(valueOr(spec.MinRequests, DefaultMinRequests))
	}
	return t, nil
}

// Answered notes what came of a request that the canary has answered. It returns why the canary has to end, "" while it has
// not: once, and not again.
func (t *Trial) Answered(err error, took time.Duration) (breach string) {
	verdict, failure := VerdictOf(err)
	if verdict == Undone {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.answered(verdict, failure, took)
	t.changed = true
	if t.window == nil || t.ended {
		return ""
	}
	t.window.add(verdict == Failed)
	most := valueOr(t.Spec.MaxErrorPercent, DefaultMaxErrorPercent)
	if !t.window.exceeds(most) {
		return ""
	}
	t.ended = true
	return fmt.Sprintf("%d of the last %d requests that it answered on one server failed, at most %d%% may; the last: %s",
		t.window.failures, t.window.seen, most, cut(errorText(err), maxText))
}

func errorText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

// Passed notes a request that the active revision answered beside the canary.
func (t *Trial) Passed(took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.ActiveMicroseconds += took.Microseconds()
	t.counts.ActiveRequests++
}

// End stops the trial: what is queued for it is not run any more.
func (t *Trial) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}

func (t *Trial) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// drop counts a request that no shadow is run of.
func (t *Trial) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Dropped++
	t.changed = true
}

// compared notes what a shadow came to.
func (t *Trial) compared(d Difference) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.add(d)
	t.changed = true
	if d.Kind != "" && wants(t.samples, d.Kind) {
		t.samples = append(t.samples, d.sample())
	}
}

// Report is what the trial has counted on this server, and samples of what it has seen. fresh is false where nothing has been added
// since the report before; Unreported takes that back.
func (t *Trial) Report() (counts Counts, samples []Sample, fresh bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh, t.changed = t.changed, false
	return t.counts.clone(), append([]Sample(nil), t.samples...), fresh
}

// Unreported has the next Report be fresh.
func (t *Trial) Unreported() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed = true
}
