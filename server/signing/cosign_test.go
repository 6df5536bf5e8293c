package signing

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// signed is what the bundles in testdata are about. cosign 2.6.5 made them, with keys of its own and with keys of openssl's:
//
//	cosign sign-blob --key K --tlog-upload=false --bundle F [--new-bundle-format] FILE
var signed = []byte("\x00asm\x01\x00\x00\x00")

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func publicKey(t *testing.T, name string) PublicKey {
	t.Helper()
	key, err := ParsePublicKey(read(t, name+".pub"))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func mustParse(t *testing.T, document []byte) Signature {
	t.Helper()
	s, err := Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCosignBundles(t *testing.T) {
	keys := []string{"ecdsa", "p384", "rsa", "ed25519"}
	for _, made := range []string{"ecdsa", "p384", "rsa"} {
		for _, format := range []string{FormatCosign, FormatSigstore} {
			t.Run(made+" "+format, func(t *testing.T) {
				s := mustParse(t, read(t, made+"."+format+".json"))
				if s.Format != format {
					t.Errorf("format %q", s.Format)
				}
				for _, name := range keys {
					key := publicKey(t, name)
					if err := s.Verify(key, signed); (err == nil) != (name == made) {
						t.Errorf("with the key %s: %v", name, err)
					}
					if format == FormatSigstore && (s.KeyID == key.ID) != (name == made) {
						t.Errorf("key ID %s is not that of %s, %s", s.KeyID, name, key.ID)
					}
				}
				for i := range signed {
					other := bytes.Clone(signed)
					other[i] ^= 1
					if s.Verify(publicKey(t, made), other) == nil {
						t.Errorf("byte %d of the module may be another", i)
					}
				}
				if s.Verify(publicKey(t, made), signed[:7]) == nil || s.Verify(publicKey(t, made), append(bytes.Clone(signed), 0)) == nil {
					t.Error("the module may be shorter or longer")
				}
			})
		}
	}
}

// No change of a bundle leaves it valid, but those that say the same.
func TestTamperedBundles(t *testing.T) {
	for _, name := range []string{"ecdsa.cosign.json", "ecdsa.sigstore.json", "rsa.sigstore.json"} {
		document := read(t, name)
		key := publicKey(t, strings.SplitN(name, ".", 2)[0])
		for i := range document {
			if _, err := Parse(document[:i]); err == nil {
				t.Errorf("%s: cut after %d bytes it is read", name, i)
			}
			for _, bit := range []byte{1, 2, 4} {
				other := bytes.Clone(document)
				other[i] ^= bit
				s, err := Parse(other)
				if err != nil || s.Verify(key, signed) != nil {
					continue
				}
				was := mustParse(t, document)
				if !bytes.Equal(s.signature, was.signature) || s.digest != nil && !bytes.Equal(s.digest, was.digest) {
					t.Errorf("%s: holds with byte %d changed: %s", name, i, other)
				}
			}
		}
	}
}

func TestRefusedDocuments(t *testing.T) {
	sigstore := string(read(t, "ecdsa.sigstore.json"))
	swap := func(old, text string) string {
		if !strings.Contains(sigstore, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(sigstore, old, text, 1)
	}
	for document, want := range map[string]string{
		``:                                      "must be JSON",
		`[]`:                                    "must be a JSON object",
		`"text"`:                                "must be a JSON object",
		`null`:                                  "must have kind",
		`{}`:                                    "must have kind",
		`{"kind":"x"}`:                          `kind: "x" is not known`,
		`{"kind":1}`:                            "cannot unmarshal",
		`{"kind":"stratagem.dev/signature/v1"}`: `digest: "" must be sha256:`,
		`{"kind":"stratagem.dev/signature/v1","digest":"sha256:00"}`: `digest: "sha256:00" must be`,
		`{"base64Signature":""}`:                                     "base64Signature: must not be empty",
		`{"base64Signature":"%"}`:                                    "base64Signature: must be base64",
		`{"base64Signature":"AA==","base64Signature":"AA=="}`:        "base64Signature: the field is there twice",
		`{"base64Signature":"AA==","BASE64signature":"AA=="}`:        "BASE64signature: the field is there twice",
		`{"base64Signature":"AA==","cert":"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="}`: "keyless",
		`{"base64Signature":"AA==","cert":"AAAA"}`:                    "cert: must be a public key",
		swap("bundle.v0.3", "bundle.v0.9"):                            "mediaType",
		swap(`"publicKey"`, `"certificate"`):                          "keyless",
		swap(`"publicKey"`, `"key"`):                                  "verificationMaterial.publicKey: must be there",
		swap(`"messageSignature"`, `"dsseEnvelope"`):                  "dsseEnvelope: an attestation",
		swap(`"messageSignature"`, `"other"`):                         "messageSignature: must be there",
		swap(`"messageDigest"`, `"other"`):                            "messageSignature.messageDigest: must be there",
		swap(`SHA2_256`, `MD5`):                                       `messageSignature.messageDigest.algorithm: "MD5"`,
		swap(`"algorithm"`, `"digest":"AA==", "algorithm"`):           "digest: the field is there twice",
		swap(`"signature":"`, `"signature":"=`):                       "messageSignature.signature: must be base64",
		`{"base64Signature":"` + strings.Repeat("A", MaxBytes) + `"}`: "at most 32768 are allowed",
	} {
		if _, err := Parse([]byte(document)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.120s: %v, want %q", document, err, want)
		}
	}
}

// The module's own digest must be the one that a bundle tells, whether or not a key is at hand.
func TestBundleOfAnotherModule(t *testing.T) {
	s := mustParse(t, read(t, "ecdsa.sigstore.json"))
	if err := s.CheckDigest([]byte("another")); err == nil || !strings.Contains(err.Error(), "the signature is of sha256:93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476") {
		t.Error(err)
	}
	if err := s.CheckDigest(signed); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"ecdsa.cosign.json", "ecdsa.sigstore.json", "p384.sigstore.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"kind":"stratagem.dev/signature/v1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(s.Document); err != nil || again.Digest() != s.Digest() {
			t.Errorf("%q is read once and not again: %v", text, err)
		}
	})
}
