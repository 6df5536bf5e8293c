package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

const (
	historyNames    = 16
	historyWriters  = 8
	historyWatchers = 3  // of each server
	historyStep     = 60 // writes to be acknowledged before the next thing breaks
	historyPath     = "/apis/example.com/v1/namespaces/default/crontabs"
	historyKeys     = "/registry/example.com/crontabs/default/"
)

// change is one write, as etcd has it and as watches tell it.
type change struct {
	kind     string // ADDED, MODIFIED or DELETED
	name     string
	value    string // annotation v; of a deletion what was last
	revision int64
}

// entry is one object at one moment.
type entry struct {
	value    string
	revision int64
}

// history is the whole experiment: two servers on one etcd, those who write, those who watch, and what etcd itself saw.
type history struct {
	*testing.T
	servers [2]*client
	writing context.Context

	newest atomic.Int64 // revision that was acknowledged last
	writes atomic.Int64 // acknowledged
	reads  atomic.Int64
	failed atomic.Int64 // writes of which nobody knows what became

	mu    sync.Mutex
	acked []change
	truth []change
}

// client talks to one server, which may be away.
type client struct {
	server string
	http   *http.Client
}

func newClient(t *testing.T, s *server) *client {
	t.Helper()
	config := s.restConfig(t)
	http, err := rest.HTTPClientFor(config)
	must(t, err)
	return &client{config.Host, http}
}

// send sends one request. Code 0 is that no answer came.
func (c *client) send(ctx context.Context, method, path string, body []byte) (code int, answer []byte) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(resp.Body); err != nil {
		return 0, nil
	}
	return resp.StatusCode, buf.Bytes()
}

// object is what the experiment looks at of a CronTab.
type object struct {
	Metadata metav1.ObjectMeta
	Code     int // of a Status
}

func (o *object) revision() int64 {
	n, _ := strconv.ParseInt(o.Metadata.ResourceVersion, 10, 64)
	return n
}

func (o *object) change(kind string) change {
	return change{kind, o.Metadata.Name, o.Metadata.Annotations["v"], o.revision()}
}

