package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/crd"
	"github.com/stratagem-dev/stratagem/server/openapi"
	"github.com/stratagem-dev/stratagem/server/policy"
	"github.com/stratagem-dev/stratagem/server/protobuf"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// Options are how a server is set up. Those without a stated default are required.
type Options struct {
	// Storage keeps everything.
	Storage engine.Storage
	// Cache returns the storage that serves the reads below a key root; nil reads from Storage.
	Cache func(keyRoot string) engine.Storage
	// Identity holds the certificates and the admin's credentials.
	Identity *Identity
	// Bundled are the modules that a new installation begins with, by name.
	Bundled map[string][]byte
	// Policy decides which modules are taken; nil takes all.
	Policy *policy.File
	// Host tunes the plugin host.
	Host host.Options
	// TTL is how many seconds the objects of a resource live, where that is not for its strategy to say.
	TTL map[schema.GroupResource]int64
	// Tracing sends traces; nil sends none.
	Tracing *Tracing
	// Plugins are what plugins may use and keep.
	Plugins PluginSettings
	// NamespaceLifecycle refuses writes into namespaces that do not exist.
	NamespaceLifecycle bool
	// GarbageCollector deletes what has lost its owners, and serves the propagation policies of deletions.
	GarbageCollector bool
	// Webhooks is how the servers of conversion webhooks are reached.
	Webhooks crd.Webhooks
	// Profiling serves /debug/pprof to the admin.
	Profiling bool
	// Version is what /version tells, "v0.1.0".
	Version string
	// Log takes the server's log; nil discards it.
	Log *slog.Logger
}

// Server is the API server: HTTP over one storage.
type Server struct {
	options Options
	log     *slog.Logger
	echo    *echo.Echo
	view    atomic.Pointer[View]
	openapi *openapi.Service
	plugins *Plugins
	shadow  *rollout.Replayer
	diffs   chan struct{} // the one diff that runs at a time
	replica string        // tells this server from the others over the same storage
	metrics *metrics
	address string

	ready   atomic.Bool
	serving chan struct{}   // closed once ready
	ending  context.Context // done when the server shuts down: ends the watches
	end     context.CancelFunc
	running sync.WaitGroup // the controllers
}

// New makes a server and brings up what is stored: namespaces, plugins. It does not listen yet.
func New(ctx context.Context, options Options, address string) (*Server, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	s := &Server{options: options, log: options.Log, openapi: openapi.New(openapi.Options{Version: options.Version, ServerSideApply: true}), address: address, serving: make(chan struct{}), diffs: make(chan struct{}, 1)}
	s.metrics = newMetrics(prometheus.NewRegistry())
	s.ending, s.end = context.WithCancel(context.WithoutCancel(ctx))
	s.plugins, s.shadow, s.replica = newPlugins(s), rollout.NewReplayer(s.log), replicaName()
	s.options.Host.Metrics = host.NewMetrics(s.metrics.registry)
	if err := s.plugins.Refresh(ctx); err != nil {
		return nil, err
	}
	if err := s.makeNamespaces(ctx); err != nil {
		return nil, err
	}
	if err := s.plugins.installBundled(ctx, options.Bundled); err != nil {
		return nil, err
	}
	s.plugins.rebindAll(ctx)
	go s.plugins.follow(s.ending)
	go s.plugins.followSettings(s.ending)
	go s.plugins.followDefinitions(s.ending)
	go s.plugins.tend(s.ending)
	go s.shadow.Run(s.ending)
	if options.Policy != nil {
		go options.Policy.Follow(s.ending, func() { s.plugins.policyChanged(s.ending) })
	}
	s.startControllers()
	s.echo = s.routes()
	return s, nil
}

