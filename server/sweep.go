package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// A module that nothing names is marked with the time since when, and swept an hour later. The mark is a key of its own, for all
// replicas: whoever stores a module moves it on first, so that no sweep that began before takes away what a push relies on.
const (
	marksRoot  = "/" + pluginGroup + "/unnamed/"
	sweeperKey = "/" + pluginGroup + "/sweeper"
	// sweepAfter is how long a module lies there that nothing names.
	sweepAfter = time.Hour
)

// mark notes that a module is being stored, and so is not named yet.
func (m modules) mark(ctx context.Context, digest string, now time.Time) error {
	key, value := marksRoot+digest, []byte(now.UTC().Format(time.RFC3339Nano))
	_, err := m.storage.Create(ctx, key, value, engine.WriteOptions{})
	var exists *engine.KeyExistsError
	for errors.As(err, &exists) {
		_, err = m.storage.Update(ctx, key, value, exists.Existing.Revision, engine.WriteOptions{})
		var moved *engine.RevisionError
		if !errors.As(err, &moved) {
			return err
		}
		_, err = m.storage.Create(ctx, key, value, engine.WriteOptions{})
	}
	return err
}

// sweep removes the modules that nothing has named for an hour. One replica does it at a time.
func (p *Plugins) sweep(ctx context.Context, now time.Time) error {
	_, err := p.raw.Create(ctx, sweeperKey, []byte(p.server.replica), engine.WriteOptions{TTL: int64(sweepEvery.Seconds()) / 2})
	var exists *engine.KeyExistsError
	if errors.As(err, &exists) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.modules.sweep(ctx, now)
}

// sweep removes what has been unnamed for an hour, and marks what is unnamed now.
//
//   - The marks are read before what names modules: what is named after that has had its mark moved on after that too, and then the guard of
//     the deletion does not hold.
func (m modules) sweep(ctx context.Context, now time.Time) error {
	marks, err := m.storage.List(ctx, marksRoot, engine.ListOptions{})
	if err != nil {
		return err
	}
	marked := map[string]engine.Item{}
	for _, item := range marks.Items {
		marked[strings.TrimPrefix(item.Key, marksRoot)] = item
	}
	stored, err := m.stored(ctx)
	if err != nil {
		return err
	}
	named, err := m.named(ctx)
	if err != nil {
		return err
	}
	for digest, keys := range stored {
		mark, has := marked[digest]
		since, malformed := time.Parse(time.RFC3339Nano, string(mark.Data))
		switch {
		case named[digest] && has:
			err = m.unmark(ctx, mark)
		case named[digest]:
		case !has || malformed != nil:
			err = m.mark(ctx, digest, now)
		case now.Sub(since) >= sweepAfter:
			err = m.remove(ctx, keys, mark)
		}
		if err != nil {
			return err
		}
		delete(marked, digest)
	}
	for _, mark := range marked { // of modules that are gone; one that is just being stored is as young as its mark
		since, malformed := time.Parse(time.RFC3339Nano, string(mark.Data))
		if malformed != nil || now.Sub(since) >= sweepAfter {
			err = errors.Join(err, m.unmark(ctx, mark))
		}
	}
	return err
}

// stored are the keys of the modules that are stored, by digest.
func (m modules) stored(ctx context.Context) (map[string][]engine.Item, error) {
	stored := map[string][]engine.Item{}
	page, err := m.storage.List(ctx, modulesRoot, engine.ListOptions{})
	for _, item := range page.Items {
		digest, _, _ := strings.Cut(strings.TrimPrefix(item.Key, modulesRoot), "/")
		stored[digest] = append(stored[digest], engine.Item{Key: item.Key, Revision: item.Revision})
	}
	return stored, err
}

// named are the digests of all modules that a StrategyPlugin or an activation names. What cannot be read is an error: it might name one.
func (m modules) named(ctx context.Context) (map[string]bool, error) {
	named := map[string]bool{}
	plugins, err := m.storage.List(ctx, pluginsRoot, engine.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, item := range plugins.Items {
		var plugin strategyPlugin
		if err := json.Unmarshal(item.Data, &plugin); err != nil {
			return nil, &engine.StoredValueError{Key: item.Key, Err: err}
		}
		named[strings.TrimPrefix(plugin.Status.Digest, "sha256:")] = true
		for _, r := range plugin.Status.Revisions {
			named[strings.TrimPrefix(r.Digest, "sha256:")] = true
		}
	}
	activations, err := m.storage.List(ctx, activationsRoot, engine.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, item := range activations.Items {
		var a activation
		if err := json.Unmarshal(item.Data, &a); err != nil {
			return nil, &engine.StoredValueError{Key: item.Key, Err: err}
		}
		named[a.Digest] = true
		if a.Trial != nil {
			named[a.Trial.Digest] = true
		}
	}
	return named, nil
}

// unmark takes a mark away that nobody has moved on.
func (m modules) unmark(ctx context.Context, mark engine.Item) error {
	_, err := m.storage.Delete(ctx, mark.Key, mark.Revision, engine.WriteOptions{})
	var moved *engine.RevisionError
	if errors.As(err, &moved) {
		return nil
	}
	return err
}

// remove deletes the chunks of a module and its signatures while its mark is as it was, and then the mark.
func (m modules) remove(ctx context.Context, keys []engine.Item, mark engine.Item) error {
	signed, err := m.storage.List(ctx, signaturesRoot+strings.TrimPrefix(mark.Key, marksRoot)+"/", engine.ListOptions{})
	if err != nil {
		return err
	}
	for _, item := range append(keys, signed.Items...) {
		_, err := m.storage.Delete(ctx, item.Key, item.Revision, engine.WriteOptions{Guards: []engine.Guard{{Key: mark.Key, Revision: mark.Revision}}})
		var moved *engine.RevisionError
		var again *engine.GuardError
		if errors.As(err, &moved) || errors.As(err, &again) {
			return nil // somebody stores it again
		}
		if err != nil {
			return err
		}
	}
	return m.unmark(ctx, mark)
}
