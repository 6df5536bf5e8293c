package engine

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

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

// The values of the query parameter resourceVersionMatch.
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

// Listed is one object of a List.
type Listed struct {
	Object   Object
	Revision int64
}

// List reads the objects of a namespace, or of all, that the selector picks, at one revision.
func (s *Store) List(ctx context.Context, req ListRequest) (List, error) {
	prefix := s.prefix(req.Info.Namespace)
	options, err := s.listOptions(ctx, req, prefix)
	if err != nil {
		return List{}, err
	}
	if name := req.Selector.Name(); name != "" && req.Info.Namespace != "" && req.Continue == "" {
		return s.listOne(ctx, req, name)
	}
	list := List{Remaining: -1}
	for {
		page, err := s.storage.List(ctx, prefix, options)
		if err != nil {
			return List{}, s.listFailure(err, req)
		}
		if list.Revision == 0 {
			list.Revision, options.Revision = page.Revision, page.Revision
		}
		objects, err := s.readAll(ctx, page.Items, req.Info)
		if err != nil {
			return List{}, err
		}
		for i, item := range page.Items {
			obj := objects[i]
			if !req.Selector.Matches(obj) {
				continue
			}
			list.Items = append(list.Items, Listed{obj, item.Revision})
			if req.Limit > 0 && int64(len(list.Items)) == req.Limit {
				if page.More || i+1 < len(page.Items) {
					list.Continue = encodeContinue(list.Revision, strings.TrimPrefix(item.Key, prefix)+"\x00")
					if req.Selector.Empty() {
						list.Remaining = page.Count - int64(i+1)
					}
				}
				return list, nil
			}
		}
		if !page.More {
			return list, nil
		}
		options.From = page.Items[len(page.Items)-1].Key + "\x00"
	}
}

// listOptions turns the request's version, limit and continue token into what the storage is asked for.
func (s *Store) listOptions(ctx context.Context, req ListRequest, prefix string) (ListOptions, error) {
	options := ListOptions{Limit: req.Limit}
	if req.Limit > 0 && !req.Selector.Empty() {
		options.Limit = max(req.Limit, 500)
	}
	if req.Continue != "" {
		if req.ResourceVersion != "" && req.ResourceVersion != "0" {
			return options, badRequest("specifying resource version is not allowed when using continue")
		}
		revision, start, err := decodeContinue(req.Continue)
		if err != nil {
			return options, badRequest("continue key is not valid: %v", err)
		}
		options.Revision, options.From = max(revision, 0), prefix+start
		return options, nil
	}
	wanted, err := s.wantedRevision(req.ResourceVersion)
	if err != nil {
		return options, err
	}
	switch {
	case req.Match != "" && req.ResourceVersion == "":
		return options, badRequest("resourceVersionMatch is forbidden unless resourceVersion is provided")
	case req.Match == Exact && wanted == 0:
		return options, badRequest(`resourceVersionMatch "Exact" is forbidden for resourceVersion "0"`)
	case req.Match == Exact:
		options.Revision = wanted
	case req.Match != "" && req.Match != NotOlderThan:
		return options, badRequest(`resourceVersionMatch: Unsupported value: %q: supported values: "Exact", "NotOlderThan"`, req.Match)
	case wanted > 0:
		return options, s.reached(ctx, wanted)
	}
	return options, nil
}

// listOne serves a list that can only have one object, as metadata.name=x has.
func (s *Store) listOne(ctx context.Context, req ListRequest, name string) (List, error) {
	item, err := s.storage.Get(ctx, s.key(req.Info.Namespace, name))
	var missing *KeyNotFoundError
	if errors.As(err, &missing) {
		return List{Revision: missing.Revision, Remaining: -1}, nil
	}
	if err != nil {
		return List{}, err
	}
	obj, err := s.read(ctx, item, req.Info)
	if err != nil {
		return List{}, err
	}
	// The list's revision must be one to watch from: of the store, not of the object.
	revision, err := s.storage.Revision(ctx)
	if err != nil {
		return List{}, err
	}
	list := List{Revision: revision, Remaining: -1}
	if req.Selector.Matches(obj) {
		list.Items = []Listed{{obj, item.Revision}}
	}
	return list, nil
}

func (s *Store) listFailure(err error, req ListRequest) error {
	var compacted *CompactedError
	var future *FutureRevisionError
	switch {
	case errors.As(err, &compacted) && req.Continue != "":
		return &ExpiredError{"The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter."}
	case errors.As(err, &compacted):
		return &ExpiredError{"The resourceVersion for the provided list is too old."}
	case errors.As(err, &future):
		return &TooLargeVersionError{Wanted: future.Wanted, Current: future.Current}
	}
	return s.storageFailure(err, "")
}

// continueToken is Kubernetes' own form, so that a token outlives a change of server.
type continueToken struct {
	APIVersion      string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"`
}

func encodeContinue(revision int64, start string) string {
	raw, _ := json.Marshal(continueToken{"meta.k8s.io/v1", revision, start})
	return base64.RawURLEncoding.EncodeToString(raw)
}

func decodeContinue(token string) (revision int64, start string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, "", err
	}
	var t continueToken
	if err := json.Unmarshal(raw, &t); err != nil {
		return 0, "", err
	}
	if t.APIVersion != "meta.k8s.io/v1" || t.ResourceVersion == 0 {
		return 0, "", fmt.Errorf("continue key is not valid: incorrect encoded version or resourceVersion")
	}
	// A start key that climbs out of its prefix would read other resources.
	if t.StartKey == "" || strings.HasPrefix(t.StartKey, "/") || strings.Contains("/"+t.StartKey+"/", "/../") {
		return 0, "", fmt.Errorf("continue key is not valid: incorrect start key")
	}
	return t.ResourceVersion, t.StartKey, nil
}
