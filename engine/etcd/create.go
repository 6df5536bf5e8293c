package etcd

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// Create puts value under key if the key is absent, or returns *engine.KeyExistsError.
//
//   - A guard that does not hold comes first: it is *engine.GuardError even where the key exists.
func (s *Storage) Create(ctx context.Context, key string, value []byte, opts engine.WriteOptions) (int64, error) {
	etcdKey, err := s.key(key)
	if err != nil {
		return 0, err
	}
	absent := clientv3.Compare(clientv3.CreateRevision(etcdKey), "=", 0)
	result, err := s.put(ctx, etcdKey, value, opts, absent)
	if err != nil {
		return 0, err
	}
	if !result.done {
		return 0, &engine.KeyExistsError{Existing: *result.current}
	}
	return result.revision, nil
}
