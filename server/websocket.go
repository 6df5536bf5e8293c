package server

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/websocket"

	"github.com/stratagem-dev/stratagem/engine"
)

// isWebSocket tells a request to go on as a WebSocket.
func isWebSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && httpguts.HeaderValuesContainsToken(r.Header["Connection"], "upgrade")
}

// bearerProtocol begins the subprotocol that a browser hides its token in: it cannot send the header. It is no protocol to agree on.
const bearerProtocol = "base64url.bearer.authorization.k8s.io."

// protocolToken is the bearer token among the subprotocols of a handshake. As in Kubernetes there has to be one token, and a
// subprotocol besides it that the server can agree on.
func protocolToken(header http.Header) (token string, ok bool) {
	others := false
	for _, line := range header["Sec-Websocket-Protocol"] {
		for protocol := range strings.SplitSeq(line, ",") {
			encoded, isToken := strings.CutPrefix(strings.TrimSpace(protocol), bearerProtocol)
			if !isToken {
				others = true
				continue
			}
			raw, err := base64.RawURLEncoding.DecodeString(encoded)
			if err != nil || !utf8.Valid(raw) || ok {
				return "", false
			}
			token, ok = string(raw), true
		}
	}
	return token, ok && others
}

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
