package etcd

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
)

func TestDialRefuses(t *testing.T) {
	dir := t.TempDir()
	certs := newCerts(t, dir)
	junk := filepath.Join(dir, "junk")
	write(t, junk, "no certificate")
	good := []string{"https://127.0.0.1:2379"}
	for name, test := range map[string]struct {
		config DialConfig
		flag   string
	}{
		"none":             {DialConfig{}, ServersFlag},
		"empty":            {DialConfig{Endpoints: []string{""}}, ServersFlag},
		"no scheme":        {DialConfig{Endpoints: []string{"127.0.0.1:2379"}}, ServersFlag},
		"host only":        {DialConfig{Endpoints: []string{"etcd"}}, ServersFlag},
		"another scheme":   {DialConfig{Endpoints: []string{"ftp://etcd:2379"}}, ServersFlag},
		"no host":          {DialConfig{Endpoints: []string{"http://:2379"}}, ServersFlag},
		"path":             {DialConfig{Endpoints: []string{"http://etcd:2379/v3"}}, ServersFlag},
		"query":            {DialConfig{Endpoints: []string{"http://etcd:2379?x=1"}}, ServersFlag},
		"user":             {DialConfig{Endpoints: []string{"http://root:secret@etcd:2379"}}, ServersFlag},
		"user of no URL":   {DialConfig{Endpoints: []string{"root:secret@etcd:2379"}}, ServersFlag},
		"user and junk":    {DialConfig{Endpoints: []string{"http://root:secret@etcd:port"}}, ServersFlag},
		"no path":          {DialConfig{Endpoints: []string{"unix://"}}, ServersFlag},
		"control":          {DialConfig{Endpoints: []string{"http://etcd\n:2379"}}, ServersFlag},
		"second is bad":    {DialConfig{Endpoints: []string{"http://etcd:2379", "etcd:2379"}}, ServersFlag},
		"mixed":            {DialConfig{Endpoints: []string{"http://a:2379", "https://b:2379"}}, ServersFlag},
		"CA without TLS":   {DialConfig{Endpoints: []string{"http://a:2379"}, CAFile: certs.ca}, CAFileFlag},
		"cert without TLS": {DialConfig{Endpoints: []string{"http://a:2379"}, CertFile: certs.cert}, CertFileFlag},
		"key without TLS":  {DialConfig{Endpoints: []string{"http://a:2379"}, KeyFile: certs.key}, KeyFileFlag},
		"missing CA":       {DialConfig{Endpoints: good, CAFile: junk + "-missing"}, CAFileFlag},
		"junk CA":          {DialConfig{Endpoints: good, CAFile: junk}, CAFileFlag},
		"cert without key": {DialConfig{Endpoints: good, CertFile: certs.cert}, KeyFileFlag},
		"key without cert": {DialConfig{Endpoints: good, KeyFile: certs.key}, CertFileFlag},
		"junk cert":        {DialConfig{Endpoints: good, CertFile: junk, KeyFile: certs.key}, CertFileFlag},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := Dial(test.config)
			if err == nil {
				_ = client.Close()
				t.Fatal("taken")
			}
			if !strings.Contains(err.Error(), test.flag) {
				t.Errorf("the error does not name %s: %v", test.flag, err)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

// TestDialWithTLS: an etcd that asks for certificates is served with the right ones alone.
func TestDialWithTLS(t *testing.T) {
	certs := newCerts(t, t.TempDir())
	endpoint := startTLS(t, certs)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	client, err := Dial(DialConfig{Endpoints: []string{endpoint}, CAFile: certs.ca, CertFile: certs.cert, KeyFile: certs.key})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if _, err := New(client, "registry").Revision(ctx); err != nil {
		t.Errorf("with a certificate: %v", err)
	}

	stranger, err := Dial(DialConfig{Endpoints: []string{endpoint}, CAFile: certs.ca})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Close() }()
	short, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	if _, err := New(stranger, "registry").Revision(short); err == nil {
		t.Error("etcd answers a client without a certificate")
	}
}

// startTLS starts an etcd that takes only clients with a certificate, and returns its URL.
func startTLS(t *testing.T, certs certFiles) string {
	t.Helper()
	cfg, err := embedConfig(EmbedConfig{DataDir: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	listen := url.URL{Scheme: "https", Host: "127.0.0.1:0"}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{listen}, []url.URL{listen}
	cfg.ClientTLSInfo = transport.TLSInfo{CertFile: certs.cert, KeyFile: certs.key, TrustedCAFile: certs.ca, ClientCertAuth: true}
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	<-etcd.Server.ReadyNotify()
	return "https://" + etcd.Clients[0].Addr().String()
}

type certFiles struct{ ca, cert, key string }

// newCerts writes an authority and one certificate of it, for the server and for the client.
func newCerts(t *testing.T, dir string) certFiles {
	t.Helper()
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := x509.CreateCertificate(rand.Reader, &template, &template, caKey.Public(), caKey)
	if err != nil {
		t.Fatal(err)
	}
	leaf := template
	leaf.SerialNumber, leaf.IsCA, leaf.KeyUsage = big.NewInt(2), false, x509.KeyUsageDigitalSignature
	leaf.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.CreateCertificate(rand.Reader, &leaf, &template, leafKey.Public(), caKey)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(leafKey)
	if err != nil {
		t.Fatal(err)
	}
	files := certFiles{ca: filepath.Join(dir, "ca"), cert: filepath.Join(dir, "cert"), key: filepath.Join(dir, "key")}
	write(t, files.ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca})))
	write(t, files.cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	write(t, files.key, string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})))
	return files
}
