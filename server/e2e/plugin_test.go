package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stratagem runs the command against a server and returns what it printed.
func (s *server) stratagem(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(within(t), bin.stratagem, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.kubeconfig)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// push makes a module the active revision of a plugin.
func (s *server) push(t *testing.T, name, file string) {
	t.Helper()
	if out, err := s.stratagem(t, "plugin", "push", file, "--name", name); err != nil {
		t.Fatalf("push of %s: %v\n%s", file, err, out)
	}
}

// buildStamped compiles the Deployments' plugin with testdata/stamp.go laid over it: the same behaviour, and a stamp.
func buildStamped(t *testing.T, revision string) string {
	t.Helper()
	return buildOver(t, "deployments", "a_stamp.go", "stamp.go", "REVISION", revision)
}

// buildOver compiles a bundled plugin with a file of testdata in the place of one of its own, or beside them; in it, old texts become new ones.
func buildOver(t *testing.T, plugin, place, source string, oldnew ...string) string {
	t.Helper()
	dir := t.TempDir()
	folder, err := filepath.Abs("../../plugins/" + plugin)
	must(t, err)
	text, err := os.ReadFile("testdata/" + source)
	must(t, err)
	file := filepath.Join(dir, place)
	must(t, os.WriteFile(file, []byte(strings.NewReplacer(oldnew...).Replace(string(text))), 0o600))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(folder, place): file}})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	out := filepath.Join(dir, strings.TrimSuffix(source, ".go")+".wasm")
	must(t, command(folder, []string{"GOFLAGS=-overlay=" + filepath.Join(dir, "overlay.json")}, bin.stratagem, "plugin", "build", "--compiler", "go", ".", "-o", out))
	return out
}
