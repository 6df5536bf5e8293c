package etcd

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// Delete removes the key if its mod revision is ifRevision, or returns *engine.RevisionError.
//
//   - The revision it returns is the deletion's own.
//   - A TTL makes no sense here and is refused.
func (s *Storage) Delete(ctx context.Context, key string, ifRevision int64, opts engine.WriteOptions) (int64, error) {
	etcdKey, err := s.key(key)
	if err != nil {
		return 0, err
	}
	if opts.TTL != 0 {
		return 0, fmt.Errorf("delete %s: a deletion takes no TTL", key)
	}
	result, err := s.commit(ctx, etcdKey, clientv3.OpDelete(etcdKey), opts.Guards, unchanged(etcdKey, ifRevision))
	if err != nil {
		return 0, err
	}
	if !result.done {
		return 0, &engine.RevisionError{Key: key, Wanted: ifRevision, Current: result.current}
	}
	return result.revision, nil
}
