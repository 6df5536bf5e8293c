package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A module goes with its signatures from a file through a registry into a server, and back to a file.
func TestSupplyThroughRegistry(t *testing.T) {
	server := startServer(t, "--bundled-plugins=false")
	for name, kind := range map[string]struct{ secure, password bool }{"open": {}, "password": {false, true}, "private authority": {true, true}} {
		t.Run(name, func(t *testing.T) {
			r := startRegistry(t, kind.secure, kind.password)
			s := &supplier{t: t, dir: t.TempDir(), server: server, registry: r}
			s.module("crontabs.wasm", name)
			var flags []string
			if kind.secure {
				s.refused([]string{"certificate signed by unknown authority"}, "plugin", "publish", "crontabs.wasm", r.ref("a/crontabs:1"))
				flags = []string{"--ca-file", r.caFile}
			}
			if kind.password {
				s.refused([]string{"push " + r.ref("a/crontabs:1"), "unauthorized"}, append([]string{"plugin", "publish", "crontabs.wasm", r.ref("a/crontabs:1")}, flags...)...)
				r.login(t, "wrong")
				s.refused([]string{"unauthorized"}, append([]string{"plugin", "publish", "crontabs.wasm", r.ref("a/crontabs:1")}, flags...)...)
				r.login(t, registryPassword)
			}
			testThroughRegistry(t, s, flags)
		})
	}
}

func testThroughRegistry(t *testing.T, s *supplier, flags []string) {
	const plugin = "crontabs"
	r := s.registry
	defer s.server.curl(t).do(t, "DELETE", "/apis/stratagem.dev/v1alpha1/strategyplugins/"+plugin, "")
	do := func(args ...string) string { t.Helper(); return s.must(append(args, flags...)...) }
	wasm, err := os.ReadFile(filepath.Join(s.dir, "crontabs.wasm"))
	must(t, err)
	s.must("plugin", "keygen", "-o", "release")
	s.must("plugin", "sign", "crontabs.wasm", "--key", "release.key")

	published := strings.Fields(do("plugin", "publish", "crontabs.wasm", r.ref("team/"+plugin+":1.0")))[0]
	contains(t, published, r.ref("team/"+plugin+":1.0@sha256:"))
	pinned := strings.TrimSuffix(published, ":")
	equal(t, "what it is when it is published again", strings.Fields(do("plugin", "publish", "crontabs.wasm", r.ref("team/"+plugin+":again")))[0], strings.Replace(published, ":1.0@", ":again@", 1))

	contains(t, do("plugin", "push", r.ref("team/"+plugin+":1.0"), "--dry-run"), "strategyplugin/"+plugin+" revision 1 would be taken")
	contains(t, do("plugin", "push", plugin, r.ref("team/"+plugin+":1.0")), "strategyplugin/"+plugin+" revision 1 is active")
	k := kubectl{server: s.server}
	equal(t, "source", k.run(t, "get", "strategyplugin", plugin, "-o", "jsonpath={.status.revisions[0].source}"), pinned)
	equal(t, "format of the signature", k.run(t, "get", "strategyplugin", plugin, "-o", "jsonpath={.status.revisions[0].signatures[*].format}"), "stratagem")

	do("plugin", "push", plugin, pinned) // by digest
	contains(t, s.must("plugin", "pull", plugin, "-o", "back.wasm"), fmt.Sprintf("sha256:%x, 1 signatures", sha256.Sum256(wasm)))
	contains(t, s.must("plugin", "verify", "back.wasm", "--key", "release.pub"), "signed with release.pub")
	contains(t, do("plugin", "pull", pinned, "-o", "copy.wasm"), "1 signatures")
	contains(t, do("plugin", "verify", pinned, "--key", "release.pub"), "signed with release.pub")
	copied, err := os.ReadFile(filepath.Join(s.dir, "copy.wasm"))
	must(t, err)
	equal(t, "the module is the same", bytes.Equal(copied, wasm), true)

	other := append([]string{"plugin", "push", plugin}, flags...)
	s.refused([]string{"pull " + r.ref("team/"+plugin+":2.0"), "not found"}, append(slices.Clip(other), r.ref("team/"+plugin+":2.0"))...)
	s.refused([]string{"not found"}, append(slices.Clip(other), r.ref("team/nothing:1.0"))...)
	s.refused([]string{"not found"}, append(slices.Clip(other), r.ref("team/"+plugin+"@sha256:"+strings.Repeat("0", 64)))...)
	s.refused([]string{"digest mismatch"}, append(slices.Clip(other), pinned, "--sha256", strings.Repeat("0", 64))...)
	s.refused([]string{"it took longer than 1ns"}, append(slices.Clip(other), pinned, "--timeout", "1ns")...)
}

