package signing

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
)

// minRSABits is the least size of an RSA key that is trusted.
const minRSABits = 2048

// PublicKey is a key that signatures are verified with: ed25519, ECDSA over P-256, P-384 or P-521, or RSA.
type PublicKey struct {
	// ID is "sha256:" and the hexadecimal digest of the key's PKIX DER form.
	ID  string
	key crypto.PublicKey
	der []byte
}

// ParsePublicKey reads a key from a PEM block PUBLIC KEY, of which there must be exactly one.
func ParsePublicKey(text []byte) (PublicKey, error) {
	der, err := oneBlock(text, "PUBLIC KEY")
	if err != nil {
		return PublicKey{}, err
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return PublicKey{}, fmt.Errorf("public key: %w", err)
	}
	return newPublicKey(key)
}

func newPublicKey(key crypto.PublicKey) (PublicKey, error) {
	switch k := key.(type) {
	case ed25519.PublicKey:
	case *ecdsa.PublicKey:
		if k.Curve != elliptic.P256() && k.Curve != elliptic.P384() && k.Curve != elliptic.P521() {
			return PublicKey{}, fmt.Errorf("public key: curve %s is not supported; P-256, P-384 and P-521 are", k.Curve.Params().Name)
		}
	case *rsa.PublicKey:
		if bits := k.N.BitLen(); bits < minRSABits {
			return PublicKey{}, fmt.Errorf("public key: an RSA key of %d bits is too short; it needs %d", bits, minRSABits)
		}
	default:
		return PublicKey{}, fmt.Errorf("public key: %T is not supported; ed25519, ECDSA and RSA are", key)
	}
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return PublicKey{}, fmt.Errorf("public key: %w", err)
	}
	sum := sha256.Sum256(der)
	return PublicKey{ID: "sha256:" + hex.EncodeToString(sum[:]), key: key, der: der}, nil
}

// PEM is the key as ParsePublicKey reads it.
func (k PublicKey) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: k.der})
}

// PrivateKey is an ed25519 key that signs.
type PrivateKey struct{ key ed25519.PrivateKey }

// GenerateKey makes a new key.
func GenerateKey() (PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return PrivateKey{key}, err
}

// ParsePrivateKey reads an ed25519 key from a PEM block PRIVATE KEY (PKCS 8).
func ParsePrivateKey(text []byte) (PrivateKey, error) {
	der, err := oneBlock(text, "PRIVATE KEY")
	if err != nil {
		return PrivateKey{}, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return PrivateKey{}, fmt.Errorf("private key: %w", err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return PrivateKey{}, fmt.Errorf("private key: %T does not sign here; make an ed25519 key, or sign with cosign", parsed)
	}
	return PrivateKey{key}, nil
}

// Public is the key to verify with.
func (k PrivateKey) Public() (PublicKey, error) { return newPublicKey(k.key.Public()) }

// PEM is the key as ParsePrivateKey reads it: not encrypted.
func (k PrivateKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// oneBlock is the content of the one PEM block in text.
func oneBlock(text []byte, kind string) ([]byte, error) {
	block, rest := pem.Decode(text)
	switch {
	case block == nil:
		return nil, fmt.Errorf("no PEM block %s is there", kind)
	case block.Type != kind:
		return nil, fmt.Errorf("PEM block %s is there; it must be %s", block.Type, kind)
	case len(bytes.TrimSpace(rest)) > 0:
		return nil, errors.New("more than one PEM block is there")
	}
	return block.Bytes, nil
}
