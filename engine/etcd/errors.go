package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/stratagem-dev/stratagem/engine"
)

// failed says what an error of etcd means: the caller's own context, a storage that is closed, or a failure to do what.
func (s *Storage) failed(ctx context.Context, what string, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return fmt.Errorf("%s: %w", what, ctxErr)
	}
	if s.client.Ctx().Err() != nil {
		return fmt.Errorf("%s: %w", what, engine.ErrStopped)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// readFailed is failed for a read at a wanted revision (0: the newest).
func (s *Storage) readFailed(ctx context.Context, what string, wanted int64, err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return &engine.CompactedError{Wanted: wanted, Compacted: s.compacted(ctx, wanted)}
	case errors.Is(err, rpctypes.ErrFutureRev):
		current, err := s.Revision(ctx)
		if err != nil {
			return err
		}
		return &engine.FutureRevisionError{Wanted: wanted, Current: current}
	}
	return s.failed(ctx, what, err)
}

// compacted asks for the oldest revision, which only a watch is told; 0 where even that fails.
func (s *Storage) compacted(ctx context.Context, wanted int64) int64 {
	watcher := s.newWatcher()
	defer func() { _ = watcher.Close() }()
	for resp := range watcher.Watch(ctx, s.prefix+"/", clientv3.WithRev(wanted)) {
		return resp.CompactRevision
	}
	return 0
}

// tooLarge tells the refusals of a request for its size: etcd's own, and those of the connection's two ends.
func tooLarge(err error) bool {
	if errors.Is(err, rpctypes.ErrRequestTooLarge) {
		return true
	}
	return status.Code(err) == codes.ResourceExhausted && strings.Contains(err.Error(), "larger than max")
}

// lost tells the failures of a watch that another try may heal.
func lost(err error) bool {
	var etcdErr rpctypes.EtcdError
	if errors.As(err, &etcdErr) {
		return etcdErr.Code() == codes.Unavailable
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled, codes.Internal, codes.Unknown:
		return true
	}
	return false
}

// closeClient closes a client; that its context has ended then is what was asked for.
func closeClient(client *clientv3.Client) error {
	if err := client.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("close the etcd client: %w", err)
	}
	return nil
}
