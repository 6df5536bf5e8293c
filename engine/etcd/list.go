package etcd

import (
	"context"
	"fmt"

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
	page := engine.Page{Revision: opts.Revision}
	limit := int64(firstRange)
	for first := true; ; first = false {
		if opts.Limit > 0 {
			limit = min(limit, opts.Limit-int64(len(page.Items)))
		}
		resp, err := s.client.Get(ctx, start, clientv3.WithRange(end), clientv3.WithLimit(limit), clientv3.WithRev(page.Revision))
		if err != nil {
			return engine.Page{}, s.readFailed(ctx, "list "+prefix, page.Revision, err)
		}
		if first {
			page.Count = resp.Count
			page.Revision = revisionOf(opts, resp)
		}
		bytes := 0
		for _, kv := range resp.Kvs {
			page.Items = append(page.Items, s.item(kv))
			bytes += len(kv.Value)
		}
		page.More = resp.More
		if !resp.More || (opts.Limit > 0 && int64(len(page.Items)) >= opts.Limit) {
			return page, nil
		}
		start = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
		limit = nextRange(len(resp.Kvs), bytes)
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
	resp, err := s.client.Get(ctx, start, clientv3.WithRange(end), clientv3.WithRev(opts.Revision), clientv3.WithCountOnly())
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

// nextRange is how many keys to ask for after n keys of so many bytes.
func nextRange(n, bytes int) int64 {
	each := max(1, bytes/n)
	return int64(min(max(1, rangeBytes/each), 4*n, mostRange))
}
