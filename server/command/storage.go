package command

import (
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
)

// openedStorage is the etcd that a server runs on, and what has to be closed behind it.
type openedStorage struct {
	*etcd.Storage
	log       *slog.Logger
	compactor *etcd.Compactor
	caches    []*etcd.Cache
	closers   []func() error
}

// openStorage connects to the external etcd of the flags, or starts one inside.
func openStorage(f serveFlags, log *slog.Logger) (*openedStorage, error) {
	s := &openedStorage{log: log}
	warnings := etcdLog{log}
	report := func(err error) { log.Warn("compacting etcd", "error", err) }
	if len(f.etcd.Endpoints) > 0 {
		f.etcd.Log = warnings
		dialed, err := etcd.Dial(f.etcd)
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, dialed.Close)
		s.Storage = etcd.New(dialed, f.etcdPrefix)
		s.compactor = etcd.StartCompactor(dialed, etcd.CompactEvery, report)
	} else {
		embedded, err := etcd.Start(etcd.EmbedConfig{DataDir: filepath.Join(f.dataDir, "etcd"), Log: warnings})
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, embedded.Close)
		s.Storage = embedded.Storage(f.etcdPrefix)
		s.compactor = etcd.StartCompactor(embedded.Client(), etcd.CompactEvery, report)
	}
	return s, nil
}

// cache serves the reads below a key root from memory.
func (s *openedStorage) cache(keyRoot string) engine.Storage {
	cache := etcd.NewCache(s.Storage, keyRoot+"/", etcd.CacheOptions{})
	s.caches = append(s.caches, cache)
	return cache
}

func (s *openedStorage) close() error {
	s.compactor.Stop()
	for _, c := range s.caches {
		c.Stop()
	}
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}
