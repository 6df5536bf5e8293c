package etcd

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// A List is read in ranges of a size that keeps etcd's answers bounded: it starts small, since the size
// of the values is not known yet, and grows until an answer is of some MiB.
const (
	firstRange = 200
	mostRange  = 10_000
	rangeBytes = 4 << 20
)

// List reads the keys under a prefix, in key order, all at one revision.
//
//   - However many ranges it takes, all are read at the revision of the first; where that is compacted
//     meanwhile, the list fails with *engine.CompactedError.
func (s *Storage) List(ctx context.Context, prefix string, opts engine.ListOptions) (engine.Page, error) {
	start, end, err := s.listRange(prefix, opts)
	if err != nil {
		return engine.Page{}, err
	}
	if opts.CountOnly {
		return s.count(ctx, prefix, start, end, opts)
	}
	var page engine.Page
	err = s.ranges(ctx, prefix, start, end, opts, func(resp *clientv3.GetResponse) {
		if len(page.Items) == 0 {
			page.Count = resp.Count
			page.Revision = revisionOf(opts, resp)
		}
		for _, kv := range resp.Kvs {
			page.Items = append(page.Items, s.item(kv))
		}
		page.More = resp.More
	})
	if err != nil {
		return engine.Page{}, err
	}
	return page, nil
}

// ranges reads the keys from start to end in as many ranges as it takes, all at one revision.
func (s *Storage) ranges(ctx context.Context, prefix, start, end string, opts engine.ListOptions, each func(*clientv3.GetResponse)) error {
	revision, limit, left := opts.Revision, int64(firstRange), opts.Limit
	for {
		if opts.Limit > 0 {
			limit = min(limit, left)
		}
		resp, err := s.client.Get(ctx, start, s.read(clientv3.WithRange(end), clientv3.WithLimit(limit), clientv3.WithRev(revision))...)
		if err != nil {
			return s.readFailed(ctx, "list "+prefix, revision, err)
		}
		each(resp)
		left -= int64(len(resp.Kvs))
		if !resp.More || (opts.Limit > 0 && left == 0) {
			return nil
		}
		if revision == 0 {
			revision = resp.Header.GetRevision()
		}
		start = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
		limit = nextRange(resp.Kvs)
	}
}

// listRange is the range of keys in etcd, first included, last not.
func (s *Storage) listRange(prefix string, opts engine.ListOptions) (start, end string, err error) {
	if start, err = s.key(prefix); err != nil {
		return "", "", err
	}
	if opts.Revision < 0 || opts.Limit < 0 {
		return "", "", fmt.Errorf("list %s: neither revision %d nor limit %d may be negative", prefix, opts.Revision, opts.Limit)
	}
	end = clientv3.GetPrefixRangeEnd(start)
	if opts.From > prefix {
		start = s.prefix + opts.From
	}
	return start, end, nil
}

func (s *Storage) count(ctx context.Context, prefix, start, end string, opts engine.ListOptions) (engine.Page, error) {
	resp, err := s.client.Get(ctx, start, s.read(clientv3.WithRange(end), clientv3.WithRev(opts.Revision), clientv3.WithCountOnly())...)
	if err != nil {
		return engine.Page{}, s.readFailed(ctx, "count "+prefix, opts.Revision, err)
	}
	return engine.Page{Revision: revisionOf(opts, resp), Count: resp.Count}, nil
}

func revisionOf(opts engine.ListOptions, resp *clientv3.GetResponse) int64 {
	if opts.Revision > 0 {
		return opts.Revision
	}
	return resp.Header.GetRevision()
}

// nextRange is how many keys to ask for after such an answer.
func nextRange(kvs []*mvccpb.KeyValue) int64 {
	bytes := 0
	for _, kv := range kvs {
		bytes += len(kv.Value)
	}
	each := max(1, bytes/len(kvs))
	return int64(min(max(1, rangeBytes/each), 4*len(kvs), mostRange))
}
