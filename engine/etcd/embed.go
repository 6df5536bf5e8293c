package etcd

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

const (
	// MaxRequestBytes is the largest request that an embedded etcd takes: a body of 3 MiB with room to grow.
	MaxRequestBytes = 4 << 20

	quotaBytes       = 8 << 30
	progressInterval = 5 * time.Second
	startTimeout     = time.Minute
)

// EmbedConfig tunes an embedded etcd. DataDir is required.
type EmbedConfig struct {
	// DataDir holds the data, readable by its owner alone. It is made when it is missing.
	DataDir string
	// ListenClientURL opens etcd's client API to other processes of this machine, without
	// authentication: "unix:///run/etcd.sock" or "http://127.0.0.1:2379" (port 0 takes a free one).
	// Empty opens nothing.
	ListenClientURL string
	// Log takes etcd's warnings and errors, a line each; nil discards them.
	Log io.Writer
	// NoSync leaves out fsync: faster, and data is lost when the machine stops. For tests.
	NoSync bool
}

// Server is an etcd that runs inside this process.
type Server struct {
	etcd    *embed.Etcd
	client  *clientv3.Client
	reads   *readGate
	watches *watchGate
	dir     *dirLock

	closing sync.Once
}

// Start starts etcd on cfg.DataDir and returns once it serves.
//
//   - A data dir that another process holds is *DirLockedError, one that cannot be used *DirError.
func Start(cfg EmbedConfig) (*Server, error) {
	etcdConfig, err := embedConfig(cfg)
	if err != nil {
		return nil, err
	}
	dir, err := openDir(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	etcd, err := startEtcd(etcdConfig)
	if err != nil {
		return nil, errors.Join(&DirError{Dir: cfg.DataDir, Err: err}, dir.release())
	}
	server := &Server{etcd: etcd, dir: dir}
	server.client, server.reads, server.watches = newLocalClient(etcd.Server)
	if err := server.waitReady(startTimeout); err != nil {
		return nil, errors.Join(err, server.Close())
	}
	return server, nil
}

// Client is the in-process client. It lives as long as the server.
func (s *Server) Client() *clientv3.Client { return s.client }

// ClientURL is the URL under which other processes reach the server; empty without EmbedConfig.ListenClientURL.
func (s *Server) ClientURL() string {
	if len(s.etcd.Clients) == 0 {
		return ""
	}
	addr := s.etcd.Clients[0].Addr()
	if addr.Network() == "unix" {
		return "unix://" + addr.String()
	}
	return "http://" + addr.String()
}

// Stopped is closed when etcd has stopped, by Close or by a failure of its own.
func (s *Server) Stopped() <-chan struct{} { return s.etcd.Server.StopNotify() }

// Close stops the client, writes what is in memory to disk and gives the data dir free.
func (s *Server) Close() (err error) {
	s.closing.Do(func() {
		closeErr := closeClient(s.client)
		s.reads.close()
		s.watches.close()
		s.etcd.Close()
		err = errors.Join(closeErr, s.dir.release())
	})
	return err
}

func (s *Server) waitReady(timeout time.Duration) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-s.etcd.Server.ReadyNotify():
		return nil
	case err := <-s.etcd.Err():
		return fmt.Errorf("embedded etcd failed while starting: %w", err)
	case <-s.Stopped():
		return errors.New("embedded etcd stopped while starting")
	case <-timer.C:
		return fmt.Errorf("embedded etcd was not ready after %s", timeout)
	}
}

// startEtcd turns the panics by which etcd reports unreadable files into errors.
func startEtcd(cfg *embed.Config) (etcd *embed.Etcd, err error) {
	defer func() {
		if p := recover(); p != nil {
			etcd, err = nil, fmt.Errorf("embedded etcd: %v", p)
		}
	}()
	etcd, err = embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("embedded etcd: %w", err)
	}
	return etcd, nil
}

// embedConfig is etcd's configuration for one member that talks to nobody.
func embedConfig(cfg EmbedConfig) (*embed.Config, error) {
	c := embed.NewConfig()
	c.Name = "stratagem"
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.Dir = cfg.DataDir
	c.UnsafeNoFsync = cfg.NoSync

	c.ListenPeerUrls, c.ListenClientUrls, c.ListenClientHttpUrls = nil, nil, nil
	c.AdvertiseClientUrls = nil
	c.EnableGRPCGateway = false
	if cfg.ListenClientURL != "" {
		listen, err := listenURL(cfg.ListenClientURL)
		if err != nil {
			return nil, err
		}
		c.ListenClientUrls = []url.URL{*listen}
		c.AdvertiseClientUrls = []url.URL{*listen}
	}

	c.MaxRequestBytes = MaxRequestBytes
	c.QuotaBackendBytes = quotaBytes
	c.WatchProgressNotifyInterval = progressInterval
	c.WarningApplyDuration = time.Second
	c.WarningUnaryRequestDuration = time.Second
	// A member without peers waits for an election that it can only win: a short one.
	c.TickMs, c.ElectionMs = 20, 200

	c.LogLevel = "warn"
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(newLogger(cfg.Log))
	return c, nil
}

// newLogger logs warnings and errors as text; a fatal one panics, so that Start can report it.
func newLogger(out io.Writer) *zap.Logger {
	core := zapcore.NewNopCore()
	if out != nil {
		encoder := zapcore.NewConsoleEncoder(zap.NewProductionEncoderConfig())
		core = zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(out)), zap.WarnLevel)
	}
	return zap.New(core, zap.WithFatalHook(zapcore.WriteThenPanic))
}
