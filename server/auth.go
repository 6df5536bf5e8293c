package server

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/stratagem-dev/stratagem/engine"
)

const userKey = "user"

// userOf is who asks: what authenticate found out.
func userOf(c echo.Context) engine.User {
	user, _ := c.Get(userKey).(engine.User)
	return user
}

// mastersGroup may do everything.
const mastersGroup = "system:masters"

// authenticate lets the admin in, by bearer token or client certificate. Probes need no identity.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if isProbe(c.Request().URL.Path) {
			return next(c)
		}
		user, ok := s.identify(c.Request())
		if !ok {
			return apierrors.NewUnauthorized("Unauthorized")
		}
		if !slices.Contains(user.Groups, mastersGroup) {
			return &engine.ForbiddenError{Message: "user \"" + user.Name + "\" is not in group " + mastersGroup}
		}
		c.Set(userKey, user)
		return next(c)
	}
}

func isProbe(path string) bool {
	for _, probe := range []string{"/livez", "/readyz", "/healthz"} {
		if path == probe || strings.HasPrefix(path, probe+"/") {
			return true
		}
	}
	return false
}

// identify finds out who asks.
func (s *Server) identify(r *http.Request) (engine.User, bool) {
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		subject := r.TLS.VerifiedChains[0][0].Subject
		return engine.User{Name: subject.CommonName, Groups: append(subject.Organization, "system:authenticated")}, true
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok && isWebSocket(r) {
		token, ok = protocolToken(r.Header)
	}
	if ok && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(s.options.Identity.Token)) == 1 {
		return engine.User{Name: adminName, Groups: []string{mastersGroup, "system:authenticated"}}, true
	}
	return engine.User{}, false
}
