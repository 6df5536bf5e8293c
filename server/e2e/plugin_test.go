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
	dir := t.TempDir()
	plugin, err := filepath.Abs("../../plugins/deployments")
	must(t, err)
	source, err := os.ReadFile("testdata/stamp.go")
	must(t, err)
	file := filepath.Join(dir, "stamp.go")
	must(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(source), "REVISION", revision)), 0o600))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(plugin, "a_stamp.go"): file}})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	out := filepath.Join(dir, "deployments-"+revision+".wasm")
	must(t, command(plugin, []string{"GOFLAGS=-overlay=" + filepath.Join(dir, "overlay.json")},
		bin.stratagem, "plugin", "build", "--compiler", "go", ".", "-o", out))
	return out
}
