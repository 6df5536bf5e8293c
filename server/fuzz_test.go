package server

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/protobuf"
)

// FuzzPaths: a path names a resource or nothing, and no part of what it names has a slash in it.
func FuzzPaths(f *testing.F) {
	for _, seed := range []string{
		"/api/v1/pods", "/api/v1/namespaces/default/pods/p/status", "/apis/apps/v1/namespaces/default/deployments/d/scale", "/api/v1/namespaces/n",
		"/api/v1/namespaces/n/finalize", "/apis/a/v1", "/api//v1//pods", "/apis/a/b/c/d/e/f/g", "/api/v1/namespaces/default/pods/p/proxy/a/b", "/", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		target, ok := parseTarget(path)
		if !ok {
			return
		}
		for _, part := range []string{target.group, target.version, target.namespace, target.resource, target.name, target.subresource} {
			if strings.Contains(part, "/") || part != "" && !strings.Contains(path, part) {
				t.Errorf("%s names %+v", path, target)
			}
		}
		if target.version == "" && target.resource != "" && !strings.Contains(path, "//") {
			t.Errorf("%s names %+v", path, target)
		}
	})
}

// FuzzListParameters: whatever the query, a list or watch is refused or has options that make sense.
func FuzzListParameters(f *testing.F) {
	for _, seed := range []string{
		"limit=5&continue=abc", "resourceVersion=5&resourceVersionMatch=Exact", "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "labelSelector=a%3Db,c",
		"fieldSelector=metadata.name%3Dx", "timeoutSeconds=9999999999999", "limit=-1", "watch=&allowWatchBookmarks=FALSE", "a=%zz", "labelSelector=%00", "limit=1&limit=2", "shardSelector=x",
	} {
		f.Add(seed, "p", true)
	}
	store := engine.NewStore(&engine.Resource{Plural: "pods", Namespaced: true, Versions: []engine.Version{{Name: "v1", Storage: true}}}, nil, engine.Options{})
	f.Fuzz(func(t *testing.T, text, name string, watch bool) {
		query, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		info := &engine.RequestInfo{Verb: "list", Version: "v1"}
		if watch {
			info.Verb, info.Name = "watch", name
		}
		r := &request{store: store, info: info, query: query}
		options, selector, err := r.listOptions()
		if err != nil {
			if status := statusOf(err, r); status.Code < 400 || status.Code >= 500 || status.Message == "" {
				t.Errorf("%s: %+v", text, status)
			}
			return
		}
		if !watch && options.SendInitialEvents != nil || watch && info.Name != "" && selector.Name() != name {
			t.Errorf("%s: %+v selects %q", text, options, selector.Name())
		}
		_, _ = dryRun("create", query["dryRun"])
		_, _ = fieldManager("patch", query, &http.Request{Header: http.Header{"User-Agent": {name}}})
	})
}

// FuzzBodies: a body in any format is refused as the client's fault, or becomes an object in canonical form.
func FuzzBodies(f *testing.F) {
	types := []string{"application/json", "application/yaml", protobuf.ContentType, "text/plain"}
	for i, seed := range []string{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"a":1,"a":2}}`, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\na: &x [1]\nb: *x\n",
		"k8s\x00\x0a\x0c\x0a\x02v1\x12\x03Pod\x12\x05\x0a\x03\x0a\x01p", "x", `{"a":"\ud800"}`, "a: 1\na: 2\n", "k8s\x00", `[1]`, "? {a: b}\n: c\n", "!!binary aGk=", "k8s\x00\xff\xff\xff\xff\x0f",
	} {
		f.Add(uint8(i%3), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		mediaType := types[int(kind)%len(types)]
		obj, _, err := parseBody(mediaType, body)
		if err != nil {
			if status := statusOf(err, nil); status.Code < 400 || status.Code >= 500 {
				t.Errorf("%s %q: %+v", mediaType, body, status)
			}
			return
		}
		again, duplicates, err := engine.ParseObject(obj)
		if err != nil || len(duplicates) > 0 || !bytes.Equal(again, obj) {
			t.Errorf("%s %q became %s (%v)", mediaType, body, obj, err)
		}
	})
}
