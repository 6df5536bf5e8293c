package etcd

import (
	"context"

	"github.com/stratagem-dev/stratagem/engine"
)

// Get reads one key at a moment not before the call, or returns *engine.KeyNotFoundError.
func (s *Storage) Get(ctx context.Context, key string) (engine.Item, error) {
	etcdKey, err := s.key(key)
	if err != nil {
		return engine.Item{}, err
	}
	resp, err := s.client.Get(ctx, etcdKey, s.read()...)
	if err != nil {
		return engine.Item{}, s.failed(ctx, "read "+key, err)
	}
	if len(resp.Kvs) == 0 {
		return engine.Item{}, &engine.KeyNotFoundError{Key: key, Revision: resp.Header.GetRevision()}
	}
	return s.item(resp.Kvs[0]), nil
}
