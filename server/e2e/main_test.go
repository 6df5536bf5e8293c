package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bin holds the commands as this run has built them.
var bin struct {
	dir       string
	stratagem string
	kubectl   string
}

// shared is the server of all tests that do not need one of their own.
var shared *server

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds, starts the shared server, runs the tests and cleans up.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "stratagem-e2e-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	if err := build(dir); err != nil {
		return failed(err)
	}
	shared, err = newServer(filepath.Join(dir, "shared"))
	if err != nil {
		return failed(err)
	}
	if err := shared.start(); err != nil {
		return failed(err)
	}
	defer shared.stop()
	code := m.Run()
	if code != 0 {
		fmt.Fprintf(os.Stderr, "log of the shared server:\n%s\n", shared.log.tail())
	}
	return code
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}

// build makes the server with its bundled plugins as `make` does, and kubectl. STRATAGEM_BINARY names a server to
// test in place of the one that would be built.
func build(dir string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	bin.dir, bin.stratagem, bin.kubectl = dir, filepath.Join(root, "bin", "stratagem"), filepath.Join(dir, "kubectl")
	if ready := os.Getenv("STRATAGEM_BINARY"); ready != "" {
		bin.stratagem = ready
	} else if err := command(root, nil, "make", "-s", "build"); err != nil {
		return err
	}
	return command("kubectl", nil, "go", "build", "-ldflags=-X k8s.io/component-base/version.gitVersion=v1.37.2", "-o", bin.kubectl, ".")
}

// command runs a build command; what it printed is in the error.
func command(dir string, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
