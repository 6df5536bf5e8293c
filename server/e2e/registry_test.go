package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/distribution/distribution/v3/configuration"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
	"golang.org/x/crypto/bcrypt"
)

// registry is the CNCF's distribution registry, on this machine and in memory.
type registry struct {
	host   string // with the port
	dir    string // docker's config folder of those who use it
	caFile string // of a registry with TLS
}

const registryUser, registryPassword = "pusher", "a secret"

// startRegistry runs a registry until the test ends: with TLS by a private authority or without, open or with a password.
func startRegistry(t *testing.T, secure, password bool) *registry {
	t.Helper()
	r := &registry{dir: t.TempDir()}
	config := &configuration.Configuration{Storage: configuration.Storage{"inmemory": {}, "delete": {"enabled": true}}}
	config.Log.Level, config.Log.AccessLog.Disabled = "panic", true
	config.HTTP.Secret = "test"
	config.Catalog.MaxEntries = 10
	if password {
		hash, err := bcrypt.GenerateFromPassword([]byte(registryPassword), bcrypt.MinCost)
		must(t, err)
		file := filepath.Join(r.dir, "htpasswd")
		must(t, os.WriteFile(file, fmt.Appendf(nil, "%s:%s\n", registryUser, hash), 0o600))
		config.Auth = configuration.Auth{"htpasswd": {"realm": "test", "path": file}}
	}
	server := httptest.NewUnstartedServer(handlers.NewApp(t.Context(), config))
	if secure {
		server.TLS = &tls.Config{Certificates: []tls.Certificate{r.certificate(t)}}
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	r.host = server.Listener.Addr().String()
	return r
}

// certificate makes an authority, whose certificate it writes to caFile, and a certificate of 127.0.0.1.
func (r *registry) certificate(t *testing.T) tls.Certificate {
	t.Helper()
	make := func(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		if signer == nil {
			parent, signer = template, key
		}
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		must(t, err)
		return der, key
	}
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "private"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	ca, signer := make(authority, nil, nil)
	leaf, key := make(&x509.Certificate{SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, authority, signer)
	r.caFile = filepath.Join(r.dir, "ca.pem")
	must(t, os.WriteFile(r.caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca}), 0o600))
	return tls.Certificate{Certificate: [][]byte{leaf}, PrivateKey: key}
}

// login writes docker's config file, as docker login does.
func (r *registry) login(t *testing.T, password string) {
	t.Helper()
	auth := base64.StdEncoding.EncodeToString([]byte(registryUser + ":" + password))
	must(t, os.WriteFile(filepath.Join(r.dir, "config.json"), fmt.Appendf(nil, `{"auths":{%q:{"auth":%q}}}`, r.host, auth), 0o600))
}

// ref is a reference in the registry.
func (r *registry) ref(rest string) string { return "oci://" + r.host + "/" + rest }

// supplier is someone who has modules, keys and a registry, and works in a folder.
type supplier struct {
	t        *testing.T
	dir      string
	server   *server
	registry *registry
}

// run runs the command.
func (s *supplier) run(args ...string) (string, error) {
	s.t.Helper()
	cmd := exec.CommandContext(within(s.t), bin.stratagem, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.server.kubeconfig, "HOME="+s.dir)
	if s.registry != nil {
		cmd.Env = append(cmd.Env, "DOCKER_CONFIG="+s.registry.dir)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must runs a command that has to succeed.
func (s *supplier) must(args ...string) string {
	s.t.Helper()
	out, err := s.run(args...)
	if err != nil {
		s.t.Fatalf("stratagem %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// refused runs a command that has to fail, and say all parts.
func (s *supplier) refused(parts []string, args ...string) {
	s.t.Helper()
	out, err := s.run(args...)
	if err == nil {
		s.t.Errorf("stratagem %s: passed\n%s", strings.Join(args, " "), out)
	}
	contains(s.t, out, parts...)
}

// module writes a crontabs plugin into the folder that differs from others in a note, and returns its digest.
func (s *supplier) module(file, note string) []byte {
	s.t.Helper()
	wasm, err := os.ReadFile(filepath.Join("..", "bundle", "files", "crontabs.wasm"))
	must(s.t, err)
	if note != "" {
		section := append([]byte{4}, "note"+note...)
		wasm = append(append(wasm, 0, byte(len(section))), section...)
	}
	must(s.t, os.WriteFile(filepath.Join(s.dir, file), wasm, 0o600))
	return wasm
}
