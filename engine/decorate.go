package engine

import (
	"context"
	"encoding/json"
	"fmt"
)

// The most that one call of Decorate gets, so that a long list stays within the budget of a call.
const (
	decorateBatchItems = 50
	decorateBatchBytes = 1 << 20
)

// decorates tells whether the strategy has something to add to what is served.
func (s *Store) decorates() bool { return hooked(s.Resource.Strategy).Has(Decorate) }

// decorate adds to objects, in place, what is served with them and not stored.
func (s *Store) decorate(ctx context.Context, info *RequestInfo, objects []Object) error {
	if !s.decorates() {
		return nil
	}
	at := *info
	at.Version, at.Subresource = s.hookVersion(info.Version), ""
	for len(objects) > 0 {
		n := batch(objects, decorateBatchItems, decorateBatchBytes)
		items := append([]Object(nil), objects[:n]...)
		if err := s.convertAll(ctx, info, items, at.Version); err != nil {
			return err
		}
		reply, err := s.Resource.Strategy.Run(ctx, HooksOf(Decorate), &Call{Request: &at, Items: items})
		if err != nil {
			return err
		}
		if len(reply.Items) != n {
			return s.malformed("Decorate", fmt.Errorf("%d items for %d objects", len(reply.Items), n))
		}
		if err := s.convertAll(ctx, info, reply.Items, info.Version); err != nil {
			return err
		}
		objects = objects[copy(objects, reply.Items):]
	}
	return nil
}

// decorated is one object as it is served. A request without a version gets it as it is stored.
func (s *Store) decorated(ctx context.Context, info *RequestInfo, obj Object) (Object, error) {
	if !s.decorates() || info.Version == "" {
		return obj, nil
	}
	objects := [1]Object{obj}
	err := s.decorate(ctx, info, objects[:])
	return objects[0], err
}

// ttl asks the strategy how many seconds an object is to live; 0 is for ever. On an update it counts from then on. What
// the operator says goes before.
func (s *Store) ttl(ctx context.Context, info *RequestInfo, obj, old Object) (int64, error) {
	if !hooked(s.Resource.Strategy).Has(TTL) {
		return 0, nil
	}
	if seconds, told := s.options.TTL[s.Resource.GroupResource()]; told {
		return seconds, nil
	}
	result, err := s.ask(ctx, TTL, info, obj, old)
	if err != nil {
		return 0, err
	}
	var seconds uint32
	if err := json.Unmarshal(result, &seconds); err != nil {
		return 0, s.malformed("TTL", err)
	}
	return int64(seconds), nil
}

// deletesDuringUpdate tells whether an update completes a deletion, where the strategy agrees.
func (s *Store) deletesDuringUpdate(ctx context.Context, info *RequestInfo, obj, old Object) (yes bool, err error) {
	if !deletedByUpdate(obj, old) || !hooked(s.Resource.Strategy).Has(ShouldDeleteDuringUpdate) {
		return deletedByUpdate(obj, old), nil
	}
	result, err := s.ask(ctx, ShouldDeleteDuringUpdate, info, obj, old)
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(result, &yes); err != nil {
		return false, s.malformed("ShouldDeleteDuringUpdate", err)
	}
	return yes, nil
}

// ask runs a hook that answers by a result. The hook is the resource's, also where a subresource is written.
func (s *Store) ask(ctx context.Context, hook Hook, info *RequestInfo, obj, old Object) (json.RawMessage, error) {
	at := *info
	at.Subresource = ""
	reply, err := s.run(ctx, s.Resource.Strategy, HooksOf(hook), &Call{Request: &at, Object: obj, Old: old})
	return reply.Result, err
}

func (s *Store) malformed(hook string, err error) error {
	return &HookError{Plugin: s.Resource.Plural, Revision: s.Resource.Revision, Hook: hook, Kind: FailedMalformed, Err: err}
}
