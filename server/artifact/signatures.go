package artifact

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/stratagem-dev/stratagem/server/signing"
)

// The artifact types of signatures.
const (
	SignatureType = "application/vnd.stratagem.signature.v1+json"
	SigstoreType  = "application/vnd.dev.sigstore.bundle.v0.3+json"
)

// maxReferrers is how many of an artifact's signatures are looked at.
const maxReferrers = 32

func signatureType(s signing.Signature) string {
	if s.Format == signing.FormatSigstore {
		return SigstoreType
	}
	return SignatureType
}

// pushSignature publishes a signature that refers to subject.
func pushSignature(ctx context.Context, repo *remote.Repository, subject ocispec.Descriptor, s signing.Signature) error {
	kind := signatureType(s)
	manifest := ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: kind,
		Config: ocispec.DescriptorEmptyJSON, Layers: []ocispec.Descriptor{content.NewDescriptorFromBytes(kind, s.Document)},
		Subject: &subject, Annotations: map[string]string{ocispec.AnnotationCreated: created},
	}
	manifest.Config.Data = nil
	if _, err := publish(ctx, repo, manifest, ocispec.DescriptorEmptyJSON.Data, s.Document); err != nil {
		return fmt.Errorf("a signature: %w", err)
	}
	return nil
}

// errEnough ends the list of referrers.
var errEnough = errors.New("enough")

// pullSignatures fetches the signatures that refer to subject. Anybody who may write to a repository can add some, so one that
// is not about this module is left out, and keeps nothing from being fetched.
func pullSignatures(ctx context.Context, repo *remote.Repository, subject ocispec.Descriptor, wasm []byte) (all []signing.Signature, skipped []string, err error) {
	var found []ocispec.Descriptor
	err = repo.Referrers(ctx, subject, "", func(referrers []ocispec.Descriptor) error {
		for _, r := range referrers {
			if r.ArtifactType != SignatureType && r.ArtifactType != SigstoreType {
				continue
			}
			if len(found) == maxReferrers {
				return errEnough
			}
			found = append(found, r)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, nil, fmt.Errorf("the signatures: %w", err)
	}
	for _, desc := range found {
		s, err := pullSignature(ctx, repo, desc, wasm)
		if err == nil {
			all, err = appendSignature(all, s)
		}
		if ctx.Err() != nil {
			return nil, nil, err
		}
		if err != nil {
			skipped = append(skipped, fmt.Sprintf("%s: %v", desc.Digest, err))
		}
	}
	return all, skipped, nil
}

// appendSignature is signing.Append, which leaves all as it is where it fails.
func appendSignature(all []signing.Signature, s signing.Signature) ([]signing.Signature, error) {
	more, err := signing.Append(all, s)
	if err != nil {
		return all, err
	}
	return more, nil
}

func pullSignature(ctx context.Context, repo *remote.Repository, desc ocispec.Descriptor, wasm []byte) (signing.Signature, error) {
	if desc.MediaType != ocispec.MediaTypeImageManifest {
		return signing.Signature{}, fmt.Errorf("%w: it is a %s", ErrMediaType, desc.MediaType)
	}
	raw, err := fetchManifest(ctx, repo, desc)
	if err != nil {
		return signing.Signature{}, err
	}
	_, manifest, err := parseManifest(desc, raw)
	if err != nil {
		return signing.Signature{}, err
	}
	if len(manifest.Layers) != 1 {
		return signing.Signature{}, fmt.Errorf("%w: it has %d layers, not one", ErrMediaType, len(manifest.Layers))
	}
	layer := manifest.Layers[0]
	if layer.Size > signing.MaxBytes {
		return signing.Signature{}, fmt.Errorf("%w: it has %d bytes; at most %d are allowed", ErrTooLarge, layer.Size, signing.MaxBytes)
	}
	document, err := fetch(ctx, repo.Blobs(), layer)
	if err != nil {
		return signing.Signature{}, err
	}
	s, err := signing.Parse(document)
	if err != nil {
		return signing.Signature{}, err
	}
	return s, s.CheckDigest(wasm)
}
