package server

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/policy"
	"github.com/stratagem-dev/stratagem/server/signing"
)

// The headers that go with a module, up and down.
const (
	// SignatureHeader is a signature of the module: the document in base64. There may be several.
	SignatureHeader = "Stratagem-Signature"
	// SourceHeader is where whoever pushes has the module from, as a URL.
	SourceHeader = "Stratagem-Source"
)

// maxSourceBytes is how long a source may be.
const maxSourceBytes = 1024

// pluginSignature tells of a signature in a StrategyPlugin's status. The signature itself is stored beside the module.
type pluginSignature struct {
	Digest   string `json:"digest"` // sha256 of the document
	Format   string `json:"format"`
	KeyID    string `json:"keyID,omitempty"`    // as the document says
	SignedBy string `json:"signedBy,omitempty"` // the policy's key that verified it
}

// sentSignatures reads the signatures that came with a module. What is wrong with one is a *host.LoadError.
func sentSignatures(header http.Header) ([]signing.Signature, error) {
	var all []signing.Signature
	for _, value := range header.Values(SignatureHeader) {
		document, err := base64.StdEncoding.DecodeString(value)
		var s signing.Signature
		if err != nil {
			err = fmt.Errorf("must be base64: %w", err)
		} else if s, err = signing.Parse(document); err == nil {
			all, err = signing.Append(all, s)
		}
		if err != nil {
			return nil, &host.LoadError{Step: "signature", Err: fmt.Errorf("header %s: %w", SignatureHeader, err)}
		}
	}
	return all, nil
}

// sentSource reads where a module comes from. It is noted, and trusted in nothing.
func sentSource(header http.Header) (string, error) {
	source := header.Get(SourceHeader)
	if source == "" {
		return "", nil
	}
	if _, err := url.Parse(source); err != nil || len(source) > maxSourceBytes || !utf8.ValidString(source) {
		return "", badRequest("header %s: must be a URL of at most %d bytes", SourceHeader, maxSourceBytes)
	}
	return source, nil
}

// showSignatures sends signatures with a module.
func showSignatures(header http.Header, all []signing.Signature) {
	for _, s := range all {
		header.Add(SignatureHeader, base64.StdEncoding.EncodeToString(s.Document))
	}
}

// signatures keeps signature documents in the storage, by the digest of the module that they are about.
type signatures struct{ storage engine.Storage }

const signaturesRoot = "/" + pluginGroup + "/signatures/"

// put stores those that are not stored yet.
func (s signatures) put(ctx context.Context, digest string, all []signing.Signature) error {
	for _, one := range all {
		_, err := s.storage.Create(ctx, signaturesRoot+digest+"/"+one.Digest(), one.Document, engine.WriteOptions{})
		var exists *engine.KeyExistsError
		if err != nil && !errors.As(err, &exists) {
			return fmt.Errorf("signature of module %s: %w", digest, err)
		}
	}
	return nil
}

// get reads the signatures of a module.
func (s signatures) get(ctx context.Context, digest string) ([]signing.Signature, error) {
	page, err := s.storage.List(ctx, signaturesRoot+digest+"/", engine.ListOptions{})
	if err != nil {
		return nil, err
	}
	var all []signing.Signature
	for _, item := range page.Items {
		one, err := signing.Parse(item.Data)
		if err != nil {
			return nil, &engine.StoredValueError{Key: item.Key, Err: err}
		}
		all = append(all, one)
	}
	return all, nil
}

// recordSignatures tells of signatures and of who made them, as far as the policy knows.
func recordSignatures(all []signing.Signature, verdict policy.Verdict) []pluginSignature {
	var told []pluginSignature
	for i, s := range all {
		told = append(told, pluginSignature{Digest: "sha256:" + s.Digest(), Format: s.Format, KeyID: s.KeyID, SignedBy: verdict.Signers[i]})
	}
	return told
}
