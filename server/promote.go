package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/negotiate"
)

// postPromote serves POST …/strategyplugins/NAME/promote.
func (s *Server) postPromote(c echo.Context) error {
	answer, err := negotiate.Plain.Accept(c.Request().Header.Get("Accept"))
	if err != nil {
		return err
	}
	result, err := s.plugins.Promote(c.Request().Context(), c.Param("name"))
	var refused *host.LoadError
	if errors.As(err, &refused) {
		return &moduleError{c.Param("name"), refused}
	}
	if err != nil {
		return err
	}
	return writeBody(c.Response(), http.StatusOK, answer, false, result.Object)
}

// Promote makes the revision that is on trial the active one, under the same conditions as a push. When it returns, no later write is
// made by another one.
func (p *Plugins) Promote(ctx context.Context, name string) (engine.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return again(func() (engine.Result, error) {
		a, err := p.activationOf(ctx, name)
		if err != nil {
			return engine.Result{}, err
		}
		return p.goTo(ctx, name, func(plugin *strategyPlugin) (*pluginRevision, error) {
			if a == nil || a.Trial == nil {
				return nil, badRequest("plugin %q: no revision is on trial that could be promoted", name)
			}
			return plugin.earlier(a.Trial.Revision)
		})
	})
}
