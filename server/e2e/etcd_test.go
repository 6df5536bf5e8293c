package e2e

import (
	"testing"

	"github.com/stratagem-dev/stratagem/engine/etcd"
)

// startEtcd runs an etcd that servers reach over TCP, until the test ends.
func startEtcd(t *testing.T) *etcd.Server {
	t.Helper()
	server, err := etcd.Start(etcd.EmbedConfig{DataDir: t.TempDir(), ListenClientURL: "http://127.0.0.1:0", NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("closing etcd: %v", err)
		}
	})
	return server
}
