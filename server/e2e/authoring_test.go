package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// author is someone who writes a plugin on a machine without a network and with an empty module cache.
type author struct {
	t   *testing.T
	dir string // of the project
}

// newAuthor writes the project of a new plugin.
func newAuthor(t *testing.T, name string, args ...string) *author {
	t.Helper()
	a := &author{t: t, dir: filepath.Join(t.TempDir(), name)}
	must(t, command(filepath.Dir(a.dir), nil, bin.stratagem, append([]string{"plugin", "init", name}, args...)...))
	return a
}

// do runs a command in the project.
func (a *author) do(name string, args ...string) (string, error) {
	a.t.Helper()
	cmd := exec.CommandContext(within(a.t), name, args...)
	cmd.Dir = a.dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=", "GOMODCACHE="+filepath.Join(filepath.Dir(a.dir), "modules"), "KUBECONFIG="+shared.kubeconfig)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must runs a command that has to succeed.
func (a *author) must(name string, args ...string) string {
	a.t.Helper()
	out, err := a.do(name, args...)
	if err != nil {
		a.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// edit replaces a text in a file of the project.
func (a *author) edit(file, old, text string) {
	a.t.Helper()
	path := filepath.Join(a.dir, file)
	was, err := os.ReadFile(path)
	must(a.t, err)
	if !strings.Contains(string(was), old) {
		a.t.Fatalf("%s has no %q", file, old)
	}
	must(a.t, os.WriteFile(path, []byte(strings.Replace(string(was), old, text, 1)), 0o600))
}

const gadget = `{"apiVersion":"tools.example.org/v1","kind":"Gadget","metadata":{"name":"one"},"spec":{"title":"first","tier":"GOLD"}}`

// A new project builds, passes its own tests and is served, all without a network.
func TestAuthor(t *testing.T) {
	defer func() { // the shared server is left as it was
		c := shared.curl(t)
		c.do(t, "DELETE", "/apis/tools.example.org/v1/namespaces/default/gadgets", "")
		c.do(t, "DELETE", "/apis/stratagem.dev/v1alpha1/strategyplugins/gadgets", "")
	}()
	a := newAuthor(t, "gadgets", "--group", "tools.example.org")
	must(t, os.WriteFile(filepath.Join(a.dir, "one.yaml"), []byte(gadget), 0o600))
	contains(t, a.must("make", "test", "STRATAGEM="+bin.stratagem), "ok", "conforms to version 1", "PASS", "6 cases passed")
	equal(t, "what go mod tidy would change", a.must("go", "mod", "tidy", "-diff"), "")

	contains(t, a.must(bin.stratagem, "plugin", "inspect", "gadgets.wasm"), "plugin    gadgets 0.1.0", "snapshot", "stratagem.log", "gadgets.tools.example.org")
	contains(t, a.must(bin.stratagem, "plugin", "run", "gadgets.wasm", "--hook", "Default", "-f", "one.yaml"), "Default: fuel ", "add     /spec/replicas 1")
	contains(t, a.must(bin.stratagem, "plugin", "bench", "gadgets.wasm", "-f", "one.yaml", "--time", "1ms"), "Default", "ValidateUpdate")
	offline := a.must(bin.stratagem, "plugin", "explain", "--module", "gadgets.wasm", "-f", "one.yaml")
	contains(t, offline, "create gadgets.tools.example.org default/one", "Server", "Default", "add     /spec/replicas 1", "Validate", "Canonicalize", `replace /spec/tier "Gold"`, "201: it would be taken")

	t.Run("Expectations", func(t *testing.T) { a.t = t; testExpectations(t, a) })
	t.Run("Explain", func(t *testing.T) { a.t = t; testExplain(t, a) })
	t.Run("Panic", func(t *testing.T) { a.t = t; testPanic(t, a) })
	t.Run("Disable", func(t *testing.T) { a.t = t; testDisable(t, a) })
}

// A case that is not met fails with what differs; --write makes what comes out what is expected.
func testExpectations(t *testing.T, a *author) {
	a.edit("cases/create.yaml", "tier: Gold, title: first", "tier: Silver, title: first")
	out, err := a.do(bin.stratagem, "plugin", "test", "gadgets.wasm", "cases")
	if err == nil {
		t.Error("a case that is not met passed")
	}
	contains(t, out, "FAIL  defaults are filled in", "-   tier: Silver", "+   tier: Gold", "1 of 6 cases failed")
	a.must(bin.stratagem, "plugin", "test", "gadgets.wasm", "cases", "--write")
	contains(t, a.must(bin.stratagem, "plugin", "test", "gadgets.wasm"), "6 cases passed")

	a.edit("cases/update.yaml", "operation: update", "operation: upgrade")
	out, err = a.do(bin.stratagem, "plugin", "test", "gadgets.wasm")
	if err == nil {
		t.Error("an unknown operation passed")
	}
	contains(t, out, `operation "upgrade": must be create, update, patch, get, delete or a subresource of gadgets`)
	a.edit("cases/update.yaml", "operation: upgrade", "operation: update")
}

// The server explains what each hook does, and stores nothing.
func testExplain(t *testing.T, a *author) {
	a.must(bin.stratagem, "plugin", "push", "gadgets.wasm")
	contains(t, a.must(bin.stratagem, "explain", "-f", "one.yaml"), "create gadgets.tools.example.org default/one", "Default", "gadgets@1", "add     /spec/replicas 1",
		"Canonicalize", `replace /spec/tier "Gold"`, "201: it would be taken")
	k := kubectl{server: shared, namespace: "default"}
	contains(t, k.refused(t, "", "get", "gadgets", "one"), "NotFound")
	must(t, os.WriteFile(filepath.Join(a.dir, "bad.yaml"), []byte(strings.ReplaceAll(gadget, "GOLD", "Lead")), 0o600))
	contains(t, a.must(bin.stratagem, "explain", "-f", "bad.yaml"), "Validate", `error   spec.tier: Unsupported value: "Lead"`, "422 Invalid: ")
	contains(t, a.must(bin.stratagem, "explain", "-f", "bad.yaml", "-o", "json"), `"reason":"FieldValueNotSupported"`, `"field":"spec.tier"`)

	k.feed(t, gadget, "create", "-f", "-")
	contains(t, a.must(bin.stratagem, "explain", "-f", "bad.yaml", "--operation", "status"), "update gadgets.tools.example.org/status default/one",
		`replace /spec/tier "Gold"`, "ValidateUpdate", "200: it would be taken")
	contains(t, a.must(bin.stratagem, "explain", "-f", "bad.yaml"), "update gadgets.tools.example.org default/one", "ValidateUpdate",
		`error   spec.tier: Invalid value: "Lead": field is immutable`, "422 Invalid: ")

	const collection = "/apis/tools.example.org/v1/namespaces/default/gadgets"
	c := shared.curl(t)
	c.do(t, "POST", collection+"?explain=true", gadget).refused(t, 422, "Invalid",
		`CreateOptions.meta.k8s.io "" is invalid: explain: Forbidden: may only be used together with dryRun=All`)
	c.do(t, "GET", collection+"?explain=true", "").refused(t, 400, "BadRequest", "explain: a list runs no lifecycle; create, update, patch and delete do")
	patched := c.do(t, "PATCH", collection+"/one?explain=true&dryRun=All", `{"spec":{"replicas":0}}`, "Content-Type: application/merge-patch+json")
	equal(t, "code", patched.code, 200)
	contains(t, string(patched.body), `"kind":"Explanation"`, `"verb":"patch"`, `"name":"Server"`, `"path":"/spec/replicas","value":0`, `"name":"ValidateUpdate"`, `"fuel":`, `"code":200`)
	deleted := c.do(t, "DELETE", collection+"/one?explain=true&dryRun=All", "")
	contains(t, string(deleted.body), `"kind":"Explanation"`, `"verb":"delete"`, `"code":200`)
	equal(t, "replicas", k.run(t, "get", "gadget", "one", "-o", "jsonpath={.spec.replicas}"), "1")
}

// A panic reaches the operator as plugin, hook, message and the frames of the author's own code.
func testPanic(t *testing.T, a *author) {
	a.edit("strategy.go", "\treturn validateSpec(obj.Get(\"spec\"), field.NewPath(\"spec\"))\n}\n", "\treturn validateSpec(obj.Get(\"spec\"), field.NewPath(\"spec\"))[7:]\n}\n")
	a.must(bin.stratagem, "plugin", "build", "--compiler", "go")
	want := []string{"gadgets", "hook Validate", "trap", "panic: runtime error: slice bounds out of range [7:0]", "strategy.Validate", "strategy.go:"}

	out, err := a.do(bin.stratagem, "plugin", "run", "gadgets.wasm", "--hook", "Validate", "-f", "one.yaml")
	if err == nil {
		t.Error("a hook that panics passed")
	}
	contains(t, out, want...)
	out, err = a.do(bin.stratagem, "plugin", "check", "gadgets.wasm")
	if err == nil {
		t.Error("a module whose hook panics conforms")
	}
	contains(t, out, "FAIL  hook gadgets Validate", "does not conform to the ABI")

	a.must(bin.stratagem, "plugin", "push", "gadgets.wasm")
	k := kubectl{server: shared, namespace: "default"}
	message := k.refused(t, strings.ReplaceAll(gadget, `"one"`, `"two"`), "create", "-f", "-")
	contains(t, message, "Error from server (InternalError)", "gadgets@2")
	contains(t, message, "hook Default+Validate+WarningsOnCreate+Canonicalize: trap", "panic: runtime error: slice bounds out of range [7:0]", "strategy.go:")
	for _, noise := range []string{"goroutine 1", "runtime.gopanic", "/src/runtime/"} {
		if strings.Contains(message, noise) {
			t.Errorf("%q stands in the message:\n%s", noise, message)
		}
	}
}

// A plugin is switched off, can still be downloaded, and comes back with all its objects.
func testDisable(t *testing.T, a *author) {
	contains(t, a.must(bin.stratagem, "plugin", "disable", "gadgets"), "strategyplugin/gadgets is disabled")
	k := kubectl{server: shared, namespace: "default"}
	equal(t, "code", shared.curl(t).do(t, "GET", "/apis/tools.example.org/v1/namespaces/default/gadgets", "").code, 404)
	contains(t, a.must(bin.stratagem, "plugin", "list"), "gadgets", "Disabled")
	contains(t, k.refused(t, "", "delete", "strategyplugin", "gadgets"), "1 objects of gadgets.tools.example.org exist")

	a.must(bin.stratagem, "plugin", "pull", "gadgets", "--revision", "1", "-o", "first.wasm")
	contains(t, a.must(bin.stratagem, "plugin", "run", "first.wasm", "--hook", "Validate", "-f", "one.yaml"), "Validate: fuel")
	contains(t, a.must(bin.stratagem, "plugin", "rollback", "gadgets", "--to-revision", "1"), "revision 1 is active")
	equal(t, "the object", k.run(t, "get", "gadget", "one", "-o", "jsonpath={.spec.title}"), "first")
	out, err := a.do(bin.stratagem, "plugin", "disable", "none")
	if err == nil {
		t.Error("a plugin that is not there was switched off")
	}
	contains(t, out, `strategyplugins.stratagem.dev "none" not found`)
}

// A plugin is switched off in the data dir of a server that is stopped; the next start leaves it so.
func TestDisableWithoutServer(t *testing.T) {
	s := startServer(t)
	out, err := s.stratagem(t, "plugin", "disable", "crontabs", "--data-dir", filepath.Join(s.dir, "data"))
	if err == nil {
		t.Error("a data dir that is in use was written to")
	}
	contains(t, out, "in use by another process")
	s.stop()
	out, err = s.stratagem(t, "plugin", "disable", "crontabs", "--data-dir", filepath.Join(s.dir, "data"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	must(t, s.start())
	k := kubectl{server: s}
	contains(t, k.refused(t, "", "get", "crontabs"), "the server doesn't have a resource type")
	contains(t, k.run(t, "get", "strategyplugin", "crontabs"), "Disabled")
	if out, err := s.stratagem(t, "plugin", "rollback", "crontabs"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	contains(t, k.run(t, "get", "crontabs"), "")
}