// A module comes from a web server when it is the one that was asked for.
func TestSupplyFromURL(t *testing.T) {
	s := &supplier{t: t, dir: t.TempDir(), server: shared}
	wasm := s.module("crontabs.wasm", "")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/crontabs.wasm":
			_, _ = w.Write(wasm)
		case "/short.wasm":
			w.Header().Set("Content-Length", fmt.Sprint(len(wasm)))
			_, _ = w.Write(wasm[:len(wasm)/2])
		case "/huge.wasm":
			w.Header().Set("Content-Length", "100000000")
		case "/endless.wasm":
			for chunk := make([]byte, 1<<20); r.Context().Err() == nil; {
				_, _ = w.Write(chunk)
			}
		case "/away.wasm":
			http.Redirect(w, r, "http://plain.invalid/crontabs.wasm", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(web.Close)
	sum := fmt.Sprintf("%x", sha256.Sum256(wasm))
	contains(t, s.must("plugin", "push", web.URL+"/crontabs.wasm?token=hidden", "--sha256", sum, "--dry-run"), "strategyplugin/crontabs revision")
	s.refused([]string{"--sha256: must be given"}, "plugin", "push", web.URL+"/crontabs.wasm")
	for path, want := range map[string]string{
		"/none.wasm": "not found", "/short.wasm": "the body ended early", "/huge.wasm": "too large", "/endless.wasm": "too large",
		"/away.wasm": "a redirect leads to plain.invalid without TLS",
	} {
		s.refused([]string{"pull " + web.URL + path, want}, "plugin", "push", web.URL+path, "--sha256", sum)
	}
	s.refused([]string{"digest mismatch", sum}, "plugin", "push", web.URL+"/crontabs.wasm", "--sha256", strings.Repeat("0", 64))
	s.refused([]string{"without TLS only this machine is asked"}, "plugin", "push", "http://plain.invalid/crontabs.wasm", "--sha256", sum)
	s.refused([]string{`sha256 "abc": must be 64 hexadecimal digits`}, "plugin", "push", web.URL+"/crontabs.wasm", "--sha256", "abc")
}

// What lies in a registry and is not a Wasm artifact is refused by name.
func TestSupplyOfOtherArtifacts(t *testing.T) {
	r := startRegistry(t, false, false)
	s := &supplier{t: t, dir: t.TempDir(), server: shared, registry: r}
	s.module("crontabs.wasm", "")
	pinned := s.must("plugin", "publish", "crontabs.wasm", r.ref("crontabs:good"))
	digest := "sha256:" + strings.SplitN(strings.SplitN(pinned, "@sha256:", 2)[1], ":", 2)[0]
	good := r.get(t, "/v2/crontabs/manifests/good")
	var layout struct {
		Config struct{ MediaType string }
		Layers []struct {
			MediaType, Digest string
			Size              int64
		}
	}
	must(t, json.Unmarshal(good, &layout))
	equal(t, "config", layout.Config.MediaType, "application/vnd.wasm.config.v0+json")
	equal(t, "layer", layout.Layers[0].MediaType, "application/wasm")

	replace := func(old, text string) string { return strings.Replace(string(good), old, text, 1) }
	layer := string(good[bytes.Index(good, []byte(`"layers":[`))+len(`"layers":[`) : bytes.Index(good, []byte(`]`))])
	entry := fmt.Sprintf(`{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":%q,"size":%d}`, digest, len(good))
	const image, index = "application/vnd.oci.image.manifest.v1+json", "application/vnd.oci.image.index.v1+json"
	for tag, made := range map[string]struct{ kind, manifest, want string }{
		"config":  {image, replace("application/vnd.wasm.config.v0+json", "application/vnd.oci.image.config.v1+json"), "not a Wasm artifact: its config is a application/vnd.oci.image.config.v1+json"},
		"layer":   {image, replace(`"application/wasm"`, `"application/octet-stream"`), "not a Wasm artifact: its layer is a application/octet-stream"},
		"layers":  {image, replace(layer, layer+","+layer), "it has 2 layers, not one"},
		"none":    {image, replace(layer, ""), "it has 0 layers, not one"},
		"huge":    {image, replace(fmt.Sprintf(`"size":%d}]`, layout.Layers[0].Size), `"size":900000000}]`), "too large: the module has 900000000 bytes"},
		"size":    {image, replace(fmt.Sprintf(`"size":%d}]`, layout.Layers[0].Size), `"size":10}]`), "mismatch Content-Length"},
		"index":   {index, fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"manifests":[%s,%s]}`, index, entry, entry), "it is an index of 2 manifests; name one of them by its digest"},
		"another": {index, fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"manifests":[%s]}`, index, entry), ""},
	} {
		t.Run(tag, func(t *testing.T) {
			s := &supplier{t: t, dir: t.TempDir(), server: shared, registry: r}
			r.put(t, "/v2/crontabs/manifests/"+tag, made.kind, made.manifest)
			if made.want == "" {
				contains(t, s.must("plugin", "pull", r.ref("crontabs:"+tag)), "crontabs.wasm: ")
				return
			}
			s.refused([]string{"pull " + r.ref("crontabs:"+tag), made.want}, "plugin", "pull", r.ref("crontabs:"+tag))
		})
	}
}

