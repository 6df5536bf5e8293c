package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server"
	"github.com/stratagem-dev/stratagem/server/bundle"
	"github.com/stratagem-dev/stratagem/server/crd"
	"github.com/stratagem-dev/stratagem/server/policy"
)

// serveFlags are the flags of serve. Where kube-apiserver has a flag, it bears the same name.
type serveFlags struct {
	listen          string
	dataDir         string
	etcdPrefix      string
	etcd            etcd.DialConfig
	kubeconfig      string
	disableAdmit    []string
	enableAdmit     []string
	featureGates    []string
	watchCache      bool
	bundled         bool
	collectGarbage  bool
	endpoints       map[string]string
	profiling       bool
	logLevel        string
	advertisedHosts []string
	sandbox         sandboxFlags
	tracing         tracingFlags
	pluginPolicy    string
	eventTTL        eventTTL
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the API on embedded etcd, or on an external one", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:6443", "address to serve HTTPS on")
	flags.StringVar(&f.dataDir, "data-dir", "stratagem-data", "folder for certificates, compiled plugins and the embedded etcd")
	flags.StringSliceVar(&f.etcd.Endpoints, "etcd-servers", nil, "URLs of an external etcd; without them etcd runs inside, on the data dir")
	flags.StringVar(&f.etcdPrefix, "etcd-prefix", "/registry", "what stands in front of every key in etcd")
	flags.StringVar(&f.etcd.CAFile, "etcd-cafile", "", "authority of the external etcd's certificate")
	flags.StringVar(&f.etcd.CertFile, "etcd-certfile", "", "client certificate for the external etcd")
	flags.StringVar(&f.etcd.KeyFile, "etcd-keyfile", "", "key of --etcd-certfile")
	flags.StringVar(&f.kubeconfig, "write-kubeconfig", "", "file to write the admin's kubeconfig to, once the server is ready")
	flags.StringSliceVar(&f.disableAdmit, "disable-admission-plugins", nil, "admission plugins to switch off: NamespaceLifecycle")
	flags.StringSliceVar(&f.enableAdmit, "enable-admission-plugins", nil, "admission plugins to switch on: NamespaceLifecycle (the default)")
	flags.StringSliceVar(&f.featureGates, "feature-gates", nil, "NAME=true|false; there are none, and unknown ones are refused")
	flags.BoolVar(&f.watchCache, "watch-cache", true, "serve reads from memory; false reads from etcd")
	flags.BoolVar(&f.collectGarbage, "enable-garbage-collector", true, "delete objects whose owners are gone, and serve the propagation policies of deletions")
	flags.StringToStringVar(&f.endpoints, "service-endpoints", nil, "NAME.NAMESPACE.svc:PORT=ADDRESS:PORT of the services that conversion webhooks are named by; others are looked up in DNS by that name")
	flags.BoolVar(&f.bundled, "bundled-plugins", true, "install the plugins that come with the server")
	flags.Var(&f.eventTTL, "event-ttl", "how long events live after their last write; without it that is for their strategy to say (1h0m0s)")
	flags.BoolVar(&f.profiling, "profiling", true, "serve profiles under /debug/pprof")
	flags.StringVar(&f.pluginPolicy, "plugin-policy", "", "file that says which keys may sign which plugins; followed when it changes. Without it all modules are taken")
	f.sandbox.register(cmd)
	f.tracing.register(cmd)
	flags.StringVar(&f.logLevel, "log-level", "info", "least level of what is logged: debug, info, warn or error")
	flags.StringSliceVar(&f.advertisedHosts, "tls-san", nil, "further names and addresses for the server's certificate")
	return cmd
}

const namespaceLifecycle = "NamespaceLifecycle"

