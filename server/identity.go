package server

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// adminName is the user of the written kubeconfig.
const adminName = "admin"

// certificateLife is how long the self-made certificates last.
const certificateLife = 10 * 365 * 24 * time.Hour

// Identity is what the server proves itself with and knows its admin by. It is made once and kept in the data dir.
type Identity struct {
	Token string // the admin's bearer token

	authority []byte // PEM
	server    tls.Certificate
	admin     keyPair
}

// keyPair is a certificate and its key, in PEM.
type keyPair struct{ cert, key []byte }

// LoadIdentity reads the identity kept in a folder, or makes one. The server's certificate is made anew when it does
// not name all hosts.
func LoadIdentity(dir string, hosts []string) (*Identity, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	id := &Identity{}
	token, err := keep(dir, "token", func() ([]byte, error) {
		raw := make([]byte, 32)
		_, err := rand.Read(raw)
		return []byte(hex.EncodeToString(raw)), err
	})
	if err != nil {
		return nil, err
	}
	id.Token = strings.TrimSpace(string(token))
	authority, err := keepPair(dir, "ca", nil, authorityTemplate(), nil)
	if err != nil {
		return nil, err
	}
	id.authority = authority.cert
	admin := &x509.Certificate{Subject: pkix.Name{CommonName: adminName, Organization: []string{mastersGroup}}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if id.admin, err = keepPair(dir, "admin", &authority, admin, nil); err != nil {
		return nil, err
	}
	serving, err := keepPair(dir, "server", &authority, servingTemplate(hosts), hosts)
	if err != nil {
		return nil, err
	}
	id.server, err = tls.X509KeyPair(serving.cert, serving.key)
	return id, err
}

func authorityTemplate() *x509.Certificate {
	return &x509.Certificate{Subject: pkix.Name{CommonName: "stratagem-ca"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
}

func servingTemplate(hosts []string) *x509.Certificate {
	t := &x509.Certificate{Subject: pkix.Name{CommonName: "stratagem"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, h)
		}
	}
	return t
}

// keep reads a file, or makes it.
func keep(dir, name string, make func() ([]byte, error)) ([]byte, error) {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	if data, err = make(); err != nil {
		return nil, err
	}
	return data, writeFile(path, data)
}

// writeFile writes a file in one step, for its owner alone.
func writeFile(path string, data []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

// keepPair reads a certificate and its key, or makes them. A certificate that does not name all hosts is made anew.
func keepPair(dir, name string, signer *keyPair, template *x509.Certificate, hosts []string) (keyPair, error) {
	certPath, keyPath := filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	cert, certErr := os.ReadFile(certPath)
	key, keyErr := os.ReadFile(keyPath)
	if certErr == nil && keyErr == nil && names(cert, hosts) {
		return keyPair{cert, key}, nil
	}
	pair, err := newPair(signer, template)
	if err != nil {
		return pair, fmt.Errorf("certificate %s: %w", name, err)
	}
	return pair, errors.Join(writeFile(keyPath, pair.key), writeFile(certPath, pair.cert))
}

// names tells whether a certificate is good for all hosts and for another month.
func names(certPEM []byte, hosts []string) bool {
	block, _ := pem.Decode(certPEM)
	if block == nil {
		return false
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil || time.Now().AddDate(0, 1, 0).After(cert.NotAfter) {
		return false
	}
	for _, h := range hosts {
		if cert.VerifyHostname(h) != nil {
			return false
		}
	}
	return true
}

// newPair makes a key and a certificate for it, signed by signer or by itself.
func newPair(signer *keyPair, template *x509.Certificate) (keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return keyPair{}, err
	}
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(certificateLife)
	template.KeyUsage |= x509.KeyUsageDigitalSignature
	parent, parentKey := template, any(key)
	if signer != nil {
		loaded, err := tls.X509KeyPair(signer.cert, signer.key)
		if err != nil {
			return keyPair{}, err
		}
		parent, parentKey = loaded.Leaf, loaded.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return keyPair{}, err
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	return keyPair{
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key:  pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
	}, err
}

// TLS is the server's side of a connection. Client certificates are optional.
func (id *Identity) TLS() *tls.Config {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(id.authority)
	return &tls.Config{
		Certificates: []tls.Certificate{id.server}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool,
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	}
}

// WriteKubeconfig writes the admin's kubeconfig in one step, for its owner alone. It carries a client certificate
// and the bearer token; either is enough.
func (id *Identity) WriteKubeconfig(path, url string) error {
	named := func(what string, value map[string]any) []any {
		return []any{map[string]any{"name": "stratagem", what: value}}
	}
	config, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "stratagem", "preferences": map[string]any{},
		"clusters": named("cluster", map[string]any{"server": url, "certificate-authority-data": id.authority}),
		"contexts": named("context", map[string]any{"cluster": "stratagem", "user": "stratagem", "namespace": "default"}),
		"users": named("user", map[string]any{
			"token": id.Token, "client-certificate-data": id.admin.cert, "client-key-data": id.admin.key,
		}),
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return writeFile(path, bytes.TrimLeft(config, "\n"))
}
