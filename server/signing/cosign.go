package signing

import (
	"encoding/json"
	"encoding/pem"
	"errors"
)

// cosignDocument is the part of cosign's bundle that counts without a transparency log.
type cosignDocument struct {
	Signature string `json:"base64Signature"`
	Cert      string `json:"cert"`
}

func parseCosign(document []byte) (Signature, error) {
	var d cosignDocument
	if err := json.Unmarshal(document, &d); err != nil {
		return Signature{}, err
	}
	raw, err := decode64("base64Signature", d.Signature)
	if err != nil {
		return Signature{}, err
	}
	s := Signature{Format: FormatCosign, signature: raw}
	if d.Cert == "" {
		return s, nil
	}
	text, err := decode64("cert", d.Cert)
	if err != nil {
		return Signature{}, err
	}
	if block, _ := pem.Decode(text); block != nil && block.Type == "CERTIFICATE" {
		return Signature{}, errKeyless
	}
	key, err := ParsePublicKey(text)
	if err != nil {
		return Signature{}, errors.Join(errors.New("cert: must be a public key"), err)
	}
	s.KeyID = key.ID
	return s, nil
}

// errKeyless reports a signature that only holds with a certificate authority and a transparency log.
var errKeyless = errors.New("a signature with a certificate (keyless) cannot be verified offline with a public key; sign with --key")
