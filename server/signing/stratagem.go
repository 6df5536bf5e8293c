package signing

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// kindV1 begins what is signed, so that no signature that the key made for another purpose passes for one of a module.
const kindV1 = "stratagem.dev/signature/v1"

// stratagemDocument is Stratagem's own format.
type stratagemDocument struct {
	Kind      string `json:"kind"`
	Digest    string `json:"digest"`
	KeyID     string `json:"keyID"`
	Signature string `json:"signature"`
}

// Sign signs a module.
func Sign(key PrivateKey, module []byte) (Signature, error) {
	public, err := key.Public()
	if err != nil {
		return Signature{}, err
	}
	document, err := json.Marshal(stratagemDocument{
		Kind: kindV1, Digest: "sha256:" + hex.EncodeToString(digestOf("sha256", module)), KeyID: public.ID,
		Signature: base64.StdEncoding.EncodeToString(ed25519.Sign(key.key, signedText(module))),
	})
	if err != nil {
		return Signature{}, err
	}
	return Parse(document)
}

func signedText(module []byte) []byte {
	return fmt.Appendf(nil, "%s\nsha256:%x\n", kindV1, digestOf("sha256", module))
}

func parseStratagem(document []byte) (Signature, error) {
	var d stratagemDocument
	if err := json.Unmarshal(document, &d); err != nil {
		return Signature{}, err
	}
	if d.Kind != kindV1 {
		return Signature{}, fmt.Errorf("kind: %q is not known; it must be %q", d.Kind, kindV1)
	}
	text, found := strings.CutPrefix(d.Digest, "sha256:")
	digest, err := hex.DecodeString(text)
	if !found || err != nil || len(digest) != sha256.Size {
		return Signature{}, fmt.Errorf("digest: %q must be sha256: and 64 hexadecimal digits", d.Digest)
	}
	if d.KeyID == "" {
		return Signature{}, errors.New("keyID: must not be empty")
	}
	raw, err := decode64("signature", d.Signature)
	if err != nil {
		return Signature{}, err
	}
	if len(raw) != ed25519.SignatureSize {
		return Signature{}, fmt.Errorf("signature: has %d bytes; an ed25519 signature has %d", len(raw), ed25519.SignatureSize)
	}
	return Signature{Format: FormatStratagem, KeyID: d.KeyID, hash: "sha256", digest: digest, signature: raw}, nil
}

func verifyStratagem(key PublicKey, signature, module []byte) error {
	public, ok := key.key.(ed25519.PublicKey)
	if !ok || !ed25519.Verify(public, signedText(module), signature) {
		return ErrMismatch
	}
	return nil
}
