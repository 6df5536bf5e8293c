package etcd

import (
	"context"
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// fakeLeases counts what is granted, at a time that stands still.
func fakeLeases() (l *leases, granted *[]int64, now *time.Time) {
	l = newLeases(nil)
	granted, now = new([]int64), new(time.Time)
	*now = time.Unix(1_000_000, 0)
	l.now = func() time.Time { return *now }
	l.grant = func(_ context.Context, seconds int64) (clientv3.LeaseID, error) {
		*granted = append(*granted, seconds)
		return clientv3.LeaseID(len(*granted)), nil
	}
	return l, granted, now
}

func take(t *testing.T, l *leases, ttl int64) clientv3.LeaseID {
	t.Helper()
	id, err := l.get(context.Background(), ttl)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestLeasesAreShared(t *testing.T) {
	l, granted, now := fakeLeases()
	if id := take(t, l, 0); id != clientv3.NoLease || len(*granted) != 0 {
		t.Errorf("lease %d without a TTL", id)
	}
	first := take(t, l, 3600)
	*now = now.Add(59 * time.Second)
	if take(t, l, 3600) != first || (*granted)[0] != 3660 {
		t.Errorf("granted %v", *granted)
	}
	*now = now.Add(2 * time.Second)
	if take(t, l, 3600) == first {
		t.Error("the lease may end before the key's TTL")
	}
	if take(t, l, 600) == take(t, l, 3600) {
		t.Error("two TTLs share a lease")
	}
	if len(*granted) != 3 {
		t.Errorf("granted %v", *granted)
	}
}

func TestLeaseHoldsSoManyKeys(t *testing.T) {
	l, granted, _ := fakeLeases()
	for range 3 * mostLeaseKeys {
		take(t, l, 3600)
	}
	if len(*granted) != 3 {
		t.Errorf("%d leases", len(*granted))
	}
}

func TestLeasesAreForgotten(t *testing.T) {
	l, granted, now := fakeLeases()
	for ttl := range int64(100) {
		take(t, l, ttl+1)
	}
	*now = now.Add(time.Hour)
	take(t, l, 3600)
	if len(l.byTTL) != 1 {
		t.Errorf("%d leases are kept", len(l.byTTL))
	}
	l.forget(context.Background(), clientv3.LeaseID(len(*granted)))
	if take(t, l, 3600) != clientv3.LeaseID(len(*granted)) || len(*granted) != 102 {
		t.Errorf("a forgotten lease is handed out")
	}
}

func TestLeaseGrantFails(t *testing.T) {
	l, _, _ := fakeLeases()
	boom := errors.New("boom")
	l.grant = func(context.Context, int64) (clientv3.LeaseID, error) { return 0, boom }
	if _, err := l.get(context.Background(), 60); !errors.Is(err, boom) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	<-l.turn // somebody else waits for etcd
	if _, err := l.get(ctx, 60); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestRevokedLease: that an operator revokes a lease under our hands is no failure of a write.
func TestRevokedLease(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	storage := server.Storage("registry")
	ttl := engine.WriteOptions{TTL: 3600}
	if _, err := storage.Create(ctx, "/a", nil, ttl); err != nil {
		t.Fatal(err)
	}
	if _, err := storage.Create(ctx, "/b", nil, ttl); err != nil {
		t.Fatal(err)
	}
	granted, err := server.Client().Leases(ctx)
	if err != nil || len(granted.Leases) != 1 {
		t.Fatalf("leases %v %v", granted, err)
	}
	if _, err := server.Client().Revoke(ctx, clientv3.LeaseID(granted.Leases[0].ID)); err != nil {
		t.Fatal(err)
	}
	if _, err := storage.Create(ctx, "/a", nil, ttl); err != nil {
		t.Errorf("create after the lease was revoked: %v", err)
	}
}
