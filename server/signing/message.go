package signing

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
)

// hashes are those that signatures are made over, by name.
var hashes = map[string]crypto.Hash{"sha256": crypto.SHA256, "sha384": crypto.SHA384, "sha512": crypto.SHA512}

func digestOf(hash string, module []byte) []byte {
	switch hash {
	case "sha384":
		sum := sha512.Sum384(module)
		return sum[:]
	case "sha512":
		sum := sha512.Sum512(module)
		return sum[:]
	}
	sum := sha256.Sum256(module)
	return sum[:]
}

// verifyMessage verifies a signature over the module's bytes, as cosign makes them: ECDSA and RSA (PKCS 1, 1.5) over the named
// hash, ed25519 pure (without a transparency log) or prehashed with SHA-512 (with one). Where no hash is named it is SHA-256, or
// the one that goes with the curve.
func verifyMessage(key PublicKey, hash string, signature, module []byte) error {
	names := []string{hash}
	if hash == "" {
		names = []string{"sha256", curveHash(key)}
	}
	for _, name := range names {
		if verifyHashed(key, name, signature, module) {
			return nil
		}
	}
	return ErrMismatch
}

func verifyHashed(key PublicKey, hash string, signature, module []byte) bool {
	switch k := key.key.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(k, digestOf(hash, module), signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(k, hashes[hash], digestOf(hash, module), signature) == nil
	case ed25519.PublicKey:
		prehashed := &ed25519.Options{Hash: crypto.SHA512}
		return ed25519.Verify(k, module, signature) || ed25519.VerifyWithOptions(k, digestOf("sha512", module), signature, prehashed) == nil
	}
	return false
}

// curveHash is the hash that goes with a key's curve.
func curveHash(key PublicKey) string {
	k, ok := key.key.(*ecdsa.PublicKey)
	switch {
	case ok && k.Curve.Params().BitSize == 384:
		return "sha384"
	case ok && k.Curve.Params().BitSize == 521:
		return "sha512"
	}
	return "sha256"
}
