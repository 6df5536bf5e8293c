package engine_test

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/stratagem-dev/stratagem"

// law says what the packages below a folder may not depend on, directly or through others.
type law struct {
	packages  string
	forbidden []string
	why       string
}

var laws = []law{
	{"/engine", []string{"github.com/tetratelabs/wazero", "github.com/labstack/echo", "go.etcd.io/etcd", "net/http/httptest", module + "/host", module + "/server"}, "the engine knows no Wasm, no HTTP framework and no etcd client"},
	{"/engine/schema", []string{"github.com/tetratelabs/wazero", "github.com/labstack/echo", "go.etcd.io/etcd", module + "/host", module + "/server"}, "a schema knows objects alone"},
	{"/engine/etcd", []string{"github.com/tetratelabs/wazero", "github.com/labstack/echo", module + "/host", module + "/server"}, "the storage knows the engine alone"},
	{"/host", []string{"github.com/labstack/echo", "go.etcd.io/etcd", module + "/server", module + "/engine/etcd"}, "the host knows the engine and wazero"},
	{"/host/meter", []string{"github.com/tetratelabs/wazero", module + "/engine", "k8s.io/"}, "the meter needs the standard library alone"},
	{"/server/...", []string{module + "/sdk", module + "/plugins"}, "nothing of the server is in a plugin"},
	{"", []string{module + "/sdk", module + "/plugins", "k8s.io/kubectl", "k8s.io/client-go/kubernetes"}, "the command needs neither SDK nor plugins nor a client"},
}

// TestImportLaws holds the directions in which packages may know each other.
func TestImportLaws(t *testing.T) {
	for _, l := range laws {
		for _, dep := range list(t, "-deps", module+l.packages) {
			for _, forbidden := range l.forbidden {
				if strings.HasPrefix(dep, forbidden) {
					t.Errorf("%s%s depends on %s: %s", module, l.packages, dep, l.why)
				}
			}
		}
	}
}

// owners are the only folders that may import a package directly.
var owners = map[string]string{
	"github.com/tetratelabs/wazero": "/host",
	"github.com/labstack/echo/v4":   "/server",
	"go.etcd.io/etcd/client/v3":     "/engine/etcd",
}

// TestOwners holds that echo, wazero and the etcd client appear in one place each.
func TestOwners(t *testing.T) {
	for _, line := range list(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...") {
		imports := strings.Fields(line)
		for _, dep := range imports[1:] {
			for owned, owner := range owners {
				inside := imports[0] == module+owner || strings.HasPrefix(imports[0], module+owner+"/")
				if strings.HasPrefix(dep, owned) && !inside {
					t.Errorf("%s imports %s, which belongs to %s", imports[0], dep, owner)
				}
			}
		}
	}
}

func list(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		if failed, ok := err.(*exec.ExitError); ok {
			t.Fatalf("go list %v: %v: %s", args, err, failed.Stderr)
		}
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
