package migration

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
	"github.com/stratagem-dev/stratagem/server/controllers/controllertest"
)

// world is a cluster with migrations and one resource, parts, whose objects may be stored in v1 or v2.
type world struct {
	*controllertest.Cluster
	parts    *parts
	plugins  *ledger
	registry *prometheus.Registry
}

// parts is the strategy and the converter of parts.
type parts struct {
	checked atomic.Int64
	mu      sync.Mutex
	convert func(engine.Object) error // nil: all is well
}

func (p *parts) ValidateUpdate(context.Context, *engine.Call) field.ErrorList {
	p.checked.Add(1)
	return nil
}

func (p *parts) Convert(_ context.Context, _ *engine.RequestInfo, objects []engine.Object, apiVersion string) ([]engine.Object, error) {
	p.mu.Lock()
	check := p.convert
	p.mu.Unlock()
	out := make([]engine.Object, len(objects))
	for i, obj := range objects {
		if check != nil {
			if err := check(obj); err != nil {
				return nil, err
			}
		}
		fields := obj.Fields()
		fields.SetString("apiVersion", apiVersion)
		out[i] = fields.Raw()
	}
	return out, nil
}

func (p *parts) check(convert func(engine.Object) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.convert = convert
}

// ledger is what plugins keep account of.
type ledger struct {
	mu    sync.Mutex
	moved int // so many times the activation is not the one
	kept  []schema.GroupResource
}

func (l *ledger) KeepStored(_ context.Context, gr schema.GroupResource, _ engine.Guard) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.moved > 0 {
		l.moved--
		return ErrMoved
	}
	l.kept = append(l.kept, gr)
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{parts: &parts{}, plugins: &ledger{}, registry: prometheus.NewRegistry()}
	w.Cluster = controllertest.New(t, migrationKind(), w.kind("v1"))
	return w
}

func migrationKind() *engine.Resource {
	return &engine.Resource{
		Group: Group, Plural: Plural, Kind: "StorageVersionMigration", ListKind: "StorageVersionMigrationList", KeyRoot: "/" + Plural,
		Versions: []engine.Version{{Name: Version, Served: true, Storage: true}}, Subresources: []engine.Subresource{{Name: "status"}},
	}
}

// kind is the resource of parts with a storage version.
func (w *world) kind(storage string) *engine.Resource {
	r := controllertest.Kind("Part", "parts", true)
	r.Strategy, r.Converter, r.Versions = engine.NewNative(w.parts), w.parts, nil
	for _, v := range []string{"v1", "v2", "v3"} {
		r.Versions = append(r.Versions, engine.Version{Name: v, Served: true, Hooks: true, Storage: v == storage})
	}
	r.Revision = "parts stored in " + storage
	return r
}

// store stores parts in v1, as a server before has.
func (w *world) store(names ...string) {
	w.Helper()
	for _, name := range names {
		value := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Part","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","name":%q,"namespace":"a","uid":"u-%s"}}`, name, name)
		if _, err := w.Storage.Create(w.Ctx, "/example.com/parts/a/"+name, []byte(value), engine.WriteOptions{}); err != nil {
			w.Fatal(err)
		}
	}
}

// stored counts the parts by the version that they are stored in.
func (w *world) stored() map[string]int {
	w.Helper()
	page, err := w.Storage.List(w.Ctx, "/example.com/parts/", engine.ListOptions{})
	if err != nil {
		w.Fatal(err)
	}
	found := map[string]int{}
	for _, item := range page.Items {
		found[strings.TrimPrefix(engine.Object(item.Data).APIVersion(), "example.com/")]++
	}
	return found
}

