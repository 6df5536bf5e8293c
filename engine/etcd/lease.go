package etcd

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// A lease is handed out again for a twentieth of its TTL, at most a minute, and to so many keys: etcd
// removes all keys of a lease in one transaction.
const (
	leaseShare    = 20
	mostShareTime = time.Minute
	mostLeaseKeys = 1000
)

// leases grants the leases that let keys go by themselves, one for all writes of the same TTL within a
// small window, so that thousands of events do not make thousands of leases.
//
//   - A key lives at least its TTL, and at most the window longer.
type leases struct {
	grant func(ctx context.Context, seconds int64) (clientv3.LeaseID, error)
	now   func() time.Time

	turn  chan struct{} // holds one token: whoever has it may touch byTTL
	byTTL map[int64]*sharedLease
}

// sharedLease is the lease that the writes of one TTL get at present.
type sharedLease struct {
	id      clientv3.LeaseID
	expires time.Time
	keys    int
}

func newLeases(client *clientv3.Client) *leases {
	l := &leases{
		grant: func(ctx context.Context, seconds int64) (clientv3.LeaseID, error) {
			resp, err := client.Grant(ctx, seconds)
			if err != nil {
				return clientv3.NoLease, err
			}
			return resp.ID, nil
		},
		now:   time.Now,
		turn:  make(chan struct{}, 1),
		byTTL: map[int64]*sharedLease{},
	}
	l.turn <- struct{}{}
	return l
}

// get is a lease that lasts at least ttl seconds; none for 0.
func (l *leases) get(ctx context.Context, ttl int64) (clientv3.LeaseID, error) {
	if ttl == 0 {
		return clientv3.NoLease, nil
	}
	select {
	case <-l.turn:
	case <-ctx.Done():
		return clientv3.NoLease, ctx.Err()
	}
	defer func() { l.turn <- struct{}{} }()

	now, life := l.now(), time.Duration(ttl)*time.Second
	if lease := l.byTTL[ttl]; lease != nil && lease.keys < mostLeaseKeys && !lease.expires.Before(now.Add(life)) {
		lease.keys++
		return lease.id, nil
	}
	l.prune(now)
	window := int64(min(life/leaseShare, mostShareTime) / time.Second)
	id, err := l.grant(ctx, ttl+window)
	if err != nil {
		return clientv3.NoLease, err
	}
	l.byTTL[ttl] = &sharedLease{id: id, expires: now.Add(life + time.Duration(window)*time.Second), keys: 1}
	return id, nil
}

// forget makes sure that a lease which etcd no longer has is not handed out again.
func (l *leases) forget(ctx context.Context, id clientv3.LeaseID) {
	select {
	case <-l.turn:
	case <-ctx.Done():
		return
	}
	defer func() { l.turn <- struct{}{} }()
	for ttl, lease := range l.byTTL {
		if lease.id == id {
			delete(l.byTTL, ttl)
		}
	}
}

// prune drops the leases that cannot be handed out any more.
func (l *leases) prune(now time.Time) {
	for ttl, lease := range l.byTTL {
		if lease.expires.Before(now.Add(time.Duration(ttl) * time.Second)) {
			delete(l.byTTL, ttl)
		}
	}
}
