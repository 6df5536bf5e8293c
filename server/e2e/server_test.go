package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// patience bounds every wait. It is far longer than anything takes.
const patience = 60 * time.Second

// server is one `stratagem serve` process. It may be stopped, killed and started again on the same address and data.
type server struct {
	dir        string
	kubeconfig string
	args       []string // beside those that every server gets
	listen     string   // after the first start: the address that it got

	log    *logBuffer
	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended
}

// newServer prepares a server in a folder of its own. It does not run yet. What it compiles is shared by all servers,
// so that only the first one takes its time for that.
func newServer(dir string, args ...string) (*server, error) {
	compiled := filepath.Join(bin.dir, "compiled")
	for _, folder := range []string{filepath.Join(dir, "home"), filepath.Join(dir, "data"), compiled} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.Symlink(compiled, filepath.Join(dir, "data", "compiled")); err != nil {
		return nil, err
	}
	return &server{dir: dir, kubeconfig: filepath.Join(dir, "kubeconfig"), args: args, listen: "127.0.0.1:0", log: &logBuffer{}}, nil
}

// startServer runs a server until the test ends; its log is shown if the test fails.
func startServer(t *testing.T, args ...string) *server {
	t.Helper()
	s, err := newServer(t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.log.tail())
		}
	})
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// start runs the process and returns once it is ready.
func (s *server) start() error {
	if err := os.Remove(s.kubeconfig); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	args := append([]string{"serve", "--listen", s.listen, "--data-dir", filepath.Join(s.dir, "data"), "--write-kubeconfig", s.kubeconfig}, s.args...)
	s.cmd = exec.Command(bin.stratagem, args...)
	s.cmd.Stderr, s.cmd.Stdout = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait()
		close(exited)
	}(s.cmd, s.exited)
	if err := s.waitReady(); err != nil {
		s.kill()
		return fmt.Errorf("%w\n%s", err, s.log.tail())
	}
	config, err := s.config()
	if err != nil {
		return err
	}
	s.listen = strings.TrimPrefix(config.Host, "https://")
	return nil
}

// waitReady waits for the kubeconfig, which is written when the server is ready, and asks it.
func (s *server) waitReady() error {
	return wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		select {
		case <-s.exited:
			return false, errors.New("the server ended before it was ready")
		default:
		}
		if _, err := os.Stat(s.kubeconfig); err != nil {
			return false, nil
		}
		config, err := s.config()
		if err != nil {
			return false, err
		}
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return false, err
		}
		body, err := client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil && string(body) == "ok", nil
	})
}

// stop ends the process as an operator does, and waits for its end.
func (s *server) stop() { s.signal(syscall.SIGTERM) }

// kill ends the process at once, in the middle of whatever it does.
func (s *server) kill() { s.signal(syscall.SIGKILL) }

func (s *server) signal(sig syscall.Signal) {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(sig)
	select {
	case <-s.exited:
	case <-time.After(patience):
		fmt.Fprintf(s.log, "the server did not end on %s\n", sig)
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
	s.cmd = nil
}

// config is the admin's, without client-go's own rate limit and without warnings in the test's output.
func (s *server) config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.WarningHandler = -1, rest.NoWarnings{}
	return config, nil
}

// restConfig is config for tests; they may change it.
func (s *server) restConfig(t *testing.T) *rest.Config {
	t.Helper()
	config, err := s.config()
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func (s *server) typed(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(s.restConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (s *server) dynamic(t *testing.T) *dynamic.DynamicClient {
	t.Helper()
	client, err := dynamic.NewForConfig(s.restConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	return client
}
