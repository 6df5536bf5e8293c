package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// activationAttempts bounds how often an activation is read again that others keep moving.
const activationAttempts = 20

// moveActivation changes what all replicas follow; what does not change is not written. change may run several times, and gets the
// zero activation where there is none.
func (p *Plugins) moveActivation(ctx context.Context, name string, change func(*activation)) error {
	key := activationsRoot + name
	for range activationAttempts {
		item, err := p.raw.Get(ctx, key)
		var missing *engine.KeyNotFoundError
		absent := errors.As(err, &missing)
		if err != nil && !absent {
			return err
		}
		var a activation
		if !absent {
			if err := json.Unmarshal(item.Data, &a); err != nil {
				return fmt.Errorf("activation of plugin %q: %w", name, err)
			}
		}
		change(&a)
		if a.Revision == 0 {
			return nil // of a plugin that is not active there is nothing to change
		}
		value, err := json.Marshal(a)
		if err != nil {
			return err
		}
		switch {
		case absent:
			_, err = p.raw.Create(ctx, key, value, engine.WriteOptions{})
		case bytes.Equal(item.Data, value):
			return nil
		default:
			_, err = p.raw.Update(ctx, key, value, item.Revision, engine.WriteOptions{})
		}
		var exists *engine.KeyExistsError
		var moved *engine.RevisionError
		if !errors.As(err, &exists) && !errors.As(err, &moved) {
			return err
		}
	}
	return &engine.ConflictError{Resource: pluginGroupResource, Name: name, Message: engine.ModifiedMessage}
}

// activationOf reads what all replicas follow, nil where a plugin is not active.
func (p *Plugins) activationOf(ctx context.Context, name string) (*activation, error) {
	item, err := p.raw.Get(ctx, activationsRoot+name)
	var missing *engine.KeyNotFoundError
	if errors.As(err, &missing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var a activation
	if err := json.Unmarshal(item.Data, &a); err != nil {
		return nil, fmt.Errorf("activation of plugin %q: %w", name, err)
	}
	return &a, nil
}

// activate makes a revision the one that answers. A trial does not outlive what it was compared with.
func (a *activation) activate(revision int64, digest string, bindings []pluginBinding) {
	if a.Revision != revision || a.Digest != digest {
		if a.Trial != nil && a.Trial.Revision == revision {
			a.endTrial(reasonPromoted, fmt.Sprintf("revision %d was promoted", revision))
		}
		a.endTrial(reasonReplaced, fmt.Sprintf("revision %d became the active one", revision))
	}
	a.Revision, a.Digest, a.Bindings = revision, digest, bindings
}

// sameTrial tells whether two specs ask for the same.
func sameTrial(a, b *rollout.Spec) bool {
	if a == nil || b == nil {
		return a == b
	}
	left, err := json.Marshal(a)
	if err != nil {
		return false
	}
	right, err := json.Marshal(b)
	return err == nil && bytes.Equal(left, right)
}