// check refuses what is not known, by name.
func (f *serveFlags) check() error {
	for flag, values := range map[string][]string{"--disable-admission-plugins": f.disableAdmit, "--enable-admission-plugins": f.enableAdmit} {
		for _, v := range values {
			if v != namespaceLifecycle {
				return fmt.Errorf("%s: admission plugin %q is not known; there is: %s", flag, v, namespaceLifecycle)
			}
		}
	}
	for _, gate := range f.featureGates {
		name, _, _ := strings.Cut(gate, "=")
		return fmt.Errorf("--feature-gates: unrecognized feature gate: %s", name)
	}
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	if f.dataDir == "" {
		return errors.New("--data-dir: must not be empty")
	}
	return nil
}

// serve runs the server until ctx ends.
func serve(ctx context.Context, f serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
		return fmt.Errorf("--log-level %s: must be debug, info, warn or error", f.logLevel)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	defer listener.Close()
	storage, err := openStorage(f, log)
	if err != nil {
		return err
	}
	defer func() {
		if err := storage.close(); err != nil {
			log.Error("closing etcd", "error", err)
		}
	}()
	options, err := serverOptions(f, storage, log)
	if err != nil {
		return err
	}
	if options.Tracing, err = f.tracing.open(ctx); err != nil {
		return err
	}
	if options.Tracing != nil {
		defer closeTracing(options.Tracing, log)
	}
	address := listener.Addr().String()
	s, err := server.New(ctx, options, address)
	if err != nil {
		return err
	}
	return run(ctx, s, options.Identity, listener, f.kubeconfig, log)
}

// run serves and, once the server is ready, writes the kubeconfig.
func run(ctx context.Context, s *server.Server, id *server.Identity, listener net.Listener, kubeconfig string, log *slog.Logger) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	url := "https://" + reachable(listener.Addr().String())
	if kubeconfig != "" {
		if err := s.WaitReady(ctx); err == nil {
			if err := id.WriteKubeconfig(kubeconfig, url); err != nil {
				stop(err)
				return errors.Join(fmt.Errorf("--write-kubeconfig %s: %w", kubeconfig, err), <-served)
			}
			log.Info("ready; point kubectl at it", "KUBECONFIG", kubeconfig)
		}
	}
	log.Info("serving", "url", url, "version", Version)
	return <-served
}

// reachable is an address that clients on this machine can dial.
func reachable(address string) string {
	host, port, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

func serverOptions(f serveFlags, storage *openedStorage, log *slog.Logger) (server.Options, error) {
	host, _, _ := net.SplitHostPort(f.listen)
	names := append([]string{"localhost", "127.0.0.1", "::1"}, f.advertisedHosts...)
	if host != "" && host != "0.0.0.0" && host != "::" {
		names = append(names, host)
	}
	id, err := server.LoadIdentity(filepath.Join(f.dataDir, "pki"), names)
	if err != nil {
		return server.Options{}, fmt.Errorf("--data-dir %s: %w", f.dataDir, err)
	}
	options := server.Options{
		Storage: storage.Storage, Identity: id, Version: Version, Log: log, Profiling: f.profiling, TTL: f.eventTTL.byResource(),
		NamespaceLifecycle: len(f.disableAdmit) == 0,
		GarbageCollector:   f.collectGarbage,
		Webhooks:           crd.Webhooks{Endpoints: f.endpoints},
		Host:               hostOptions(f, log),
	}
	if options.Plugins, err = f.sandbox.settings(); err != nil {
		return options, err
	}
	if f.pluginPolicy != "" {
		if options.Policy, err = policy.Open(f.pluginPolicy, log); err != nil {
			return options, fmt.Errorf("--plugin-policy: %w", err)
		}
	}
	if f.watchCache {
		options.Cache = func(keyRoot string) engine.Storage { return storage.cache(keyRoot) }
	}
	if f.bundled {
		if options.Bundled, err = bundle.Modules(); err != nil {
			return options, err
		}
		if len(options.Bundled) == 0 {
			log.Warn("no plugins are bundled: build with make to have them")
		}
	}
	return options, nil
}

func hostOptions(f serveFlags, log *slog.Logger) host.Options {
	return host.Options{CacheDir: filepath.Join(f.dataDir, "compiled"), Log: log}
}
