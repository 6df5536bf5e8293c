package server

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// getModule serves GET …/strategyplugins/NAME/module: the .wasm file of the active revision, or with ?revision=N of another one
// in the history.
func (s *Server) getModule(c echo.Context) error {
	ctx, name := c.Request().Context(), c.Param("name")
	plugin, _, err := s.plugins.existing(ctx, s.view.Load().Store(pluginGroup, "strategyplugins"), name)
	if err != nil {
		return err
	}
	revision := plugin.Status.ActiveRevision
	if text := c.QueryParam("revision"); text != "" {
		if revision, err = strconv.ParseInt(text, 10, 64); err != nil || revision < 1 {
			return badRequest("revision: Invalid value: %q: must be the number of a revision", text)
		}
	}
	found, err := plugin.earlier(revision)
	if err != nil {
		return err
	}
	wasm, err := s.plugins.modules.get(ctx, strings.TrimPrefix(found.Digest, "sha256:"))
	if err != nil {
		return err
	}
	signed, err := s.plugins.signatures.get(ctx, strings.TrimPrefix(found.Digest, "sha256:"))
	if err != nil {
		return err
	}
	showSignatures(c.Response().Header(), signed)
	c.Response().Header().Set("Stratagem-Revision", strconv.FormatInt(found.Revision, 10))
	c.Response().Header().Set("Cache-Control", "no-cache, private")
	return c.Blob(http.StatusOK, "application/wasm", wasm)
}