func (r *registry) get(t *testing.T, path string) []byte {
	t.Helper()
	return r.do(t, "GET", path, "application/vnd.oci.image.manifest.v1+json", "")
}

func (r *registry) put(t *testing.T, path, kind, body string) {
	t.Helper()
	r.do(t, "PUT", path, kind, body)
}

func (r *registry) do(t *testing.T, method, path, kind, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), method, "http://"+r.host+path, strings.NewReader(body))
	must(t, err)
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Accept", kind)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	var answer bytes.Buffer
	_, err = answer.ReadFrom(resp.Body)
	must(t, err)
	if resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %s\n%s", method, path, resp.Status, answer.String())
	}
	return answer.Bytes()
}

// A registry that answers with other bytes than those asked for, fewer, or nothing but errors gets no module in.
func TestSupplyFromBadRegistry(t *testing.T) {
	good := startRegistry(t, false, false)
	s := &supplier{t: t, dir: t.TempDir(), server: shared, registry: good}
	wasm := s.module("crontabs.wasm", "")
	s.must("plugin", "keygen", "-o", "release")
	s.must("plugin", "sign", "crontabs.wasm", "--key", "release.key")
	s.must("plugin", "publish", "crontabs.wasm", good.ref("crontabs:1"))
	layer := fmt.Sprintf("/v2/crontabs/blobs/sha256:%x", sha256.Sum256(wasm))
	var signature string
	for name, bad := range map[string]struct {
		want   string
		answer func(w http.ResponseWriter, path string, body []byte) bool // false: the registry's own
	}{
		"other bytes": {"digest mismatch", func(w http.ResponseWriter, path string, body []byte) bool {
			if path == layer {
				body[len(body)/2] ^= 1
			}
			return false
		}},
		"fewer bytes": {"the body ended early", func(w http.ResponseWriter, path string, body []byte) bool {
			if path == layer {
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				_, _ = w.Write(body[:len(body)/2])
			}
			return path == layer
		}},
		"another manifest": {"digest", func(w http.ResponseWriter, path string, body []byte) bool {
			if strings.Contains(path, "/manifests/") && len(body) > 0 {
				body[0] = ' '
			}
			return false
		}},
		"unavailable": {"503", func(w http.ResponseWriter, path string, _ []byte) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}},
		"denied": {"forbidden", func(w http.ResponseWriter, path string, _ []byte) bool {
			w.WriteHeader(http.StatusForbidden)
			return true
		}},
		"a signature of another module": {"", func(w http.ResponseWriter, path string, body []byte) bool {
			if bytes.Contains(body, []byte("stratagem.dev/signature/v1")) {
				signature = path
				body[len(body)-20] ^= 1
			}
			return false
		}},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+good.host+r.URL.RequestURI(), r.Body)
				if err != nil {
					t.Error(err)
					return
				}
				req.Header = r.Header
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				var body bytes.Buffer
				if _, err := body.ReadFrom(resp.Body); err != nil {
					t.Error(err)
				}
				if bad.answer(w, r.URL.Path, body.Bytes()) {
					return
				}
				for key, values := range resp.Header {
					w.Header()[key] = values
				}
				w.WriteHeader(resp.StatusCode)
				_, _ = w.Write(body.Bytes())
			}))
			defer proxy.Close()
			s := &supplier{t: t, dir: t.TempDir(), server: shared, registry: good}
			ref := "oci://" + strings.TrimPrefix(proxy.URL, "http://") + "/crontabs:1"
			if bad.want != "" {
				s.refused([]string{"pull " + ref, bad.want}, "plugin", "pull", ref)
				if _, err := os.Stat(filepath.Join(s.dir, "crontabs.wasm")); err == nil {
					t.Error("a file is written")
				}
				return
			}
			contains(t, s.must("plugin", "pull", ref), "0 signatures", "a signature is left out: sha256:", "digest mismatch")
			if signature == "" {
				t.Error("the signature was not asked for")
			}
		})
	}
}
