package engine

import "context"

// ListRequest asks for many objects.
type ListRequest struct {
	Info     *RequestInfo // an empty Namespace asks for all
	Selector Selector
	// ResourceVersion and Match are as in Kubernetes' table: "" newest, "0" any, else by Match.
	ResourceVersion string
	Match           ResourceVersionMatch
	Limit           int64
	Continue        string
}

// ResourceVersionMatch says how a list's resourceVersion is meant.
type ResourceVersionMatch string

// The values of the query parameter resourceVersionMatch. Without one a list with a limit is Exact, any other NotOlderThan.
const (
	NotOlderThan ResourceVersionMatch = "NotOlderThan"
	Exact        ResourceVersionMatch = "Exact"
)

// List is a page of objects, each in the version of the request and without its resourceVersion, which goes in
// when the page is written.
type List struct {
	Items     []Listed
	Revision  int64
	Continue  string
	Remaining int64 // -1: not known
}

// List reads the objects of a namespace, or of all, that the selector picks, at one revision.
func (s *Store) List(ctx context.Context, req ListRequest) (List, error) {
	list, err := s.list(ctx, req)
	if err != nil || !s.decorates() || req.Info.Version == "" {
		return list, err
	}
	objects := make([]Object, len(list.Items))
	for i, item := range list.Items {
		objects[i] = item.Object
	}
	if err := s.decorate(ctx, req.Info, objects); err != nil {
		return List{}, err
	}
	for i := range list.Items {
		list.Items[i].Object, list.Items[i].place = objects[i], 0
	}
	return list, nil
}

// list is List without what is served and not stored.
func (s *Store) list(ctx context.Context, req ListRequest) (List, error) {
	prefix := s.prefix(s.listNamespace(req.Info, req.Selector))
	options, err := s.listOptions(ctx, req, prefix)
	if err != nil {
		return List{}, err
	}
	if name := req.Selector.Name(); name != "" && req.Continue == "" && s.holdsNames(prefix) {
		return s.listOne(ctx, req, prefix+name, options)
	}
	list := List{Remaining: -1}
	for {
		page, err := s.storage.List(ctx, prefix, options)
		if err != nil {
			return List{}, s.listFailure(err, req, options.From[min(len(prefix), len(options.From)):])
		}
		if list.Revision == 0 {
			list.Revision, options.Revision = page.Revision, page.Revision
		}
		last, full, err := s.fill(ctx, &list, &page, req)
		if err != nil {
			return List{}, err
		}
		switch {
		case full && list.Remaining > 0:
			list.Continue = encodeContinue(list.Revision, last[len(prefix):]+"\x00")
			if !req.Selector.Empty() {
				list.Remaining = -1
			}
			return list, nil
		case full || !page.More:
			list.Remaining = -1
			return list, nil
		}
		options.From = last + "\x00"
	}
}

// fill adds the objects of a page that the selector picks. It returns the last key that it has looked at, and whether the
// list is full; then list.Remaining says how many keys follow.
func (s *Store) fill(ctx context.Context, list *List, page *Page, req ListRequest) (last string, full bool, err error) {
	left := page.Count
	for _, run := range page.runs() {
		objects, err := s.readAll(ctx, run, req.Info)
		if err != nil {
			return "", false, err
		}
		if list.Items == nil && req.Selector.Empty() {
			list.Items = make([]Listed, 0, pageLength(page))
		}
		for i, obj := range objects {
			left--
			last = run[i].Key
			if !req.Selector.Matches(obj) {
				continue
			}
			list.Items = append(list.Items, s.listed(run[i], obj, req.Info))
			if int64(len(list.Items)) == req.Limit {
				list.Remaining = left
				return last, true, nil
			}
		}
	}
	return last, false, nil
}

func pageLength(page *Page) (n int) {
	for _, run := range page.runs() {
		n += len(run)
	}
	return n
}

// listNamespace is the namespace that a list or watch can be confined to: that of the request, or the one that the
// selector asks for.
func (s *Store) listNamespace(info *RequestInfo, selector Selector) string {
	if info.Namespace == "" && s.Resource.Namespaced && selector.Fields != nil {
		namespace, _ := selector.Fields.RequiresExactMatch("metadata.namespace")
		return namespace
	}
	return info.Namespace
}

// holdsNames tells whether what follows a prefix in a key is an object's name.
func (s *Store) holdsNames(prefix string) bool {
	return !s.Resource.Namespaced || len(prefix) > len(s.Resource.KeyRoot)+1
}

// listOne serves a list that can only have one object, as metadata.name=x has. Its revision is the store's, like that of
// any list: one to watch from.
func (s *Store) listOne(ctx context.Context, req ListRequest, key string, options ListOptions) (List, error) {
	options.From, options.Limit, options.Last = key, 1, true
	page, err := s.storage.List(ctx, key, options)
	if err != nil {
		return List{}, s.listFailure(err, req, "")
	}
	list := List{Revision: page.Revision, Remaining: -1}
	for _, run := range page.runs() {
		objects, err := s.readAll(ctx, run, req.Info)
		if err != nil {
			return List{}, err
		}
		if run[0].Key == key && req.Selector.Matches(objects[0]) {
			list.Items = []Listed{s.listed(run[0], objects[0], req.Info)}
		}
	}
	return list, nil
}
