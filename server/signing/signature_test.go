package signing

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func newKey(t *testing.T) (PrivateKey, PublicKey) {
	t.Helper()
	key, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	public, err := key.Public()
	if err != nil {
		t.Fatal(err)
	}
	return key, public
}

func TestSign(t *testing.T) {
	key, public := newKey(t)
	_, other := newKey(t)
	s, err := Sign(key, signed)
	if err != nil {
		t.Fatal(err)
	}
	if s.Format != FormatStratagem || s.KeyID != public.ID {
		t.Errorf("%+v", s)
	}
	if err := s.Verify(public, signed); err != nil {
		t.Error(err)
	}
	if err := s.Verify(other, signed); !errors.Is(err, ErrMismatch) {
		t.Errorf("another key: %v", err)
	}
	if err := s.Verify(publicKey(t, "ecdsa"), signed); !errors.Is(err, ErrMismatch) {
		t.Errorf("a key of another kind: %v", err)
	}
	if err := s.Verify(public, signed[1:]); err == nil {
		t.Error("another module passes")
	}
	// The digest in the document is not what is trusted.
	moved := mustParse(t, bytes.Replace(s.Document, fmt.Appendf(nil, "%x", digestOf("sha256", signed)), fmt.Appendf(nil, "%x", digestOf("sha256", []byte("evil"))), 1))
	if err := moved.Verify(public, []byte("evil")); !errors.Is(err, ErrMismatch) {
		t.Errorf("a document with another digest: %v", err)
	}
}

// A signature made for one format does not pass in another, and ed25519 is taken as cosign makes it: pure, and prehashed.
func TestEd25519OfCosign(t *testing.T) {
	key, public := newKey(t)
	bundle := func(signature []byte) Signature {
		return mustParse(t, fmt.Appendf(nil, `{"base64Signature":%q,"rekorBundle":{"SignedEntryTimestamp":"AA=="}}`, base64.StdEncoding.EncodeToString(signature)))
	}
	sum := sha512.Sum512(signed)
	prehashed, err := key.key.Sign(rand.Reader, sum[:], &ed25519.Options{Hash: crypto.SHA512})
	if err != nil {
		t.Fatal(err)
	}
	for name, signature := range map[string][]byte{"pure": ed25519.Sign(key.key, signed), "prehashed": prehashed} {
		if err := bundle(signature).Verify(public, signed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := bundle(signature).Verify(public, signed[1:]); !errors.Is(err, ErrMismatch) {
			t.Errorf("%s, another module: %v", name, err)
		}
	}
	own, err := Sign(key, signed)
	if err != nil {
		t.Fatal(err)
	}
	if err := bundle(own.signature).Verify(public, signed); !errors.Is(err, ErrMismatch) {
		t.Errorf("Stratagem's signature as cosign's: %v", err)
	}
	text := bytes.Replace(own.Document, []byte(base64.StdEncoding.EncodeToString(own.signature)), []byte(base64.StdEncoding.EncodeToString(ed25519.Sign(key.key, signed))), 1)
	if err := mustParse(t, text).Verify(public, signed); !errors.Is(err, ErrMismatch) {
		t.Errorf("cosign's signature as Stratagem's: %v", err)
	}
}

func TestKeys(t *testing.T) {
	key, public := newKey(t)
	private, err := key.PEM()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParsePrivateKey(private)
	if err != nil || !again.key.Equal(key.key) {
		t.Errorf("the private key is not what it was: %v", err)
	}
	same, err := ParsePublicKey(public.PEM())
	if err != nil || same.ID != public.ID {
		t.Errorf("the public key is not what it was: %v", err)
	}
	encode := func(key any) string {
		der, err := x509.MarshalPKIXPublicKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	}
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":              "no PEM block PUBLIC KEY",
		string(private): "PEM block PRIVATE KEY is there",
		string(public.PEM()) + string(public.PEM()):                    "more than one PEM block",
		"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n": "public key: ",
		encode(&short.PublicKey):                                       "1024 bits is too short",
		encode(&curve.PublicKey):                                       "curve P-224 is not supported",
	} {
		if _, err := ParsePublicKey([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	if _, err := ParsePrivateKey(public.PEM()); err == nil {
		t.Error("a public key signs")
	}
}

func TestParseAll(t *testing.T) {
	key, _ := newKey(t)
	s, err := Sign(key, signed)
	if err != nil {
		t.Fatal(err)
	}
	file := append(append(append([]byte{}, s.Document...), '\n'), read(t, "ecdsa.sigstore.json")...)
	all, err := ParseAll(file)
	if err != nil || len(all) != 2 {
		t.Fatalf("%d: %v", len(all), err)
	}
	for text, want := range map[string]string{
		"":                                       "signature 1: must be JSON",
		string(file) + "{":                       "signature 3: must be JSON",
		string(file) + "\n" + string(s.Document): "signature 3: the same signature is there twice",
		manySignatures():                         "signature 9: more than 8 signatures",
	} {
		if _, err := ParseAll([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

func manySignatures() string {
	var text strings.Builder
	for i := range byte(MaxCount + 1) {
		fmt.Fprintf(&text, `{"base64Signature":%q}`+"\n", base64.StdEncoding.EncodeToString([]byte{i}))
	}
	return text.String()
}
