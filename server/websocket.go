package server

import (
	"context"
	"io"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/websocket"

	"github.com/stratagem-dev/stratagem/engine"
)

// isWebSocket tells a request to go on as a WebSocket.
func isWebSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && httpguts.HeaderValuesContainsToken(r.Header["Connection"], "upgrade")
}

// bearerProtocol begins the subprotocol that a browser hides its token in. It is no protocol to agree on.
const bearerProtocol = "base64url.bearer.authorization.k8s.io."

// streamFrames writes events as text messages, one each, until the watch ends. What the client sends is ignored.
func (r *request) streamFrames(ctx context.Context, watch *engine.Watch, failed error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	serve := func(ws *websocket.Conn) {
		defer context.AfterFunc(ctx, func() { _ = ws.Close() })()
		go func() {
			_, _ = io.Copy(io.Discard, ws)
			cancel() // the client has gone
		}()
		var buf []byte
		shown := &shownEvents{request: r}
		for more := true; more; {
			buf, more = shown.next(ctx, buf[:0], watch, failed)
			if len(buf) > 0 && websocket.Message.Send(ws, string(buf)) != nil {
				return
			}
		}
	}
	websocket.Server{Handshake: agreeOnProtocol, Handler: serve}.ServeHTTP(r.writer, r.http)
	return nil
}

// agreeOnProtocol takes the first subprotocol that is offered: the events look the same in all.
func agreeOnProtocol(config *websocket.Config, _ *http.Request) error {
	var agreed []string
	for _, protocol := range config.Protocol {
		if len(agreed) == 0 && !strings.HasPrefix(protocol, bearerProtocol) {
			agreed = []string{protocol}
		}
	}
	config.Protocol = agreed
	return nil
}
