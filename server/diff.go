package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// PluginDiff tells what a revision of a plugin would make of all stored objects, beside the active one.
type PluginDiff struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Plugin     string `json:"plugin"`
	Active     int64  `json:"active"`    // the active revision
	Candidate  string `json:"candidate"` // the digest of the other one, "sha256:…"
	Version    string `json:"version,omitempty"`
	// Resources are those that both revisions define. Missing are those of the active revision that the candidate does not, with how many
	// objects there are of each.
	Resources []rollout.Stored `json:"resources,omitempty"`
	Missing   map[string]int64 `json:"missing,omitempty"`
}

// DiffProgress is how far a PluginDiff has come with a resource.
type DiffProgress struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Resource   string `json:"resource"`
	Done       int64  `json:"done"`
	Objects    int64  `json:"objects"`
}

// Differs tells whether the candidate would make anything else of any object.
func (d *PluginDiff) Differs() bool {
	for i := range d.Resources {
		if d.Resources[i].Differing > 0 {
			return true
		}
	}
	return len(d.Missing) > 0
}

// progressInterval is how often progress is told of.
const progressInterval = time.Second

// postDiff serves POST …/strategyplugins/NAME/diff: the body is a .wasm file, or there is none and ?revision=N names one of the history. With
// ?progress=true the answer is a stream of JSON lines: DiffProgress, and in the end a PluginDiff or a Status.
func (s *Server) postDiff(c echo.Context) error {
	query := c.Request().URL.Query()
	revision, err := strconv.ParseInt("0"+query.Get("revision"), 10, 64)
	if err != nil {
		return badRequest("revision: Invalid value: %q: must be a number", query.Get("revision"))
	}
	wasm, err := readBody(c.Request(), MaxUploadBytes)
	if err != nil {
		return err
	}
	if (len(wasm) > 0) == (revision > 0) {
		return badRequest("diff: either a module in the body or ?revision is required")
	}
	select {
	case s.diffs <- struct{}{}:
		defer func() { <-s.diffs }()
	default:
		return &engine.BusyError{Plugin: c.Param("name"), RetryAfter: 10 * time.Second, Reason: "another diff is running on this server"}
	}
	lines := diffLines{response: c.Response(), stream: query.Get("progress") == "true"}
	in := push{name: c.Param("name"), wasm: wasm}
	if in.signatures, err = sentSignatures(c.Request().Header); err != nil {
		return err
	}
	diff, err := s.plugins.Diff(c.Request().Context(), in, revision, userOf(c), lines.progress)
	var refused *host.LoadError
	if errors.As(err, &refused) {
		err = &moduleError{c.Param("name"), refused}
	}
	return lines.end(diff, err)
}

// diffLines writes the answer of a diff.
type diffLines struct {
	response *echo.Response
	stream   bool
	begun    bool
	last     time.Time
}

// progress writes a line where progress is wanted and the last line is old enough.
func (l *diffLines) progress(resource string, done, all int64) {
	if !l.stream || time.Since(l.last) < progressInterval {
		return
	}
	l.last = time.Now()
	l.line(DiffProgress{pluginGroup + "/" + pluginVersion, "DiffProgress", resource, done, all})
}

// line writes one JSON line. That a client has gone shows in the context of its request.
func (l *diffLines) line(doc any) {
	if !l.begun {
		l.begun = true
		l.response.Header().Set("Content-Type", "application/json")
		l.response.WriteHeader(http.StatusOK)
	}
	raw, _ := json.Marshal(doc) // of our own types
	_, _ = l.response.Write(append(raw, '\n'))
	l.response.Flush()
}

// end writes what came of it. Once lines have been written, an error is a line too.
func (l *diffLines) end(diff *PluginDiff, err error) error {
	if err != nil && !l.begun {
		return err
	}
	if err != nil {
		l.line(statusOf(err, nil))
		return nil
	}
	l.line(diff)
	return nil
}