// acknowledge notes a write that a server has confirmed.
func (h *history) acknowledge(c change) {
	h.writes.Add(1)
	for seen := h.newest.Load(); c.revision > seen && !h.newest.CompareAndSwap(seen, c.revision); seen = h.newest.Load() {
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acked = append(h.acked, c)
}

func valued(name, value, version string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":%q,"resourceVersion":%q,"annotations":{"v":%q}},"spec":{"cronSpec":"* * * * *","image":"i"}}`, name, version, value)
}

// write creates, updates, deletes and lists at random until the writing ends.
func (h *history) write(writer int) {
	random := rand.New(rand.NewPCG(1, uint64(writer)))
	for n := 0; h.writing.Err() == nil; n++ {
		c := h.servers[random.IntN(2)]
		name, value := fmt.Sprintf("h%d", random.IntN(historyNames)), fmt.Sprintf("%d-%d", writer, n)
		before := h.newest.Load()
		if n%10 == 9 {
			if list, ok := h.list(c); ok && list.revision() < before {
				h.Errorf("a list is of revision %d, and %d had been acknowledged", list.revision(), before)
			}
			continue
		}
		code, body := c.send(h.writing, "GET", historyPath+"/"+name, nil)
		var current object
		switch {
		case code == http.StatusNotFound:
			h.conclude(c, "POST", historyPath, valued(name, value, ""), change{kind: "ADDED", name: name, value: value})
		case code != http.StatusOK || json.Unmarshal(body, &current) != nil:
		case random.IntN(4) == 0:
			options := fmt.Appendf(nil, `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"resourceVersion":%q}}`, current.Metadata.ResourceVersion)
			h.conclude(c, "DELETE", historyPath+"/"+name, options, current.change("DELETED"))
		default:
			h.conclude(c, "PUT", historyPath+"/"+name, valued(name, value, current.Metadata.ResourceVersion), change{kind: "MODIFIED", name: name, value: value})
		}
		h.reads.Add(1)
	}
}

// conclude sends a write and notes what came of it. A deletion is noted under the revision that it deleted.
func (h *history) conclude(c *client, method, path string, body []byte, wanted change) {
	code, answer := c.send(h.writing, method, path, body)
	var got object
	switch {
	case code == http.StatusOK || code == http.StatusCreated:
		if wanted.kind != "DELETED" {
			if err := json.Unmarshal(answer, &got); err != nil || got.change(wanted.kind).value != wanted.value {
				h.Errorf("%s %s was answered with %s", method, path, answer)
			}
			wanted.revision = got.revision()
		}
		h.acknowledge(wanted)
	case code != http.StatusConflict && code != http.StatusNotFound:
		h.failed.Add(1)
	}
}

// listed is a list's answer.
type listed struct {
	Metadata metav1.ListMeta
	Items    []object
}

func (l *listed) revision() int64 {
	n, _ := strconv.ParseInt(l.Metadata.ResourceVersion, 10, 64)
	return n
}

func (l *listed) state() map[string]entry {
	state := map[string]entry{}
	for _, o := range l.Items {
		state[o.Metadata.Name] = entry{o.Metadata.Annotations["v"], o.revision()}
	}
	return state
}

func (h *history) list(c *client) (list listed, ok bool) {
	code, body := c.send(h.Context(), "GET", historyPath, nil)
	h.reads.Add(1)
	return list, code == http.StatusOK && json.Unmarshal(body, &list) == nil
}

// segment is what a client saw from one list to the next one: every change in between, if the promise is kept.
type segment struct {
	from    int64
	start   map[string]entry
	changes []change
	to      int64
}

// watch follows one server as a reflector does, list and watch, until it has seen the revision that until tells.
func (h *history) watch(c *client, until func() int64) (segments []*segment) {
	for h.Context().Err() == nil {
		list, ok := h.list(c)
		if !ok {
			continue
		}
		s := &segment{from: list.revision(), start: list.state(), to: list.revision()}
		segments = append(segments, s)
		for expired := false; !expired && h.Context().Err() == nil; {
			if end := until(); end > 0 && s.to >= end {
				return segments
			}
			expired = h.follow(c, s)
		}
	}
	return segments
}

// follow is one watch from where the segment ends. It tells whether the server no longer has what comes next.
func (h *history) follow(c *client, s *segment) (expired bool) {
	query := "?watch=1&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=" + strconv.FormatInt(s.to, 10)
	req, err := http.NewRequestWithContext(h.Context(), "GET", c.server+historyPath+query, nil)
	if err != nil {
		return true
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	decoder := json.NewDecoder(resp.Body)
	for resp.StatusCode == http.StatusOK {
		var event struct {
			Type   string
			Object object
		}
		if decoder.Decode(&event) != nil {
			return false
		}
		switch event.Type {
		case "ERROR":
			return event.Object.Code == http.StatusGone
		case "BOOKMARK":
		default:
			s.changes = append(s.changes, event.Object.change(event.Type))
		}
		if revision := event.Object.revision(); revision < s.to || event.Type != "BOOKMARK" && revision == s.to {
			h.Errorf("%s of revision %d behind revision %d", event.Type, revision, s.to)
		} else {
			s.to = revision
		}
	}
	return resp.StatusCode == http.StatusGone
}

// record writes down what etcd itself sees, on a connection that nothing cuts.
func (h *history) record(events clientv3.WatchChan) {
	for resp := range events {
		h.mu.Lock()
		for _, e := range resp.Events {
			c := change{kind: "MODIFIED", name: string(e.Kv.Key[len(historyKeys):]), revision: e.Kv.ModRevision}
			raw := e.Kv.Value
			switch {
			case e.Type == clientv3.EventTypeDelete:
				c.kind, raw = "DELETED", e.PrevKv.Value
			case e.IsCreate():
				c.kind = "ADDED"
			}
			var o object
			if err := json.Unmarshal(raw, &o); err != nil {
				h.Errorf("stored under %s: %s", e.Kv.Key, raw)
			}
			c.value = o.Metadata.Annotations["v"]
			h.truth = append(h.truth, c)
		}
		h.mu.Unlock()
	}
}

// replayed is what the history adds up to at a revision.
func (h *history) replayed(until int64) map[string]entry {
	state := map[string]entry{}
	for _, c := range h.truth {
		if c.revision > until {
			break
		}
		if state[c.name] = (entry{c.value, c.revision}); c.kind == "DELETED" {
			delete(state, c.name)
		}
	}
	return state
}

func sameState(a, b map[string]entry) bool {
	if len(a) != len(b) {
		return false
	}
	for name, e := range a {
		if b[name] != e {
			return false
		}
	}
	return true
}

// checkAcknowledged looks for every acknowledged write in what etcd saw.
func (h *history) checkAcknowledged() {
	seen := map[change]bool{}
	last := map[string]int64{}
	for _, c := range h.truth {
		if c.kind == "DELETED" {
			seen[change{c.kind, c.name, c.value, last[c.name]}] = true
		}
		last[c.name] = c.revision
		seen[c] = true
	}
	for _, c := range h.acked {
		if !seen[c] {
			h.Errorf("acknowledged and nowhere to be found: %+v", c)
		}
	}
}

// checkSegment holds what a watch saw against what etcd saw: nothing lost, nothing doubled, nothing out of order.
func (h *history) checkSegment(s *segment) {
	if !sameState(s.start, h.replayed(s.from)) {
		h.Errorf("the list of revision %d is %v, and was %v", s.from, s.start, h.replayed(s.from))
	}
	var want []change
	for _, c := range h.truth {
		if c.revision > s.from && c.revision <= s.to {
			want = append(want, c)
		}
	}
	if !slices.Equal(s.changes, want) {
		for i := range min(len(want), len(s.changes)) {
			if want[i] != s.changes[i] {
				h.Errorf("change %d is %+v, and was %+v", i, s.changes[i], want[i])
				break
			}
		}
		h.Errorf("from %d to %d: %d changes, and there were %d", s.from, s.to, len(s.changes), len(want))
	}
}

// Whatever breaks, what the servers told their clients is one history: that of etcd.
func TestHistory(t *testing.T) {
	db := startEtcd(t)
	proxies := [2]*proxy{startProxy(t, db.ClientURL()), startProxy(t, db.ClientURL())}
	a, b := startServer(t, "--etcd-servers", proxies[0].url()), startServer(t, "--etcd-servers", proxies[1].url())
	writing, stop := context.WithCancel(t.Context())
	defer stop()
	h := &history{T: t, servers: [2]*client{newClient(t, a), newClient(t, b)}, writing: writing}
	recording, stopRecording := context.WithCancel(t.Context())
	events := db.Client().Watch(recording, historyKeys, clientv3.WithPrefix(), clientv3.WithPrevKV(), clientv3.WithRev(1))
	var recorder, writers, watchers sync.WaitGroup
	recorder.Go(func() { h.record(events) })
	var end atomic.Int64
	segments := make([][]*segment, 2*historyWatchers)
	for i := range segments {
		watchers.Go(func() { segments[i] = h.watch(h.servers[i%2], end.Load) })
	}
	for i := range historyWriters {
		writers.Go(func() { h.write(i) })
	}
	h.breakThings(db.Client(), proxies, b)
	stop()
	writers.Wait()

	var marker object
	eventually(t, "a last write", func() bool {
		code, body := h.servers[0].send(t.Context(), "POST", historyPath, valued("marker", "end", ""))
		return code == http.StatusCreated && json.Unmarshal(body, &marker) == nil
	})
	end.Store(marker.revision())
	watchers.Wait()
	eventually(t, "etcd's word for the last write", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.truth) > 0 && h.truth[len(h.truth)-1].revision >= marker.revision()
	})
	stopRecording()
	recorder.Wait()
	h.conclusions(segments, marker.revision())
}

