package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/negotiate"
)

// stateDisabled is the state of a plugin that an operator has switched off, and of its revision that was active.
const stateDisabled = "Disabled"

// postDisable serves POST …/strategyplugins/NAME/disable.
func (s *Server) postDisable(c echo.Context) error {
	answer, err := negotiate.Plain.Accept(c.Request().Header.Get("Accept"))
	if err != nil {
		return err
	}
	obj, err := s.plugins.Disable(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	return writeBody(c.Response(), http.StatusOK, answer, false, obj)
}

// Disable switches a plugin off: see DisableStored. When it returns, no later request on this replica reaches the plugin.
func (p *Plugins) Disable(ctx context.Context, name string) (engine.Object, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	obj, err := DisableStored(ctx, p.raw, name)
	if err != nil {
		return nil, err
	}
	return obj, p.refresh(ctx)
}

// disableAttempts bounds how often a StrategyPlugin is read again that others keep changing.
const disableAttempts = 10

// DisableStored switches a plugin off in the storage alone, whether servers run over it or not: its resources are no longer
// served, its objects stay, and a rollback or a push brings it back. No module is loaded for that, so no module can prevent it.
func DisableStored(ctx context.Context, storage engine.Storage, name string) (engine.Object, error) {
	key := "/" + pluginGroup + "/strategyplugins/" + name
	for range disableAttempts {
		item, err := storage.Get(ctx, key)
		var missing *engine.KeyNotFoundError
		if errors.As(err, &missing) {
			return nil, &engine.NotFoundError{Resource: pluginGroupResource, Name: name}
		}
		if err != nil {
			return nil, err
		}
		obj, err := disabled(item)
		if err != nil {
			return nil, err
		}
		revision := item.Revision
		if !bytes.Equal(obj, item.Data) {
			revision, err = storage.Update(ctx, key, obj, item.Revision, engine.WriteOptions{})
		}
		var moved *engine.RevisionError
		if errors.As(err, &moved) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return obj.Served(revision), removeActivation(ctx, storage, name)
	}
	return nil, &engine.ConflictError{Resource: pluginGroupResource, Name: name, Message: engine.ModifiedMessage}
}

// disabled is a stored StrategyPlugin without an active revision.
func disabled(item engine.Item) (engine.Object, error) {
	var plugin strategyPlugin
	if err := json.Unmarshal(item.Data, &plugin); err != nil {
		return nil, &engine.StoredValueError{Key: item.Key, Err: err}
	}
	status := &plugin.Status
	if status.State == stateDisabled {
		return engine.Object(item.Data), nil
	}
	for i := range status.Revisions {
		if r := &status.Revisions[i]; r.Revision == status.ActiveRevision {
			r.State = stateDisabled
		}
	}
	if plugin.Spec.Rollout != nil {
		plugin.setState(plugin.Spec.Rollout.Revision, stateRolledBack)
		plugin.setCondition(conditionTrial, "False", reasonDisabled, "the plugin was switched off")
	}
	if status.Rollout != nil && status.Rollout.EndedAt == "" {
		status.Rollout.EndedAt = time.Now().UTC().Format(time.RFC3339)
		status.Rollout.Summary = status.Rollout.summary()
	}
	plugin.Spec.Revision, plugin.Spec.Rollout = 0, nil
	plugin.setCondition(conditionActive, "False", reasonDisabled, fmt.Sprintf("revision %d was switched off; %s is not served", status.ActiveRevision, status.ResourceNames))
	status.ActiveRevision, status.Digest, status.Version, status.SignedBy, status.State = 0, "", "", "", stateDisabled
	raw, err := json.Marshal(plugin)
	if err != nil {
		return nil, err
	}
	obj, _, err := engine.ParseObject(raw)
	return obj, err
}

// removeActivation removes what all replicas follow.
func removeActivation(ctx context.Context, storage engine.Storage, name string) error {
	var missing *engine.KeyNotFoundError
	item, err := storage.Get(ctx, activationsRoot+name)
	if err == nil {
		_, err = storage.Delete(ctx, item.Key, item.Revision, engine.WriteOptions{})
	}
	if errors.As(err, &missing) {
		return nil
	}
	return err
}