// routes is the one place where paths are listed.
func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.handleError
	e.Use(s.recover, s.metrics.observe)
	if s.options.Tracing != nil {
		e.Use(s.options.Tracing.request)
	}
	e.Use(s.authenticate)
	for _, path := range []string{"/livez", "/readyz", "/healthz"} {
		e.GET(path, s.health)
		e.GET(path+"/*", s.health)
	}
	e.GET("/version", s.version)
	e.GET("/metrics", echo.WrapHandler(s.metrics.handler()))
	e.GET("/openapi/v2", echo.WrapHandler(s.openapi.V2()))
	e.GET("/openapi/v3", echo.WrapHandler(s.openapi.V3()))
	e.GET("/openapi/v3/*", echo.WrapHandler(s.openapi.V3()))
	e.PUT("/apis/"+pluginGroup+"/"+pluginVersion+"/strategyplugins/:name/module", s.putModule)
	e.GET("/apis/"+pluginGroup+"/"+pluginVersion+"/strategyplugins/:name/module", s.getModule)
	e.POST("/apis/"+pluginGroup+"/"+pluginVersion+"/strategyplugins/:name/disable", s.postDisable)
	e.POST("/apis/"+pluginGroup+"/"+pluginVersion+"/strategyplugins/:name/rollback", s.postRollback)
	e.POST("/apis/"+pluginGroup+"/"+pluginVersion+"/strategyplugins/:name/diff", s.postDiff)
	e.POST("/apis/"+pluginGroup+"/"+pluginVersion+"/strategyplugins/:name/promote", s.postPromote)
	if s.options.Profiling {
		e.GET("/debug/pprof/profile", echo.WrapHandler(http.HandlerFunc(pprof.Profile)))
		e.GET("/debug/pprof/*", echo.WrapHandler(http.HandlerFunc(pprof.Index)))
	}
	e.Any("/api", s.discovery)
	e.Any("/apis", s.discovery)
	e.Any("/api/*", s.api)
	e.Any("/apis/*", s.api)
	return e
}

// api serves discovery documents and resources, which share their paths' beginnings.
func (s *Server) api(c echo.Context) error {
	if _, ok := parseTarget(c.Request().URL.Path); !ok {
		return s.discovery(c)
	}
	return s.resource(c)
}

// discovery serves the documents under /api and /apis.
func (s *Server) discovery(c echo.Context) error {
	if m := c.Request().Method; m != http.MethodGet && m != http.MethodHead {
		return echo.NewHTTPError(http.StatusMethodNotAllowed, "the server does not allow this method on the requested resource")
	}
	documents, err := s.view.Load().Discovery()
	if err != nil {
		return err
	}
	doc, found, err := documents.Document(c.Request().URL.Path, c.Request().Header.Get("Accept"))
	if err != nil {
		return err
	}
	if !found {
		return errPath
	}
	header := c.Response().Header()
	if doc.ETag != "" {
		header.Set("ETag", doc.ETag)
		header.Set("Vary", "Accept")
		header.Set("Cache-Control", "public")
		if doc.Unchanged(c.Request().Header.Get("If-None-Match")) {
			return c.NoContent(http.StatusNotModified)
		}
	}
	return c.Blob(http.StatusOK, doc.ContentType, doc.Body)
}

// recover keeps one request's panic from ending the server: 500, and the stack in the log.
func (s *Server) recover(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.log.Error("panic", "path", c.Request().URL.Path, "panic", p, "stack", stack())
				err = fmt.Errorf("the server panicked: %v", p)
			}
		}()
		return next(c)
	}
}

// replicaName is the name that a server reports under: that of its machine, and something of its own.
func replicaName() string {
	name, err := os.Hostname()
	if err != nil {
		name = "server"
	}
	return name + "-" + rand.String(5)
}

// use puts a set of stores in force, and what is tried beside them.
func (s *Server) use(stores []*engine.Store, trials map[schema.GroupResource]*trial) {
	view := newView(stores, s.address)
	view.trials = trials
	s.openapi.Update(view.Resources())
	if old := s.view.Swap(view); old != nil {
		close(old.replaced)
	}
}

// store makes the store of a resource over the cache of its keys.
func (s *Server) store(r *engine.Resource) *engine.Store {
	options := engine.Options{Transcode: transcode, NoGarbageCollection: !s.options.GarbageCollector, TTL: s.options.TTL}
	if s.options.NamespaceLifecycle {
		options.Admission = s.plugins.lifecycle
	}
	store := engine.NewStore(r, s.plugins.storage(r.KeyRoot), options)
	if s.options.Tracing != nil {
		store = s.options.Tracing.store(store)
	}
	return store
}

func transcode(data []byte) ([]byte, error) {
	out, _, err := protobuf.Decode(data)
	return out, err
}

// Serve answers requests on a listener until ctx ends, then lets those that run finish.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	defer s.running.Wait()
	defer s.end()
	server := &http.Server{
		Handler: roomy{s.echo}, TLSConfig: s.options.Identity.TLS(), ReadHeaderTimeout: 32 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 1 << 20, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		// As many streams as Kubernetes' clients open watches over one connection.
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 2000},
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(tls.NewListener(listener, server.TLSConfig)) }()
	for filled := s.plugins.filled(ctx); ctx.Err() == nil; {
		select {
		case <-filled:
			s.ready.Store(true)
			close(s.serving)
			filled = nil
		case err := <-failed:
			return err
		case <-ctx.Done():
		}
	}
	s.ready.Store(false)
	s.end()
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(shutdown); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}
