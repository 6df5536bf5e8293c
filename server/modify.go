package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/stratagem-dev/stratagem/engine"
)

// modifyAttempts bounds how often a StrategyPlugin is read again that others keep changing.
const modifyAttempts = 20

// modify changes a stored StrategyPlugin and returns what is stored then; nil where there is none. change may run several times; what it
// does not change is not written.
func (p *Plugins) modify(ctx context.Context, name string, change func(*strategyPlugin)) (engine.Object, error) {
	for range modifyAttempts {
		store := p.server.view.Load().Store(pluginGroup, "strategyplugins")
		plugin, stored, err := p.read(ctx, store, name)
		if err != nil || stored == nil {
			return nil, err
		}
		before, err := json.Marshal(plugin)
		if err != nil {
			return nil, err
		}
		change(plugin)
		after, err := json.Marshal(plugin)
		if err != nil || bytes.Equal(before, after) {
			return stored, err
		}
		result, err := p.write(ctx, store, name, plugin, stored, false)
		var conflict *engine.ConflictError
		var missing *engine.NotFoundError
		switch {
		case errors.As(err, &missing):
			return nil, nil
		case err == nil || !errors.As(err, &conflict):
			return result.Object, err
		}
	}
	return nil, &engine.ConflictError{Resource: pluginGroupResource, Name: name, Message: engine.ModifiedMessage}
}

// again runs what reads a StrategyPlugin and writes it, again while others have written it in between: servers report into it at any time.
func again(do func() (engine.Result, error)) (result engine.Result, err error) {
	for range modifyAttempts {
		result, err = do()
		var conflict *engine.ConflictError
		if !errors.As(err, &conflict) || conflict.Message != engine.ModifiedMessage {
			break
		}
	}
	return result, err
}
