package engine

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// selectorPage is how many keys are read at once, at least, to fill a limited list that a selector picks from.
const selectorPage = 500

// listOptions turns the request's version, limit and continue token into what the storage is asked for, by the rules of
// Kubernetes' table of resourceVersion and resourceVersionMatch.
func (s *Store) listOptions(ctx context.Context, req ListRequest, prefix string) (ListOptions, error) {
	options := ListOptions{Limit: max(req.Limit, 0), From: prefix, Runs: true, Facet: s.facet(req.Info, req.Selector)}
	if req.Limit > 0 && !req.Selector.Empty() {
		options.Limit = max(req.Limit, selectorPage)
	}
	if req.Continue != "" {
		revision, start, err := decodeContinue(req.Continue)
		switch {
		case err != nil:
			return options, badRequest("invalid continue token: %v", err)
		case req.Match != "":
			return options, badRequest("resourceVersionMatch is forbidden when continue is provided")
		case req.ResourceVersion != "" && req.ResourceVersion != "0":
			return options, badRequest("specifying resource version is not allowed when using continue")
		}
		// A negative revision is that of a list that goes on inconsistently, with what is there now.
		options.Revision, options.From = max(revision, 0), prefix+start
		return options, nil
	}
	wanted, err := wantedRevision(req.ResourceVersion)
	if err != nil {
		return options, badRequest("invalid resource version: resourceVersion: Invalid value: %q: %v", req.ResourceVersion, err)
	}
	switch {
	case req.Match != "" && req.ResourceVersion == "":
		return options, badRequest("resourceVersionMatch is forbidden unless resourceVersion is provided")
	case req.Match == Exact && wanted == 0:
		return options, badRequest(`resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
	case req.Match != "" && req.Match != NotOlderThan && req.Match != Exact:
		return options, badRequest("unknown ResourceVersionMatch value: %v", req.Match)
	case req.Match == Exact || req.Match == "" && req.Limit > 0:
		options.Revision = wanted
	case wanted > 0:
		return options, s.reached(ctx, wanted)
	}
	return options, nil
}

// The messages of lists of revisions that etcd has forgotten, as Kubernetes has them.
const (
	listTooOld     = "The resourceVersion for the provided list is too old."
	continueTooOld = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, " +
		"or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - " +
		"objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list."
)

// listFailure turns a storage's error into the one that clients get. A list that was to go on at start, behind its prefix,
// may do so inconsistently.
func (s *Store) listFailure(err error, req ListRequest, start string) error {
	var compacted *CompactedError
	var future *FutureRevisionError
	switch {
	case errors.As(err, &compacted) && req.Continue != "":
		return &ExpiredError{Message: continueTooOld, Continue: encodeContinue(-1, start)}
	case errors.As(err, &compacted):
		return &ExpiredError{Message: listTooOld}
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

const continueVersion = "meta.k8s.io/v1"

func encodeContinue(revision int64, start string) string {
	raw, _ := json.Marshal(continueToken{continueVersion, revision, start})
	return base64.RawURLEncoding.EncodeToString(raw)
}

// decodeContinue reads a token. The start key is one behind a prefix, and cannot climb out of it.
func decodeContinue(token string) (revision int64, start string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, "", fmt.Errorf("continue key is not valid: %w", err)
	}
	var t continueToken
	if err := json.Unmarshal(raw, &t); err != nil {
		return 0, "", fmt.Errorf("continue key is not valid: %w", err)
	}
	switch {
	case t.APIVersion != continueVersion:
		return 0, "", fmt.Errorf("continue key is not valid: server does not recognize this encoded version %s", t.APIVersion)
	case t.ResourceVersion == 0:
		return 0, "", errors.New("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.StartKey == "":
		return 0, "", errors.New("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
	}
	rooted := "/" + strings.TrimPrefix(t.StartKey, "/")
	if path.Clean(rooted) != rooted {
		return 0, "", fmt.Errorf("continue key is not valid: %v", t.StartKey)
	}
	return t.ResourceVersion, rooted[1:], nil
}