// breakThings cuts, compacts, kills and restarts, each time in the middle of writes.
func (h *history) breakThings(db *clientv3.Client, proxies [2]*proxy, killed *server) {
	more := func() {
		h.Helper()
		enough := h.writes.Load() + historyStep
		eventually(h.T, "acknowledged writes", func() bool { return h.writes.Load() >= enough })
	}
	compact := func() {
		h.Helper()
		at, err := db.Get(within(h.T), "/")
		must(h.T, err)
		_, err = db.Compact(within(h.T), at.Header.Revision)
		must(h.T, err)
	}
	for range 2 {
		more()
		proxies[0].cut(false)
		more()
		killed.kill()
		more()
		compact()
		must(h.T, killed.start())
		more()
		proxies[1].cut(true)
		more()
		compact()
		proxies[1].cut(false)
		more()
		proxies[0].cut(false)
		proxies[1].cut(false)
		compact()
	}
	more()
}

// conclusions compares what everybody saw.
func (h *history) conclusions(segments [][]*segment, end int64) {
	h.checkAcknowledged()
	final := h.replayed(1 << 62)
	for i, c := range h.servers {
		list, ok := h.list(c)
		if !ok || !sameState(list.state(), final) {
			h.Errorf("server %d lists %v in the end, and there is %v", i, list.state(), final)
		}
	}
	relists, seen := 0, 0
	for i, own := range segments {
		for _, s := range own {
			h.checkSegment(s)
			seen += len(s.changes)
		}
		relists += len(own) - 1
		if last := own[len(own)-1]; last.to < end {
			h.Errorf("watcher %d ends at %d, before %d", i, last.to, end)
		}
	}
	h.Logf("checked %d operations: %d acknowledged writes (%d without an answer), %d reads, %d events of %d watchers, which listed anew %d times",
		h.writes.Load()+h.failed.Load()+h.reads.Load(), h.writes.Load(), h.failed.Load(), h.reads.Load(), seen, len(segments), relists)
}
