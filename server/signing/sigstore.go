package signing

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// sigstoreDocument is the part of sigstore's bundle that counts without a transparency log.
type sigstoreDocument struct {
	MediaType string `json:"mediaType"`
	Material  struct {
		PublicKey *struct {
			Hint string `json:"hint"`
		} `json:"publicKey"`
		Certificate      json.RawMessage `json:"certificate"`
		CertificateChain json.RawMessage `json:"x509CertificateChain"`
	} `json:"verificationMaterial"`
	Message *struct {
		Digest *struct {
			Algorithm string `json:"algorithm"`
			Digest    string `json:"digest"`
		} `json:"messageDigest"`
		Signature string `json:"signature"`
	} `json:"messageSignature"`
	Envelope json.RawMessage `json:"dsseEnvelope"`
}

// sigstoreTypes are the media types that a bundle may bear.
var sigstoreTypes = map[string]bool{
	"application/vnd.dev.sigstore.bundle+json;version=0.1": true, "application/vnd.dev.sigstore.bundle+json;version=0.2": true,
	"application/vnd.dev.sigstore.bundle+json;version=0.3": true, "application/vnd.dev.sigstore.bundle.v0.3+json": true,
}

// sigstoreHashes are the names that sigstore gives hashes.
var sigstoreHashes = map[string]string{"SHA2_256": "sha256", "SHA2_384": "sha384", "SHA2_512": "sha512"}

func parseSigstore(document []byte) (Signature, error) {
	var d sigstoreDocument
	if err := json.Unmarshal(document, &d); err != nil {
		return Signature{}, err
	}
	switch {
	case !sigstoreTypes[d.MediaType]:
		return Signature{}, fmt.Errorf("mediaType: %q is not known; sigstore's bundles of versions 0.1 to 0.3 are", d.MediaType)
	case d.Material.Certificate != nil || d.Material.CertificateChain != nil:
		return Signature{}, errKeyless
	case d.Material.PublicKey == nil:
		return Signature{}, errors.New("verificationMaterial.publicKey: must be there")
	case d.Envelope != nil:
		return Signature{}, errors.New("dsseEnvelope: an attestation is not a signature of a module; sign with cosign sign-blob")
	case d.Message == nil:
		return Signature{}, errors.New("messageSignature: must be there")
	case d.Message.Digest == nil:
		return Signature{}, errors.New("messageSignature.messageDigest: must be there")
	}
	s := Signature{Format: FormatSigstore, hash: sigstoreHashes[d.Message.Digest.Algorithm], KeyID: keyOfHint(d.Material.PublicKey.Hint)}
	if s.hash == "" {
		return Signature{}, fmt.Errorf("messageSignature.messageDigest.algorithm: %q is not known; SHA2_256, SHA2_384 and SHA2_512 are", d.Message.Digest.Algorithm)
	}
	var err error
	if s.digest, err = decode64("messageSignature.messageDigest.digest", d.Message.Digest.Digest); err != nil {
		return Signature{}, err
	}
	s.signature, err = decode64("messageSignature.signature", d.Message.Signature)
	return s, err
}

// keyOfHint is the key that a hint of cosign's names: the sha256 of its PKIX form in base64. Other hints name none.
func keyOfHint(hint string) string {
	sum, err := base64.StdEncoding.DecodeString(hint)
	if err != nil || len(sum) != 32 {
		return ""
	}
	return "sha256:" + hex.EncodeToString(sum)
}
