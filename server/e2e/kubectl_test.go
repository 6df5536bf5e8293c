package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// kubectl is stock kubectl, pointed at a server and a namespace.
type kubectl struct {
	server    *server
	namespace string
}

// command prepares a call. It knows nothing of earlier ones: kubectl would look for resources that a test before has taken away.
func (k kubectl) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if k.namespace != "" {
		args = append([]string{"--namespace", k.namespace}, args...)
	}
	cmd := exec.CommandContext(within(t), bin.kubectl, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "KUBECONFIG=" + k.server.kubeconfig}
	return cmd
}

// result is what a call printed and how it ended.
type result struct {
	stdout, stderr string
	code           int
}

// try runs kubectl, with stdin if it is not empty.
func (k kubectl) try(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	cmd := k.command(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Stdin = &stdout, &stderr, strings.NewReader(stdin)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("kubectl %s: %v", strings.Join(args, " "), err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// run runs kubectl and returns what it printed; it must succeed.
func (k kubectl) run(t *testing.T, args ...string) string {
	t.Helper()
	return k.feed(t, "", args...)
}

// feed is run with standard input.
func (k kubectl) feed(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	r := k.try(t, stdin, args...)
	if r.code != 0 {
		t.Fatalf("kubectl %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// refused runs kubectl, which must fail, and returns its error text.
func (k kubectl) refused(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	r := k.try(t, stdin, args...)
	if r.code == 0 {
		t.Fatalf("kubectl %s: succeeded\n%s", strings.Join(args, " "), r.stdout)
	}
	return r.stderr
}

// start runs kubectl beside the test until that ends, and returns what it prints as it prints it.
func (k kubectl) start(t *testing.T, args ...string) *logBuffer {
	t.Helper()
	cmd, out := k.command(t, args...), &logBuffer{}
	cmd.Stdout, cmd.Stderr = out, out
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return out
}
