package artifact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/stratagem-dev/stratagem/server/signing"
)

// The media types of the CNCF's Wasm artifact layout.
const (
	ConfigType = "application/vnd.wasm.config.v0+json"
	LayerType  = "application/wasm"
)

// maxManifestBytes is how large a manifest or index may be.
const maxManifestBytes = 1 << 20

// Artifact is a module and what goes with it.
type Artifact struct {
	Wasm       []byte
	Signatures []signing.Signature
	// Source says exactly where the module came from: an oci:// URL with the digest of the manifest, or an https:// URL.
	Source string
	// Skipped tells of signatures that are there and are not taken, and why.
	Skipped []string
}

// Pull fetches a module from a registry, and the signatures that refer to it.
func (c *Client) Pull(ctx context.Context, ref Reference) (Artifact, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	a, err := c.pull(ctx, ref)
	return a, failed(ctx, "pull", ref.String(), err)
}

func (c *Client) pull(ctx context.Context, ref Reference) (Artifact, error) {
	repo, err := c.repository(ctx, ref)
	if err != nil {
		return Artifact{}, err
	}
	desc, manifest, err := c.manifest(ctx, repo, ref.target())
	if err != nil {
		return Artifact{}, err
	}
	layer, err := moduleLayer(manifest)
	if err != nil {
		return Artifact{}, err
	}
	if layer.Size > c.options.MaxBytes {
		return Artifact{}, fmt.Errorf("%w: the module has %d bytes; at most %d are allowed", ErrTooLarge, layer.Size, c.options.MaxBytes)
	}
	a := Artifact{}
	if a.Wasm, err = fetch(ctx, repo.Blobs(), layer); err != nil {
		return Artifact{}, fmt.Errorf("the module: %w", err)
	}
	ref.Digest = desc.Digest.String()
	a.Source = ref.String()
	a.Signatures, a.Skipped, err = pullSignatures(ctx, repo, desc, a.Wasm)
	return a, err
}

// manifest fetches a manifest by tag or digest; an index with one entry leads to that.
func (c *Client) manifest(ctx context.Context, repo *remote.Repository, target string) (ocispec.Descriptor, *ocispec.Manifest, error) {
	desc, err := repo.Resolve(ctx, target)
	if err != nil {
		return desc, nil, err
	}
	raw, err := fetchManifest(ctx, repo, desc)
	if err != nil {
		return desc, nil, err
	}
	switch desc.MediaType {
	case ocispec.MediaTypeImageManifest:
		return parseManifest(desc, raw)
	case ocispec.MediaTypeImageIndex:
		var index ocispec.Index
		if err := json.Unmarshal(raw, &index); err != nil {
			return desc, nil, fmt.Errorf("%w: the index is not valid: %w", ErrMediaType, err)
		}
		if n := len(index.Manifests); n != 1 {
			return desc, nil, fmt.Errorf("%w: it is an index of %d manifests; name one of them by its digest", ErrMediaType, n)
		}
		desc = index.Manifests[0]
		if desc.MediaType != ocispec.MediaTypeImageManifest {
			return desc, nil, fmt.Errorf("%w: the index's manifest is a %s", ErrMediaType, desc.MediaType)
		}
		if raw, err = fetchManifest(ctx, repo, desc); err != nil {
			return desc, nil, err
		}
		return parseManifest(desc, raw)
	}
	return desc, nil, fmt.Errorf("%w: it is a %s", ErrMediaType, desc.MediaType)
}

func parseManifest(desc ocispec.Descriptor, raw []byte) (ocispec.Descriptor, *ocispec.Manifest, error) {
	var m ocispec.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return desc, nil, fmt.Errorf("%w: the manifest is not valid: %w", ErrMediaType, err)
	}
	return desc, &m, nil
}

// moduleLayer is the one layer of a Wasm artifact.
func moduleLayer(m *ocispec.Manifest) (ocispec.Descriptor, error) {
	if m.Config.MediaType != ConfigType {
		return ocispec.Descriptor{}, fmt.Errorf("%w: its config is a %s, not %s", ErrMediaType, m.Config.MediaType, ConfigType)
	}
	if len(m.Layers) != 1 {
		return ocispec.Descriptor{}, fmt.Errorf("%w: it has %d layers, not one", ErrMediaType, len(m.Layers))
	}
	if m.Layers[0].MediaType != LayerType {
		return ocispec.Descriptor{}, fmt.Errorf("%w: its layer is a %s, not %s", ErrMediaType, m.Layers[0].MediaType, LayerType)
	}
	return m.Layers[0], nil
}

func fetchManifest(ctx context.Context, repo *remote.Repository, desc ocispec.Descriptor) ([]byte, error) {
	if desc.Size > maxManifestBytes {
		return nil, fmt.Errorf("%w: the manifest has %d bytes; at most %d are allowed", ErrTooLarge, desc.Size, maxManifestBytes)
	}
	raw, err := fetch(ctx, repo.Manifests(), desc)
	if err != nil {
		return nil, fmt.Errorf("the manifest: %w", err)
	}
	return raw, nil
}

// fetch reads exactly the bytes that a descriptor is about.
func fetch(ctx context.Context, from content.Fetcher, desc ocispec.Descriptor) ([]byte, error) {
	body, err := from.Fetch(ctx, desc)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	raw, err := content.ReadAll(body, desc)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("the body ended early: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: what came is not what %s is: %w", ErrDigest, desc.Digest, err)
	}
	return raw, nil
}
