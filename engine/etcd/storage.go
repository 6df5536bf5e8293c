package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// Storage is engine.Storage over one etcd, below one prefix.
//
//   - Callers' keys ("/pods/default/a") bear no prefix: the Storage puts it in front of every key that
//     goes to etcd ("/registry/pods/default/a") and takes it off every key that comes back.
//   - List and Watch take a prefix as bytes: "/pods" holds "/podtemplates/…" too, so end it in a slash.
//   - It holds no connection of its own: closing the client ends it, with engine.ErrStopped from then on.
type Storage struct {
	client *clientv3.Client
	prefix string // "/registry", or "" for none
	leases *leases
	local  func() int64 // the revision of an etcd in this process; nil for any other
	hubs   hubs

	// newWatcher makes the connection of one watch, which shares nothing with another (see RATIONALE.md).
	newWatcher func() clientv3.Watcher
}

// New returns the Storage below prefix, which gets a leading slash if it has none and loses trailing ones.
func New(client *clientv3.Client, prefix string) *Storage {
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix = "/" + prefix
	}
	s := &Storage{client: client, prefix: prefix, leases: newLeases(client)}
	if local, ok := client.Watcher.(*localWatcher); ok {
		s.newWatcher = local.another
	} else {
		s.newWatcher = func() clientv3.Watcher { return clientv3.NewWatcher(client) }
	}
	return s
}

// Storage is New over the embedded etcd, with quicker reads: its only member is here, so what it has
// applied is the newest there is, and no read has to ask around (see RATIONALE.md).
func (s *Server) Storage(prefix string) *Storage {
	storage := New(s.client, prefix)
	storage.local = s.etcd.Server.KV().Rev
	return storage
}

// Prefix is what stands in front of every key in etcd, as "/registry".
func (s *Storage) Prefix() string { return s.prefix }

// Revision is the newest revision at a moment not before the call.
func (s *Storage) Revision(ctx context.Context) (int64, error) {
	if s.local != nil {
		if err := errors.Join(ctx.Err(), s.client.Ctx().Err()); err != nil {
			return 0, s.failed(ctx, "read the revision", err)
		}
		return s.local(), nil
	}
	// Nothing is ever stored under the bare prefix, so the answer is a header and nothing else.
	resp, err := s.client.Get(ctx, s.prefix+"/", clientv3.WithKeysOnly())
	if err != nil {
		return 0, s.failed(ctx, "read the revision", err)
	}
	return resp.Header.GetRevision(), nil
}

// read adds to the options of a read what lets it see the newest revision at the least cost.
func (s *Storage) read(opts ...clientv3.OpOption) []clientv3.OpOption {
	if s.local != nil {
		opts = append(opts, clientv3.WithSerializable())
	}
	return opts
}

// key is the key in etcd. A closed storage has none.
func (s *Storage) key(key string) (string, error) {
	if s.client.Ctx().Err() != nil {
		return "", engine.ErrStopped
	}
	if !strings.HasPrefix(key, "/") {
		return "", fmt.Errorf("key %q does not start with a slash", key)
	}
	return s.prefix + key, nil
}

// strip is the reverse of key.
func (s *Storage) strip(key []byte) string { return string(key[len(s.prefix):]) }

var _ engine.Storage = (*Storage)(nil)
