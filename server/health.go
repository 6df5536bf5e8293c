package server

import (
	"context"
	"net/http"
	"runtime"
	"runtime/debug"

	"github.com/labstack/echo/v4"
	"k8s.io/apimachinery/pkg/version"
)

// kubernetesVersion is the release whose behaviour the server has: what clients compare with.
const kubernetesMajor, kubernetesMinor = "1", "37"

// health answers the probes: alive as soon as it answers, ready when everything stored is being served.
func (s *Server) health(c echo.Context) error {
	if c.Path() == "/livez" || c.Path() == "/livez/*" {
		return c.String(http.StatusOK, "ok")
	}
	if !s.ready.Load() {
		return c.String(http.StatusServiceUnavailable, "not ready")
	}
	if _, err := s.options.Storage.Revision(c.Request().Context()); err != nil {
		return c.String(http.StatusServiceUnavailable, "[-]etcd failed: "+err.Error())
	}
	return c.String(http.StatusOK, "ok")
}

// version answers kubectl version.
func (s *Server) version(c echo.Context) error {
	return c.JSON(http.StatusOK, version.Info{
		Major: kubernetesMajor, Minor: kubernetesMinor, GitVersion: "v" + kubernetesMajor + "." + kubernetesMinor + ".0+stratagem-" + s.options.Version,
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	})
}

func stack() string { return string(debug.Stack()) }

// WaitReady returns once everything that is stored is being served.
func (s *Server) WaitReady(ctx context.Context) error {
	select {
	case <-s.serving:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
