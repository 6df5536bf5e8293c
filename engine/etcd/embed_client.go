package etcd

import (
	"context"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/proxy/grpcproxy/adapter"
	"google.golang.org/grpc"
)

// readGate lets Close wait for the reads under way: in process they run on the caller's goroutine, down to the
// database, and one that met a closed database would panic.
type readGate struct {
	pb.KVClient

	mu     sync.RWMutex
	closed bool
}

// localWatcher is the in-process client's watcher, and knows how to make another one.
type localWatcher struct {
	clientv3.Watcher
	another func() clientv3.Watcher
}

// newLocalClient is etcd's own in-process client, with its reads and watches behind gates.
func newLocalClient(server *etcdserver.EtcdServer) (*clientv3.Client, *readGate, *watchGate) {
	client := v3client.New(server)
	reads := &readGate{KVClient: adapter.KvServerToKvClient(v3rpc.NewQuotaKVServer(server))}
	client.KV = clientv3.NewKVFromKVClient(reads, client)
	watches := newWatchGate(v3rpc.NewWatchServer(server))
	another := func() clientv3.Watcher {
		return clientv3.NewWatchFromWatchClient(adapter.WatchServerToWatchClient(watches), client)
	}
	client.Watcher = &localWatcher{Watcher: another(), another: another}
	return client, reads, watches
}

// Range reads while the gate is open.
func (g *readGate) Range(ctx context.Context, in *pb.RangeRequest, opts ...grpc.CallOption) (*pb.RangeResponse, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return nil, rpctypes.ErrGRPCStopped
	}
	return g.KVClient.Range(ctx, in, opts...)
}

// close refuses what comes from now on, and waits for the reads under way.
func (g *readGate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}
