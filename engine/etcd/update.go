package etcd

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// Update replaces the value if the key's mod revision is ifRevision, or returns *engine.RevisionError.
//
//   - Without a TTL the key lasts from now on, whatever it had before.
//   - A guard that does not hold comes first: it is *engine.GuardError.
func (s *Storage) Update(ctx context.Context, key string, value []byte, ifRevision int64, opts engine.WriteOptions) (int64, error) {
	etcdKey, err := s.key(key)
	if err != nil {
		return 0, err
	}
	result, err := s.put(ctx, etcdKey, value, opts, unchanged(etcdKey, ifRevision)...)
	if err != nil {
		return 0, err
	}
	if !result.done {
		return 0, &engine.RevisionError{Key: key, Wanted: ifRevision, Current: result.current}
	}
	return result.revision, nil
}

// unchanged is the condition that a key is there and at a revision: etcd alone takes an absent key to be at 0.
func unchanged(key string, revision int64) []clientv3.Cmp {
	return []clientv3.Cmp{
		clientv3.Compare(clientv3.ModRevision(key), "=", revision),
		clientv3.Compare(clientv3.CreateRevision(key), ">", 0),
	}
}
