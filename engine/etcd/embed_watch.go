package etcd

import (
	"context"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// watchGate lets Close end the watches and wait for them: in process they read the values before a change from the database,
// and one that met a closed database would panic.
type watchGate struct {
	pb.WatchServer

	ending context.Context
	end    context.CancelFunc

	mu      sync.Mutex // orders Watch and close
	closed  bool
	running sync.WaitGroup
}

// errWatchStopped ends a watch for good: the client would try again, for ever, what is merely unavailable.
var errWatchStopped = status.Error(codes.Canceled, rpctypes.ErrStopped.Error())

func newWatchGate(server pb.WatchServer) *watchGate {
	g := &watchGate{WatchServer: server}
	g.ending, g.end = context.WithCancel(context.Background())
	return g
}

// Watch serves a stream of watches until its client or the gate ends it.
func (g *watchGate) Watch(stream pb.Watch_WatchServer) error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return errWatchStopped
	}
	g.running.Add(1)
	g.mu.Unlock()
	defer g.running.Done()

	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	defer context.AfterFunc(g.ending, cancel)()
	return g.WatchServer.Watch(&endingStream{stream, ctx})
}

// close ends the watches, and those that come from now on.
func (g *watchGate) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.end()
	g.running.Wait()
}

// endingStream is a stream that ends with its gate.
type endingStream struct {
	pb.Watch_WatchServer
	ctx context.Context
}

// Context ends when the client or the gate ends the stream.
func (s *endingStream) Context() context.Context { return s.ctx }

// Send passes on an answer, unless the stream has ended.
func (s *endingStream) Send(answer *pb.WatchResponse) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return s.Watch_WatchServer.Send(answer)
}
