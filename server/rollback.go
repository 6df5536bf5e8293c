package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/negotiate"
)

// rollbackRequest is the body of POST …/strategyplugins/NAME/rollback.
type rollbackRequest struct {
	// Revision to go back to; 0 is the one before the active one.
	Revision int64 `json:"revision"`
}

// postRollback serves POST …/strategyplugins/NAME/rollback.
func (s *Server) postRollback(c echo.Context) error {
	body, err := readBody(c.Request(), MaxBodyBytes)
	if err != nil {
		return err
	}
	var req rollbackRequest
	if len(body) > 0 {
		if err := json.Unmarshal(body, &req); err != nil {
			return badRequest("rollback: %v", err)
		}
	}
	result, err := s.plugins.Rollback(c.Request().Context(), c.Param("name"), req.Revision)
	var refused *host.LoadError
	if errors.As(err, &refused) {
		return &moduleError{c.Param("name"), refused}
	}
	if err != nil {
		return err
	}
	answer, err := negotiate.Plain.Accept(c.Request().Header.Get("Accept"))
	if err != nil {
		return err
	}
	return writeBody(c.Response(), http.StatusOK, answer, false, result.Object)
}

// Rollback ends the trial of a plugin. Where none runs, or a revision is named, it makes an earlier one active again, under the same
// conditions as a push. No module is uploaded: what is in the history is in the storage.
func (p *Plugins) Rollback(ctx context.Context, name string, revision int64) (engine.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	store := p.server.view.Load().Store(pluginGroup, "strategyplugins")
	plugin, _, err := p.existing(ctx, store, name)
	if err != nil {
		return engine.Result{}, err
	}
	if revision != 0 {
		if _, err := plugin.earlier(revision); err != nil {
			return engine.Result{}, err
		}
	}
	ended, err := p.rollBackTrial(ctx, name)
	if err != nil {
		return engine.Result{}, err
	}
	if ended {
		now, err := p.reconcile(ctx, name)
		if err != nil || revision == 0 || revision == plugin.Status.ActiveRevision {
			return engine.Result{Object: now}, err
		}
	}
	return again(func() (engine.Result, error) {
		return p.goTo(ctx, name, func(plugin *strategyPlugin) (*pluginRevision, error) { return plugin.earlier(revision) })
	})
}

// rollBackTrial ends the trial of a plugin, if one runs: at once, on every replica.
func (p *Plugins) rollBackTrial(ctx context.Context, name string) (ended bool, err error) {
	err = p.moveActivation(ctx, name, func(a *activation) {
		if ended = a.Trial != nil; ended {
			a.endTrial(reasonRolledBack, fmt.Sprintf("the %s of revision %d was rolled back", strings.ToLower(string(a.Trial.Mode)), a.Trial.Revision))
		}
	})
	if err == nil && ended {
		err = p.refresh(ctx)
	}
	return ended, err
}

// goTo makes a revision in the history the active one.
func (p *Plugins) goTo(ctx context.Context, name string, choose func(*strategyPlugin) (*pluginRevision, error)) (engine.Result, error) {
	store := p.server.view.Load().Store(pluginGroup, "strategyplugins")
	plugin, stored, err := p.existing(ctx, store, name)
	if err != nil {
		return engine.Result{}, err
	}
	target, err := choose(plugin)
	if err != nil {
		return engine.Result{}, err
	}
	wasm, err := p.modules.get(ctx, strings.TrimPrefix(target.Digest, "sha256:"))
	if err != nil {
		return engine.Result{}, err
	}
	admitted, err := p.admit(ctx, name, host.Digest(wasm), wasm, nil)
	if err != nil {
		return engine.Result{}, err
	}
	p.specs[name] = &plugin.Spec
	module, err := host.Load(ctx, wasm, revisionName(name, target.Revision), p.hostOptions(name))
	if err != nil {
		return engine.Result{}, err
	}
	if err := p.accept(ctx, name, plugin, module); err != nil {
		return engine.Result{}, errors.Join(err, module.Close(ctx))
	}
	plugin.activate(target.Revision, module)
	plugin.noteAdmission(target.Revision, admitted)
	return p.putInForce(ctx, store, name, plugin, stored, module)
}

// earlier finds the revision to go back to; 0 is the last before the active one that was active too, or where none is active the one that was.
func (s *strategyPlugin) earlier(revision int64) (*pluginRevision, error) {
	var found *pluginRevision
	for i := range s.Status.Revisions {
		r := &s.Status.Revisions[i]
		switch {
		case revision != 0:
			if r.Revision == revision {
				found = r
			}
		case s.Status.ActiveRevision == 0 && found != nil && found.State == stateDisabled:
		case s.Status.ActiveRevision == 0 && r.State != stateRolledBack, r.Revision < s.Status.ActiveRevision && r.State == stateSuperseded:
			found = r
		}
	}
	switch {
	case found == nil && revision == 0:
		return nil, badRequest("there is no revision before %d", s.Status.ActiveRevision)
	case found == nil:
		return nil, badRequest("revision %d is not in the history; there are %s", revision, s.history())
	}
	return found, nil
}

func (s *strategyPlugin) history() string {
	var numbers []string
	for _, r := range s.Status.Revisions {
		numbers = append(numbers, fmt.Sprint(r.Revision))
	}
	return strings.Join(numbers, ", ")
}