// run runs a controller until stop is called.
func (w *world) run() (stop func()) {
	ctx, cancel := context.WithCancel(w.Ctx)
	w.registry = prometheus.NewRegistry()
	log := slog.New(slog.DiscardHandler)
	c := New(w.Cluster, w.Storage, w.plugins, w.registry, log)
	feed := controllers.NewFeed(w.Cluster, log, c)
	feed.Start(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Run(ctx)
		feed.Wait()
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	w.Cleanup(func() {
		// An etcd that is closed while it still has something to tell would panic.
		if revision, err := w.Storage.Revision(w.Ctx); err == nil && ctx.Err() == nil {
			_ = feed.Reached(w.Ctx, revision)
		}
		stop()
	})
	return stop
}

func (w *world) migrations() *engine.Store {
	snapshot, _ := w.Snapshot()
	return snapshot.Store(Group, Plural)
}

// ask creates a migration.
func (w *world) ask(name, resource string) {
	w.Helper()
	info := &engine.RequestInfo{Verb: "create", Group: Group, Version: Version, Resource: Plural, Time: time.Now()}
	obj := engine.Object(fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"resource":{"group":"example.com","resource":%q}}}`, name, resource))
	if _, err := w.migrations().Create(w.Ctx, engine.CreateRequest{Info: info, Object: obj}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) get(name string) engine.Object {
	w.Helper()
	info := &engine.RequestInfo{Verb: "get", Group: Group, Version: Version, Resource: Plural, Name: name, Time: time.Now()}
	obj, err := w.migrations().Get(w.Ctx, engine.GetRequest{Info: info})
	if err != nil {
		w.Fatal(err)
	}
	return obj
}

// ends waits until a migration has ended, and returns its status.
func (w *world) ends(name, how string) status {
	w.Helper()
	w.Until(name+" ends", func() bool { return finished(w.get(name)) })
	obj := w.get(name)
	if phase := Phase(obj); phase != how {
		w.Fatalf("%s has %s: %s", name, phase, obj.Get("status").Raw)
	}
	return statusOf(obj)
}

func names(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("part-%04d", i))
	}
	return names
}

func TestAllObjectsAreRewritten(t *testing.T) {
	w := newWorld(t)
	w.store(names(pageSize + 20)...)
	w.Serve(migrationKind(), w.kind("v2"))
	for _, name := range []string{"new-1", "new-2"} {
		w.Create(controllertest.Object{Resource: "parts", Namespace: "a", Name: name})
	}
	w.run()
	w.ask("all", "parts")
	s := w.ends("all", Succeeded)
	if got := w.stored(); len(got) != 1 || got["v2"] != pageSize+22 {
		t.Errorf("stored: %v", got)
	}
	if p := *s.Progress; p.Objects != pageSize+22 || p.Seen != pageSize+22 || p.Rewritten != pageSize+20 || p.StorageVersion != "v2" || p.Continue != "" {
		t.Errorf("progress: %+v", p)
	}
	if n := w.parts.checked.Load(); n != pageSize+20 {
		t.Errorf("hooks ran for %d objects", n)
	}
	if len(s.Conditions) != 1 || s.Conditions[0].Reason != succeededReason || s.ResourceVersion == "" {
		t.Errorf("status: %+v", s)
	}
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(w.registry, promhttp.HandlerOpts{}).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for outcome, n := range map[string]int{"current": 2, "failed": 0, "rewritten": pageSize + 20} {
		want := fmt.Sprintf(`stratagem_storage_migration_objects_total{group="example.com",outcome=%q,resource="parts"} %d`+"\n", outcome, n)
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("no %s in %s", want, answer.Body)
		}
	}
}

func TestWhatCannotBeConvertedIsNamed(t *testing.T) {
	w := newWorld(t)
	w.store("bad-1", "bad-2", "good")
	w.Serve(migrationKind(), w.kind("v2"))
	w.parts.check(func(obj engine.Object) error {
		if strings.HasPrefix(obj.Name(), "bad") {
			return &engine.ConversionError{Message: "it has no host"}
		}
		return nil
	})
	w.run()
	w.ask("fails", "parts")
	s := w.ends("fails", Failed)
	const want = `parts.example.com "a/bad-1": it has no host; parts.example.com "a/bad-2": it has no host`
	if got := s.Conditions[0].Message; got != want {
		t.Errorf("message: %s", got)
	}
	if got := w.stored(); got["v1"] != 2 || got["v2"] != 1 {
		t.Errorf("stored: %v", got)
	}
	if len(w.plugins.kept) > 0 {
		t.Error("a version was taken off the account after a failure")
	}
}

func TestAStoredValueThatIsNoObjectFailsTheMigration(t *testing.T) {
	w := newWorld(t)
	if _, err := w.Storage.Create(w.Ctx, "/example.com/parts/a/odd", []byte("\x00"), engine.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	stop := w.run()
	defer stop()
	w.ask("odd", "parts")
	if s := w.ends("odd", Failed); !strings.Contains(s.Conditions[0].Message, "/example.com/parts/a/odd") {
		t.Errorf("message: %s", s.Conditions[0].Message)
	}
}

func TestAResourceThatIsNotServedFailsTheMigration(t *testing.T) {
	w := newWorld(t)
	w.run()
	w.ask("none", "nothings")
	if s := w.ends("none", Failed); s.Conditions[0].Message != "resource does not exist in discovery" {
		t.Errorf("message: %s", s.Conditions[0].Message)
	}
}

func TestAMigrationGoesOnWhereItHasStopped(t *testing.T) {
	w := newWorld(t)
	w.store(names(2*pageSize + 5)...)
	w.Serve(migrationKind(), w.kind("v2"))
	open, reached := make(chan struct{}), make(chan struct{})
	reach := sync.OnceFunc(func() { close(reached) })
	var again atomic.Int64
	w.parts.check(func(obj engine.Object) error {
		if obj.Name() > fmt.Sprintf("part-%04d", pageSize) {
			reach()
			<-open
		}
		return nil
	})
	stop := w.run()
	w.ask("long", "parts")
	<-reached
	w.Until("the first page is told of", func() bool {
		return statusOf(w.get("long")).Progress != nil && statusOf(w.get("long")).Progress.Seen == pageSize
	})
	before := statusOf(w.get("long"))
	go stop()
	close(open)
	stop()
	w.parts.check(func(obj engine.Object) error {
		if obj.Name() < fmt.Sprintf("part-%04d", pageSize) {
			again.Add(1)
		}
		return nil
	})
	w.run()
	s := w.ends("long", Succeeded)
	if got := w.stored(); len(got) != 1 || got["v2"] != 2*pageSize+5 {
		t.Errorf("stored: %v", got)
	}
	if s.ResourceVersion != before.ResourceVersion || s.Progress.Seen != 2*pageSize+5 || again.Load() > 0 {
		t.Errorf("it began anew: %+v, %d objects converted again", s, again.Load())
	}
}

func TestADefinitionThatChangesBringsAnotherPass(t *testing.T) {
	w := newWorld(t)
	w.store(names(20)...)
	w.Serve(migrationKind(), w.kind("v2"))
	change := sync.OnceFunc(func() { w.Serve(migrationKind(), w.kind("v3")) })
	w.parts.check(func(engine.Object) error {
		change()
		return nil
	})
	w.run()
	w.ask("moving", "parts")
	s := w.ends("moving", Succeeded)
	if got := w.stored(); got["v3"] != 20 {
		t.Errorf("stored: %v", got)
	}
	if s.Progress.StorageVersion != "v3" || s.Progress.Seen != 20 {
		t.Errorf("progress: %+v", s.Progress)
	}
}

func TestOnlyOneServerWorksOnAResource(t *testing.T) {
	w := newWorld(t)
	w.store("a", "b")
	w.Serve(migrationKind(), w.kind("v2"))
	key := leasesRoot + "parts.example.com"
	revision, err := w.Storage.Create(w.Ctx, key, []byte("another"), engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.run()
	w.ask("held", "parts")
	w.ask("other", "nothings")
	w.ends("other", Failed)
	if phase := Phase(w.get("held")); phase != "Pending" || w.stored()["v1"] != 2 {
		t.Errorf("%s, stored %v, while another server has the lease", phase, w.stored())
	}
	if _, err := w.Storage.Delete(w.Ctx, key, revision, engine.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.ends("held", Succeeded)
	w.Until("the lease is given back", func() bool {
		_, err := w.Storage.Get(w.Ctx, key)
		var missing *engine.KeyNotFoundError
		return errors.As(err, &missing)
	})
}

func TestALostLeaseEndsTheWork(t *testing.T) {
	w := newWorld(t)
	c := New(w.Cluster, w.Storage, w.plugins, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	l, err := c.take(w.Ctx, "parts.example.com")
	if err != nil || l == nil {
		t.Fatal(l, err)
	}
	if again, err := c.take(w.Ctx, "parts.example.com"); again != nil || err != nil {
		t.Errorf("it was given away twice: %v", err)
	}
	item, err := w.Storage.Get(w.Ctx, l.key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Storage.Update(w.Ctx, l.key, []byte("another"), item.Revision, engine.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	<-l.ctx.Done()
	l.release()
	if item, err := w.Storage.Get(w.Ctx, l.key); err != nil || string(item.Data) != "another" {
		t.Errorf("the other's lease was taken away: %v", err)
	}
}

func TestMigrationsOfOneResourceFollowEachOther(t *testing.T) {
	w := newWorld(t)
	w.store("a")
	w.Serve(migrationKind(), w.kind("v2"))
	w.ask("first", "parts")
	w.ask("second", "parts")
	w.run()
	if s := w.ends("first", Succeeded); s.Progress.Rewritten != 1 {
		t.Errorf("first: %+v", s.Progress)
	}
	if s := w.ends("second", Succeeded); s.Progress.Rewritten != 0 || s.Progress.Seen != 1 {
		t.Errorf("second: %+v", s.Progress)
	}
}

func TestAPluginsAccountIsSettledAtTheEnd(t *testing.T) {
	w := newWorld(t)
	w.store("a")
	r := w.kind("v2")
	revision, err := w.Storage.Create(w.Ctx, "/stratagem.dev/activations/parts", []byte(`{}`), engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.Activation = engine.Guard{Key: "/stratagem.dev/activations/parts", Revision: revision}
	w.Serve(migrationKind(), r)
	w.plugins.moved = 2
	w.run()
	w.ask("settled", "parts")
	s := w.ends("settled", Succeeded)
	if len(w.plugins.kept) != 1 || w.plugins.kept[0].String() != "parts.example.com" || w.plugins.moved != 0 {
		t.Errorf("kept: %v", w.plugins.kept)
	}
	if want := fmt.Sprintf("parts stored in v2, activated at %d", revision); s.Progress.Definition != want {
		t.Errorf("definition: %s", s.Progress.Definition)
	}
}
