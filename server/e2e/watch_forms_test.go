package e2e

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/websocket"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// watchEvent is what a watch sends, as far as it matters here.
type watchEvent struct {
	Type   string
	Object struct {
		metav1.TypeMeta
		Metadata metav1.ObjectMeta
		Code     int
		Reason   metav1.StatusReason
		Rows     []struct{ Object metav1.PartialObjectMetadata }
	}
}

// String is the event in short: "ADDED p0", "BOOKMARK end", "ERROR 410".
func (e watchEvent) String() string {
	switch {
	case e.Type == "ERROR":
		return fmt.Sprintf("ERROR %d", e.Object.Code)
	case e.Type == "BOOKMARK" && e.Object.Metadata.Annotations[metav1.InitialEventsAnnotationKey] == "true":
		return "BOOKMARK end"
	case e.Type == "BOOKMARK":
		return "BOOKMARK"
	}
	return e.Type + " " + e.Object.Metadata.Name
}

// stream is a bare watch.
type stream struct {
	*testing.T
	body  io.Closer
	lines *bufio.Reader
}

func (c curl) watch(t *testing.T, path string) stream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", c.server+path, nil)
	must(t, err)
	resp, err := c.client.Do(req)
	must(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	equal(t, "code of "+path, resp.StatusCode, 200)
	return stream{t, resp.Body, bufio.NewReader(resp.Body)}
}

// next is the next event in short, "" at the end.
func (s stream) next() string {
	s.Helper()
	line, err := s.lines.ReadBytes('\n')
	if err != nil {
		return ""
	}
	var event watchEvent
	must(s.T, json.Unmarshal(line, &event))
	return event.String()
}

func (s stream) expect(want ...string) {
	s.Helper()
	for _, event := range want {
		equal(s.T, "event", s.next(), event)
	}
}

func TestInitialEventsOfWatches(t *testing.T) {
	c := shared.curl(t)
	path, versions := podsIn(t, c, 2)
	const listing = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
	for query, want := range map[string][]string{
		listing + "&allowWatchBookmarks=true":                                   {"ADDED p0", "ADDED p1", "BOOKMARK end"},
		listing + "&allowWatchBookmarks=true&resourceVersion=" + versions[0]:    {"ADDED p0", "ADDED p1", "BOOKMARK end"},
		listing + "&allowWatchBookmarks=true&labelSelector=odd%3Dtrue":          {"ADDED p1", "BOOKMARK end"},
		listing + "&allowWatchBookmarks=true&labelSelector=none":                {"BOOKMARK end"},
		"?watch=1&allowWatchBookmarks=true":                                     {"ADDED p0", "ADDED p1", "BOOKMARK end"},
		listing:                                                                 {"ADDED p0", "ADDED p1"},
		"?watch=1":                                                              {"ADDED p0", "ADDED p1"},
		"?watch=true&resourceVersion=0":                                         {"ADDED p0", "ADDED p1"},
		"?watch=true&resourceVersion=" + versions[0]:                            {"ADDED p1"},
		"/p1?watch=true":                                                        {"ADDED p1"},
		"?watch=true&fieldSelector=metadata.name%3Dp1":                          {"ADDED p1"},
		"?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan": {},
	} {
		w := c.watch(t, path+query+"&timeoutSeconds=1")
		if strings.HasPrefix(query, "/p1") {
			w.expect(want...)
		} else {
			w.expect(append(want, "")...)
		}
	}
	// A future version is waited for, unless what is there is to be as new: then that is an error event.
	c.watch(t, path+"?watch=1&timeoutSeconds=1&resourceVersion=1000000000").expect("")
	c.watch(t, path+listing+"&resourceVersion=1000000000").expect("ERROR 504", "")
	got := c.do(t, "GET", path+"?watch=1&resourceVersion=x", "")
	got.refused(t, 422, metav1.StatusReasonInvalid, `pods "" is invalid: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax`)
}

// A watch that is about to end says how far it has come, so that the next one can go on there.
func TestLastBookmark(t *testing.T) {
	c := shared.curl(t)
	path, versions := podsIn(t, c, 1)
	w := c.watch(t, path+"?watch=1&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion="+versions[0])
	w.expect("BOOKMARK", "")
	c.watch(t, path+"?watch=1&timeoutSeconds=3&resourceVersion="+versions[0]).expect("")
}

