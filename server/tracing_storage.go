package server

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/stratagem-dev/stratagem/engine"
)

// tracedStorage is a storage whose operations have spans, those too that are answered from memory. Watches have none: they
// last as long as their request.
type tracedStorage struct {
	engine.Storage
	tracing *Tracing
}

func (t *Tracing) storage(s engine.Storage) engine.Storage { return &tracedStorage{s, t} }

func (s *tracedStorage) begin(ctx context.Context, operation, key string) (context.Context, trace.Span) {
	return s.tracing.begin(ctx, "storage "+operation, attribute.String("db.system.name", "etcd"), attribute.String("db.operation.name", operation), attribute.String("etcd.key", key))
}

// Create is Storage's, in a span.
func (s *tracedStorage) Create(ctx context.Context, key string, value []byte, opts engine.WriteOptions) (revision int64, err error) {
	ctx, span := s.begin(ctx, "create", key)
	defer func() { end(span, err) }()
	return s.Storage.Create(ctx, key, value, opts)
}

// Update is Storage's, in a span.
func (s *tracedStorage) Update(ctx context.Context, key string, value []byte, ifRevision int64, opts engine.WriteOptions) (revision int64, err error) {
	ctx, span := s.begin(ctx, "update", key)
	defer func() { end(span, err) }()
	return s.Storage.Update(ctx, key, value, ifRevision, opts)
}

// Delete is Storage's, in a span.
func (s *tracedStorage) Delete(ctx context.Context, key string, ifRevision int64, opts engine.WriteOptions) (revision int64, err error) {
	ctx, span := s.begin(ctx, "delete", key)
	defer func() { end(span, err) }()
	return s.Storage.Delete(ctx, key, ifRevision, opts)
}

// Get is Storage's, in a span.
func (s *tracedStorage) Get(ctx context.Context, key string) (item engine.Item, err error) {
	ctx, span := s.begin(ctx, "get", key)
	defer func() { end(span, err) }()
	return s.Storage.Get(ctx, key)
}

// List is Storage's, in a span.
func (s *tracedStorage) List(ctx context.Context, prefix string, opts engine.ListOptions) (page engine.Page, err error) {
	ctx, span := s.begin(ctx, "list", prefix)
	defer func() { end(span, err) }()
	return s.Storage.List(ctx, prefix, opts)
}

// Revision is Storage's, in a span.
func (s *tracedStorage) Revision(ctx context.Context) (revision int64, err error) {
	ctx, span := s.begin(ctx, "revision", "")
	defer func() { end(span, err) }()
	return s.Storage.Revision(ctx)
}

// Peek is the storage's own, where it has one.
func (s *tracedStorage) Peek(key string) (engine.Item, bool) {
	if p, ok := s.Storage.(engine.Peeker); ok {
		return p.Peek(key)
	}
	return engine.Item{}, false
}

// Stop is the storage's own, where it has one.
func (s *tracedStorage) Stop() {
	if stopper, ok := s.Storage.(interface{ Stop() }); ok {
		stopper.Stop()
	}
}

var _ engine.Peeker = (*tracedStorage)(nil)
