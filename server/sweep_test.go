package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// depot is a storage with modules in it.
type depot struct {
	modules
	t   *testing.T
	ctx context.Context
}

func newDepot(t *testing.T) *depot {
	t.Helper()
	db, err := etcd.Start(etcd.EmbedConfig{DataDir: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &depot{modules{db.Storage("/registry")}, t, t.Context()}
}

// store stores a module and returns its digest.
func (d *depot) store(content byte) string {
	d.t.Helper()
	wasm := bytes.Repeat([]byte{content}, 100)
	if err := d.put(d.ctx, wasm); err != nil {
		d.t.Fatal(err)
	}
	return host.Digest(wasm)
}

func (d *depot) write(key string, value any) {
	d.t.Helper()
	raw, err := json.Marshal(value)
	if err == nil {
		_, err = d.storage.Create(d.ctx, key, raw, engine.WriteOptions{})
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *depot) sweepAt(after time.Duration) {
	d.t.Helper()
	if err := d.modules.sweep(d.ctx, time.Now().Add(after)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *depot) has(digest string) bool {
	_, err := d.get(d.ctx, digest)
	return err == nil
}

// A module is swept when nothing has named it for an hour: no StrategyPlugin, no activation, no trial.
func TestSweep(t *testing.T) {
	d := newDepot(t)
	active, tried, inHistory, forgotten := d.store(1), d.store(2), d.store(3), d.store(4)
	d.write(activationsRoot+"p", activation{Revision: 1, Digest: active, Trial: &activeTrial{Spec: rollout.Spec{Revision: 2, Mode: rollout.Shadow}, Digest: tried}})
	d.write(pluginsRoot+"p", strategyPlugin{Metadata: []byte(`{"name":"p"}`), Status: pluginStatus{Revisions: []pluginRevision{{Revision: 3, Digest: "sha256:" + inHistory}}}})
	d.sweepAt(0)
	d.sweepAt(sweepAfter - time.Minute)
	if !d.has(forgotten) {
		t.Error("a module was swept within the hour")
	}
	d.sweepAt(sweepAfter + time.Minute)
	for name, digest := range map[string]string{"active": active, "tried": tried, "in the history": inHistory} {
		if !d.has(digest) {
			t.Errorf("the module that is %s was swept", name)
		}
	}
	if d.has(forgotten) {
		t.Error("a module that nothing names is still there")
	}
	left, err := d.storage.List(d.ctx, marksRoot, engine.ListOptions{})
	if err != nil || len(left.Items) != 0 {
		t.Errorf("marks are left: %v %v", left.Items, err)
	}
	if again := d.store(4); !d.has(again) {
		t.Error("what was swept cannot be stored again")
	}
}

// meddler does something before the first deletion that goes through it.
type meddler struct {
	engine.Storage
	before func()
}

func (m *meddler) Delete(ctx context.Context, key string, revision int64, options engine.WriteOptions) (int64, error) {
	if m.before != nil {
		before := m.before
		m.before = nil
		before()
	}
	return m.Storage.Delete(ctx, key, revision, options)
}

// A module that is pushed again while a sweep is about to take it away stays.
func TestSweepDuringPush(t *testing.T) {
	d := newDepot(t)
	digest := d.store(1)
	meddling := &meddler{Storage: d.storage, before: func() { d.store(1) }}
	if err := (modules{meddling}).sweep(d.ctx, time.Now().Add(2*sweepAfter)); err != nil {
		t.Fatal(err)
	}
	if meddling.before != nil {
		t.Fatal("nothing was to be swept")
	}
	if !d.has(digest) {
		t.Error("the module was taken away from under the push")
	}
}

// What cannot be read might name a module: nothing is swept then.
func TestSweepNeedsToKnow(t *testing.T) {
	d := newDepot(t)
	digest := d.store(1)
	if _, err := d.storage.Create(d.ctx, pluginsRoot+"broken", []byte(`not JSON`), engine.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.modules.sweep(d.ctx, time.Now().Add(2*sweepAfter)); err == nil || !d.has(digest) {
		t.Errorf("swept: %v", err)
	}
}

// What is served is never forgotten, however short the history.
func TestTrimHistory(t *testing.T) {
	limit := int32(3)
	plugin := &strategyPlugin{Spec: pluginSpec{RevisionHistoryLimit: &limit, Rollout: &rollout.Spec{Revision: 2}}, Status: pluginStatus{ActiveRevision: 1}}
	for r := int64(1); r <= 9; r++ {
		plugin.Status.Revisions = append(plugin.Status.Revisions, pluginRevision{Revision: r})
		plugin.trimHistory()
	}
	var kept []int64
	for _, r := range plugin.Status.Revisions {
		kept = append(kept, r.Revision)
	}
	if fmt.Sprint(kept) != "[1 2 9]" {
		t.Errorf("kept %v", kept)
	}
}

// Servers come and go: their reports are bounded, and what they have counted is not lost.
func TestReportsAreBounded(t *testing.T) {
	status := &rolloutStatus{Mode: rollout.Shadow, Revision: 2}
	for i := range 100 {
		for n := int64(1); n <= 2; n++ { // a report takes the place of the one before
			status.add(replicaReport{Name: fmt.Sprintf("s-%d", i), ReportedAt: fmt.Sprintf("2026-01-01T%02d:%02d:00Z", i/60, i%60), Counts: rollout.Counts{Requests: n}})
		}
	}
	if len(status.Replicas) > maxReplicas {
		t.Errorf("%d reports", len(status.Replicas))
	}
	if status.Counts.Requests != 200 {
		t.Errorf("%d requests are counted, want 200", status.Counts.Requests)
	}
}