// Diff compares what a module, or a revision of the history, would make of the stored objects of a plugin's resources with what the active
// revision makes of them. Nothing is written, and nothing waits for it.
//
//   - Of resources that the plugin is bound to the definition's rules are the same on both sides.
//   - A module that the policy does not admit is not run here either.
func (p *Plugins) Diff(ctx context.Context, in push, revision int64, user engine.User, progress func(resource string, done, all int64)) (*PluginDiff, error) {
	name := in.name
	active, candidate, err := p.candidate(ctx, in, revision)
	if err != nil {
		return nil, err
	}
	defer candidate.Close(context.WithoutCancel(ctx))
	diff := &PluginDiff{
		APIVersion: pluginGroup + "/" + pluginVersion, Kind: "PluginDiff", Plugin: name, Active: active.activation.Revision,
		Candidate: "sha256:" + candidate.Digest, Version: candidate.Version, Missing: map[string]int64{},
	}
	for _, store := range p.compared(active) {
		gr := store.Resource.GroupResource().String()
		other := p.candidateStore(active, candidate, store)
		if other == nil {
			page, err := p.raw.List(ctx, store.Resource.KeyRoot+"/", engine.ListOptions{CountOnly: true})
			if err != nil {
				return nil, err
			}
			diff.Missing[gr] = page.Count
			continue
		}
		survey := rollout.Survey{
			Twins: rollout.Pair(store, other), Storage: p.raw, User: user,
			Progress: func(done, all int64) { progress(gr, done, all) },
		}
		stored, err := survey.Run(ctx)
		if err != nil {
			return nil, p.diffFailure(name, active, err)
		}
		diff.Resources = append(diff.Resources, stored)
	}
	return diff, nil
}

// candidate finds the active revision of a plugin, and loads the module that it is to be compared with.
func (p *Plugins) candidate(ctx context.Context, in push, revision int64) (*activePlugin, *host.Module, error) {
	name, wasm := in.name, in.wasm
	p.mu.Lock()
	active, options := p.active[name], p.hostOptions(name)
	store := p.server.view.Load().Store(pluginGroup, "strategyplugins")
	plugin, _, err := p.existing(ctx, store, name)
	p.mu.Unlock()
	switch {
	case err != nil:
		return nil, nil, err
	case active == nil:
		return nil, nil, badRequest("plugin %q has no active revision to compare with", name)
	}
	called := name + "@candidate"
	if revision > 0 {
		digest := plugin.digestOf(revision)
		if digest == "" {
			return nil, nil, badRequest("revision: Invalid value: %d: is not in the history; there are: %s", revision, plugin.history())
		}
		if wasm, err = p.modules.get(ctx, digest); err != nil {
			return nil, nil, err
		}
		called = revisionName(name, revision)
	}
	p.mu.Lock()
	_, err = p.admit(ctx, name, host.Digest(wasm), wasm, in.signatures)
	p.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	options.Limits.FailingTime = time.Hour // it is nobody's fault but that of whom it was run for
	module, err := host.Load(ctx, wasm, called, options)
	return active, module, err
}

// compared are the stores of the resources that a plugin defines, and of those that it is bound to.
func (p *Plugins) compared(active *activePlugin) []*engine.Store {
	stores, view := slices.Clone(active.stores), p.server.view.Load()
	for _, r := range active.bound {
		if store := view.Store(r.Group, r.Plural); store != nil {
			stores = append(stores, store)
		}
	}
	return stores
}

// candidateStore is what serves a resource by the candidate; nil where that does not define it.
func (p *Plugins) candidateStore(active *activePlugin, candidate *host.Module, store *engine.Store) *engine.Store {
	if r := active.reboundTo(candidate, store.Resource); r != nil {
		return store.With(r)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range candidate.Resources {
		if r.GroupResource() == store.Resource.GroupResource() && !r.Bind {
			return p.server.store(r)
		}
	}
	return nil
}

// diffFailure tells what is not the fault of either revision.
func (p *Plugins) diffFailure(name string, active *activePlugin, err error) error {
	p.mu.Lock()
	now := p.active[name]
	p.mu.Unlock()
	if now == nil || now.module != active.module {
		return &engine.ConflictError{Resource: pluginGroupResource, Name: name, Message: fmt.Sprintf("revision %d is no longer the active one", active.activation.Revision)}
	}
	return err
}
