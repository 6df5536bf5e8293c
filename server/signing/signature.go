package signing

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The formats of a Signature.
const (
	FormatStratagem = "stratagem"
	FormatCosign    = "cosign"
	FormatSigstore  = "sigstore"
)

const (
	// MaxBytes is how large one signature document may be.
	MaxBytes = 32 << 10
	// MaxCount is how many signatures a module may have.
	MaxCount = 8
)

// ErrMismatch reports a signature that a key did not make over these bytes.
var ErrMismatch = errors.New("the signature is not this key's over this module")

// Signature is a parsed signature document. Whether it is worth anything, Verify tells.
type Signature struct {
	Format string
	// Document is the document itself, as compact JSON.
	Document []byte
	// KeyID is the key that the document says it was made with, as PublicKey.ID; "" where it does not say.
	KeyID string

	hash      string // which of digests' hashes digest is
	digest    []byte // of the module, as far as the document tells
	signature []byte
}

// Parse reads one document in any format.
func Parse(document []byte) (Signature, error) {
	if len(document) > MaxBytes {
		return Signature{}, fmt.Errorf("a signature has %d bytes; at most %d are allowed", len(document), MaxBytes)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		return Signature{}, fmt.Errorf("a signature must be JSON: %w", err)
	}
	if err := noDuplicates(compact.Bytes()); err != nil {
		return Signature{}, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(compact.Bytes(), &fields); err != nil {
		return Signature{}, errors.New("a signature must be a JSON object")
	}
	parse := parseSigstore
	switch {
	case fields["kind"] != nil:
		parse = parseStratagem
	case fields["base64Signature"] != nil:
		parse = parseCosign
	case fields["mediaType"] == nil:
		return Signature{}, errors.New("a signature must have kind (Stratagem's), base64Signature (cosign's bundle) or mediaType (sigstore's bundle)")
	}
	s, err := parse(compact.Bytes())
	if err != nil {
		return Signature{}, err
	}
	s.Document = compact.Bytes()
	return s, nil
}

// ParseAll reads the documents of a file: one, or several after one another. None may be there twice.
func ParseAll(text []byte) ([]Signature, error) {
	var all []Signature
	decoder := json.NewDecoder(bytes.NewReader(text))
	for n := 1; ; n++ {
		var document json.RawMessage
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) && len(all) > 0 {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("signature %d: must be JSON: %w", n, err)
		}
		s, err := Parse(document)
		if err != nil {
			return nil, fmt.Errorf("signature %d: %w", n, err)
		}
		if all, err = Append(all, s); err != nil {
			return nil, fmt.Errorf("signature %d: %w", n, err)
		}
	}
}

// Append adds a signature that is not there yet.
func Append(all []Signature, s Signature) ([]Signature, error) {
	if len(all) == MaxCount {
		return nil, fmt.Errorf("more than %d signatures", MaxCount)
	}
	for _, have := range all {
		if bytes.Equal(have.Document, s.Document) {
			return nil, errors.New("the same signature is there twice")
		}
	}
	return append(all, s), nil
}

// Digest names the document: the sha256 of its compact form, in hexadecimal.
func (s Signature) Digest() string {
	sum := sha256.Sum256(s.Document)
	return hex.EncodeToString(sum[:])
}

// CheckDigest reports a document that says it is about other bytes than the module's. It needs no key, and proves nothing.
func (s Signature) CheckDigest(module []byte) error {
	if s.digest == nil {
		return nil
	}
	if sum := digestOf(s.hash, module); !bytes.Equal(sum, s.digest) {
		return fmt.Errorf("the signature is of %s:%x, the module's digest is %s:%x", s.hash, s.digest, s.hash, sum)
	}
	return nil
}

// Verify makes sure that the key has signed exactly these bytes.
func (s Signature) Verify(key PublicKey, module []byte) error {
	if err := s.CheckDigest(module); err != nil {
		return err
	}
	if s.Format == FormatStratagem {
		return verifyStratagem(key, s.signature, module)
	}
	return verifyMessage(key, s.hash, s.signature, module)
}

// decode64 reads a field in base64.
func decode64(field, text string) ([]byte, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%s: must be base64: %w", field, err)
	}
	if len(raw) == 0 {
		return nil, fmt.Errorf("%s: must not be empty", field)
	}
	return raw, nil
}

// noDuplicates refuses an object that says one thing twice: readers would differ in which they take. encoding/json takes
// names in any case for a field, so names that differ in case alone are the same.
func noDuplicates(document []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(document))
	var open []map[string]bool // of each object that is open the names, of each array nil
	name := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("a signature must be JSON: %w", err)
		}
		names := map[string]bool(nil)
		if len(open) > 0 {
			names = open[len(open)-1]
		}
		switch {
		case name && token != json.Delim('}'):
			key := strings.ToLower(token.(string))
			if names[key] {
				return fmt.Errorf("%v: the field is there twice", token)
			}
			names[key], name = true, false
			continue
		case token == json.Delim('{'):
			open = append(open, map[string]bool{})
		case token == json.Delim('['):
			open = append(open, nil)
		case token == json.Delim('}'), token == json.Delim(']'):
			open = open[:len(open)-1]
		}
		name = len(open) > 0 && open[len(open)-1] != nil
	}
}
