package server_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server"
	"github.com/stratagem-dev/stratagem/server/bundle"
)

// dying is a storage that takes no more writes of activations once it is told to: what a server leaves behind that ends between
// the StrategyPlugin and the activation.
type dying struct {
	engine.Storage
	dead atomic.Bool
}

var errDead = errors.New("the server is dead")

func (d *dying) refuses(key string) bool {
	return d.dead.Load() && strings.Contains(key, "/activations/")
}

func (d *dying) Create(ctx context.Context, key string, value []byte, options engine.WriteOptions) (int64, error) {
	if d.refuses(key) {
		return 0, errDead
	}
	return d.Storage.Create(ctx, key, value, options)
}

func (d *dying) Update(ctx context.Context, key string, value []byte, revision int64, options engine.WriteOptions) (int64, error) {
	if d.refuses(key) {
		return 0, errDead
	}
	return d.Storage.Update(ctx, key, value, revision, options)
}

// over runs a server over a storage until stop is called.
func over(t *testing.T, storage engine.Storage, cache string, bundled map[string][]byte) (r *running, stop func(), err error) {
	t.Helper()
	id, err := server.LoadIdentity(t.TempDir(), []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := server.New(ctx, server.Options{Storage: storage, Identity: id, Bundled: bundled, Host: host.Options{CacheDir: cache}}, listener.Addr().String())
	if err != nil {
		cancel()
		return nil, nil, errors.Join(err, listener.Close())
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true} //nolint:gosec // its own server
	r = &running{url: "https://" + listener.Addr().String(), token: id.Token, client: &http.Client{Transport: transport}, keys: storage}
	return r, func() {
		cancel()
		transport.CloseIdleConnections()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}, nil
}

// another is a module that does what a module does, and is another one.
func another(wasm []byte, name string) []byte {
	section := append([]byte{byte(len(name))}, name...)
	return append(append([]byte(nil), wasm...), append([]byte{0, byte(len(section))}, section...)...)
}

const crontabsPlugin = "/apis/stratagem.dev/v1alpha1/strategyplugins/crontabs"

// pluginOf waits until the StrategyPlugin satisfies done.
func pluginOf(t *testing.T, r *running, what string, done func(gjson.Result) bool) gjson.Result {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		item, err := r.keys.Get(t.Context(), "/stratagem.dev/strategyplugins/crontabs")
		if err != nil {
			t.Fatal(err)
		}
		plugin := gjson.ParseBytes(item.Data)
		if done(plugin) {
			return plugin
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %s", what, plugin.Get("status"))
		}
	}
}

// A server that ends after it has written the StrategyPlugin and before the activation leaves nothing untrue behind for long, and what is
// served stays so.
func TestCrashBeforeActivation(t *testing.T) {
	db, err := etcd.Start(etcd.EmbedConfig{DataDir: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	modules, err := bundle.Modules()
	if err != nil || modules["crontabs"] == nil {
		t.Fatalf("the bundled plugins are not built (%v): run make build", err)
	}
	first, cache := modules["crontabs"], t.TempDir()
	storage := &dying{Storage: db.Storage("/registry")}

	// At the very first installation: nothing has ever been active.
	storage.dead.Store(true)
	if _, _, err := over(t, storage, cache, map[string][]byte{"crontabs": first}); !errors.Is(err, errDead) {
		t.Fatalf("the server did not die: %v", err)
	}
	storage.dead.Store(false)
	r, stop, err := over(t, storage, cache, map[string][]byte{"crontabs": first})
	if err != nil {
		t.Fatal(err)
	}
	r.do(t, "POST", crontabsPath, crontab("a"), http.StatusCreated)
	served := pluginOf(t, r, "the bundled plugin is active", func(p gjson.Result) bool { return p.Get("status.state").Str == "Active" }).Get("status.activeRevision").Int()

	// At a push: the one before goes on.
	storage.dead.Store(true)
	r.do(t, "PUT", crontabsPlugin+"/module", another(first, "second"), http.StatusInternalServerError)
	stop()
	storage.dead.Store(false)
	r, stop, err = over(t, storage, cache, nil)
	if err != nil {
		t.Fatal(err)
	}
	plugin := pluginOf(t, r, "the status tells what is served", func(p gjson.Result) bool {
		return p.Get("status.activeRevision").Int() == served && p.Get("spec.revision").Int() == served
	})
	pushed := plugin.Get("status.revisions.@reverse.0")
	if pushed.Get("revision").Int() != served+1 || pushed.Get("state").Str != "Verified" {
		t.Errorf("the revision that was pushed: %s", pushed)
	}
	r.do(t, "POST", crontabsPath, crontab("b"), http.StatusCreated)

	// At a push in shadow: what the spec asks for is begun by whoever comes next.
	storage.dead.Store(true)
	r.do(t, "PUT", crontabsPlugin+"/module?rollout=Shadow", another(first, "third"), http.StatusInternalServerError)
	stop()
	storage.dead.Store(false)
	r, stop, err = over(t, storage, cache, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	plugin = pluginOf(t, r, "the shadow runs", func(p gjson.Result) bool { return p.Get(`status.conditions.#(type=="Rollout").status`).Str == "True" })
	if got := plugin.Get("status.activeRevision").Int(); got != served {
		t.Errorf("revision %d is active", got)
	}
	r.do(t, "POST", crontabsPlugin+"/rollback", []byte(`{"revision":99}`), http.StatusBadRequest)
	r.do(t, "POST", crontabsPlugin+"/promote", nil, http.StatusOK)
	r.do(t, "POST", crontabsPlugin+"/promote", nil, http.StatusBadRequest)
	pluginOf(t, r, "the revision is promoted", func(p gjson.Result) bool {
		return p.Get("status.activeRevision").Int() > served && !p.Get("spec.rollout").Exists()
	})
	r.do(t, "PUT", crontabsPlugin+"/module?percent=5", first, http.StatusBadRequest)
	r.do(t, "PUT", crontabsPlugin+"/module?rollout=Canary", first, http.StatusUnprocessableEntity)
	r.do(t, "PUT", crontabsPlugin+"/module?rollout=Shadow&percent=x", first, http.StatusBadRequest)
}