func TestNamedWatch(t *testing.T) {
	c := shared.curl(t)
	path, versions := podsIn(t, c, 1)
	w := c.watch(t, path+"/p0?watch=1&resourceVersion="+versions[0])
	for _, name := range []string{"p", "p00"} {
		equal(t, "create", c.do(t, "POST", path, podJSON(name)).code, 201)
	}
	equal(t, "patch", c.do(t, "PATCH", path+"/p0", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type: application/merge-patch+json").code, 200)
	w.expect("MODIFIED p0")
	equal(t, "delete", c.do(t, "DELETE", path+"/p0?gracePeriodSeconds=0", "").code, 200)
	w.expect("DELETED p0")
}

// dial opens a WebSocket with the admin's token.
func dial(t *testing.T, path string, protocols ...string) (*websocket.Conn, error) {
	t.Helper()
	rest := shared.restConfig(t)
	config, err := websocket.NewConfig(strings.Replace(rest.Host, "https", "wss", 1)+path, rest.Host)
	must(t, err)
	config.TlsConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // its own server
	config.Header.Set("Authorization", "Bearer "+rest.BearerToken)
	config.Protocol = protocols
	if cert := rest.CertData; len(cert) > 0 {
		pair, err := tls.X509KeyPair(cert, rest.KeyData)
		must(t, err)
		config.TlsConfig.Certificates = []tls.Certificate{pair}
	}
	return websocket.DialConfig(config)
}

// Over a WebSocket every event is one text message.
func TestWebSocketWatch(t *testing.T) {
	c := shared.curl(t)
	path, versions := podsIn(t, c, 2)
	for _, protocols := range [][]string{nil, {"watch.example.com"}} {
		ws, err := dial(t, path+"?watch=1&timeoutSeconds=5&resourceVersion=0", protocols...)
		must(t, err)
		for _, want := range []string{"ADDED p0", "ADDED p1"} {
			var text string
			must(t, websocket.Message.Receive(ws, &text))
			var event watchEvent
			must(t, json.Unmarshal([]byte(text), &event))
			equal(t, "message", event.String(), want)
		}
		must(t, websocket.Message.Send(ws, "what a client says is ignored"))
		equal(t, "patch", c.do(t, "PATCH", path+"/p0", fmt.Sprintf(`{"metadata":{"labels":{"a":"%d"}}}`, len(protocols)), "Content-Type: application/merge-patch+json").code, 200)
		var text string
		must(t, websocket.Message.Receive(ws, &text))
		contains(t, text, `{"type":"MODIFIED","object":{`, `"name":"p0"`)
		must(t, ws.Close())
	}
	ws, err := dial(t, path+"?watch=1&timeoutSeconds=1&resourceVersion="+versions[1])
	must(t, err)
	defer ws.Close()
	var text string
	for err == nil {
		err = websocket.Message.Receive(ws, &text)
	}
	equal(t, "end of the watch", err, io.EOF)
	if _, err := dial(t, path+"?watch=1&resourceVersion=x"); err == nil {
		t.Error("a watch that is refused became a WebSocket")
	}
}

// A browser cannot send a header: it hides the token in a subprotocol, which is not the one that is agreed on.
func TestWebSocketToken(t *testing.T) {
	path, _ := podsIn(t, shared.curl(t), 1)
	rest := shared.restConfig(t)
	open := func(protocols ...string) (*websocket.Conn, error) {
		config, err := websocket.NewConfig(strings.Replace(rest.Host, "https", "wss", 1)+path+"?watch=1&resourceVersion=0", rest.Host)
		must(t, err)
		config.TlsConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // its own server
		config.Protocol = protocols
		return websocket.DialConfig(config)
	}
	hidden := func(token string) string {
		return "base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte(token))
	}
	ws, err := open(hidden(rest.BearerToken), "watch.example.com")
	must(t, err)
	defer ws.Close()
	equal(t, "protocol", fmt.Sprint(ws.Config().Protocol), "[watch.example.com]")
	var text string
	must(t, websocket.Message.Receive(ws, &text))
	contains(t, text, `{"type":"ADDED","object":{`, `"name":"p0"`)
	for name, protocols := range map[string][]string{
		"no token": {"watch.example.com"}, "a wrong one": {hidden("wrong"), "watch.example.com"}, "a token alone": {hidden(rest.BearerToken)},
	} {
		if _, err := open(protocols...); err == nil {
			t.Errorf("%s was let in", name)
		}
	}
}
