package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// CompactEvery is how often kube-apiserver compacts, and so how long old revisions can be read at least.
const CompactEvery = 5 * time.Minute

// compactKey is where the servers on one etcd agree whose turn it is. It stands outside of every prefix
// and is kube-apiserver's own: both can share an etcd.
const compactKey = "compact_rev_key"

// Compactor makes etcd forget, at every interval, the revisions that were there at the one before.
//
//   - Any number of servers may run one over the same etcd: one of them compacts, once an interval.
type Compactor struct {
	client *clientv3.Client
	stop   context.CancelFunc
	done   chan struct{}

	turn     int64 // version of the compactKey when this server last saw it
	revision int64 // etcd's revision then
}

// StartCompactor compacts every so often until Stop.
//
//   - A failure goes to report, which may be nil, and the next interval tries again.
func StartCompactor(client *clientv3.Client, every time.Duration, report func(error)) *Compactor {
	ctx, stop := context.WithCancel(context.Background())
	c := &Compactor{client: client, stop: stop, done: make(chan struct{})}
	go c.run(ctx, every, report)
	return c
}

// Stop ends the compactor and waits for it.
func (c *Compactor) Stop() {
	c.stop()
	<-c.done
}

func (c *Compactor) run(ctx context.Context, every time.Duration, report func(error)) {
	defer close(c.done)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if _, err := c.tick(ctx); err != nil && ctx.Err() == nil && report != nil {
			report(err)
		}
	}
}

// tick takes the turn, if no other server has since the last tick, and compacts to the revision that
// etcd had at that last tick. It returns the revision it compacted to, or 0.
func (c *Compactor) tick(ctx context.Context) (compacted int64, err error) {
	value := strconv.FormatInt(c.revision, 10)
	resp, err := c.client.Txn(ctx).
		If(clientv3.Compare(clientv3.Version(compactKey), "=", c.turn)).
		Then(clientv3.OpPut(compactKey, value)).
		Else(clientv3.OpGet(compactKey)).
		Commit()
	if err != nil {
		return 0, fmt.Errorf("take the turn to compact: %w", err)
	}
	wanted := c.revision
	c.revision = resp.Header.GetRevision()
	if !resp.Succeeded {
		c.turn = 0
		if kvs := resp.Responses[0].GetResponseRange().GetKvs(); len(kvs) > 0 {
			c.turn = kvs[0].Version
		}
		return 0, nil
	}
	c.turn++
	if wanted == 0 {
		return 0, nil
	}
	if _, err := c.client.Compact(ctx, wanted); err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return 0, fmt.Errorf("compact to revision %d: %w", wanted, err)
	}
	return wanted, nil
}
