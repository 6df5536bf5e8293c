package etcd

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// present is the Guard.Revision that any revision of the key satisfies.
const present = -1

// outcome is how a conditional write went.
type outcome struct {
	revision int64
	done     bool         // false: the condition on the key did not hold
	current  *engine.Item // the key as it is where the condition did not hold; nil where it is absent
}

// put writes value under key (a key in etcd) if the conditions and the options' guards hold.
func (s *Storage) put(ctx context.Context, key string, value []byte, opts engine.WriteOptions, when ...clientv3.Cmp) (outcome, error) {
	if opts.TTL < 0 {
		return outcome{}, fmt.Errorf("the TTL of %s is negative: %d", key[len(s.prefix):], opts.TTL)
	}
	for retried := false; ; retried = true {
		lease, err := s.leases.get(ctx, opts.TTL)
		if err != nil {
			return outcome{}, s.failed(ctx, "lease", err)
		}
		result, err := s.commit(ctx, key, clientv3.OpPut(key, string(value), clientv3.WithLease(lease)), opts.Guards, when)
		switch {
		case err == nil:
			return result, nil
		case errors.Is(err, rpctypes.ErrLeaseNotFound) && !retried:
			s.leases.forget(ctx, lease) // somebody revoked it
		case tooLarge(err):
			return outcome{}, &engine.TooLargeError{Key: key[len(s.prefix):], Size: len(value)}
		default:
			return outcome{}, err
		}
	}
}

// commit runs one operation on key if the conditions and the guards hold, all in one transaction. Where
// one does not hold, the same transaction reads what is there.
func (s *Storage) commit(ctx context.Context, key string, then clientv3.Op, guards []engine.Guard, when []clientv3.Cmp) (outcome, error) {
	if err := ctx.Err(); err != nil {
		return outcome{}, s.failed(ctx, "write "+key[len(s.prefix):], err) // in process, etcd would write all the same
	}
	otherwise := make([]clientv3.Op, 1, 1+len(guards))
	otherwise[0] = clientv3.OpGet(key)
	for _, guard := range guards {
		guardKey, err := s.key(guard.Key)
		if err != nil {
			return outcome{}, fmt.Errorf("guard: %w", err)
		}
		when = append(when, guardCmp(guardKey, guard.Revision))
		otherwise = append(otherwise, clientv3.OpGet(guardKey, clientv3.WithKeysOnly()))
	}
	resp, err := s.client.Txn(ctx).If(when...).Then(then).Else(otherwise...).Commit()
	if err != nil {
		return outcome{}, s.failed(ctx, "write "+key[len(s.prefix):], err)
	}
	result := outcome{revision: resp.Header.GetRevision(), done: resp.Succeeded}
	if result.done {
		return result, nil
	}
	var failed []engine.Guard
	for i, guard := range guards {
		if !holds(guard.Revision, resp.Responses[1+i].GetResponseRange().GetKvs()) {
			failed = append(failed, guard)
		}
	}
	if len(failed) > 0 {
		return outcome{}, &engine.GuardError{Guards: failed}
	}
	if kvs := resp.Responses[0].GetResponseRange().GetKvs(); len(kvs) > 0 {
		item := s.item(kvs[0])
		result.current = &item
	}
	return result, nil
}

// guardCmp is the condition of a guard on a key in etcd.
func guardCmp(key string, revision int64) clientv3.Cmp {
	if revision == present {
		return clientv3.Compare(clientv3.ModRevision(key), ">", 0)
	}
	return clientv3.Compare(clientv3.ModRevision(key), "=", revision)
}

// holds tells whether a guard's condition is true of what was read.
func holds(revision int64, kvs []*mvccpb.KeyValue) bool {
	if len(kvs) == 0 {
		return revision == 0
	}
	return revision == present || kvs[0].ModRevision == revision
}

// item is what etcd read, without the prefix.
func (s *Storage) item(kv *mvccpb.KeyValue) engine.Item {
	return engine.Item{Key: s.strip(kv.Key), Data: kv.Value, Revision: kv.ModRevision}
}
