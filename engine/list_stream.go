package engine

import "context"

// ListStream is a List whose objects are handed out one by one, straight from where they are held: a list of everything has
// no slice of everything.
type ListStream struct {
	List  // its Items are those of a list that is held after all
	store *Store
	info  *RequestInfo
	runs  [][]*Item
}

// Stream is List for an answer that is written as it is read. What cannot be read is an error here, and not in the middle.
func (s *Store) Stream(ctx context.Context, req ListRequest) (*ListStream, error) {
	if !req.Selector.Empty() || req.Limit > 0 || req.Continue != "" || s.decorates() {
		list, err := s.List(ctx, req)
		return &ListStream{List: list}, err
	}
	prefix := s.prefix(req.Info.Namespace)
	options, err := s.listOptions(ctx, req, prefix)
	if err != nil {
		return nil, err
	}
	options.Last = true
	page, err := s.storage.List(ctx, prefix, options)
	if err != nil {
		return nil, s.listFailure(err, req, "")
	}
	l := &ListStream{List: List{Revision: page.Revision, Remaining: -1}, store: s, info: req.Info, runs: page.Runs}
	if page.Items != nil {
		l.Remaining, l.runs = -1, nil
		_, _, err := s.fill(ctx, &l.List, &page, req)
		return l, err
	}
	for _, run := range l.runs {
		if s.known(run, req.Info) {
			continue
		}
		if _, err := s.readAll(ctx, run, req.Info); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// known tells whether all items of a run have been read before.
func (s *Store) known(run []*Item, info *RequestInfo) bool {
	for _, item := range run {
		if known, _ := item.Memo.get(s.Resource, info.Version); known == nil {
			return false
		}
	}
	return true
}

// Len is how many objects there are.
func (l *ListStream) Len() int {
	n := len(l.Items)
	for _, run := range l.runs {
		n += len(run)
	}
	return n
}

// Each hands out the objects in order, until yield returns an error.
func (l *ListStream) Each(ctx context.Context, yield func(Listed) error) error {
	for _, listed := range l.Items {
		if err := yield(listed); err != nil {
			return err
		}
	}
	for _, run := range l.runs {
		for _, item := range run {
			obj, place, err := l.store.readPlaced(ctx, *item, l.info)
			if err != nil {
				return err
			}
			if err := yield(Listed{obj, item.Revision, place}); err != nil {
				return err
			}
		}
	}
	return nil
}
