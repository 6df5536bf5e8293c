package artifact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
)

// created is the time of everything that is published: one module is one manifest, whoever publishes it when.
const created = "1970-01-01T00:00:00Z"

// wasmConfig is the config of a Wasm artifact.
type wasmConfig struct {
	Created      string   `json:"created"`
	Architecture string   `json:"architecture"`
	OS           string   `json:"os"`
	LayerDigests []string `json:"layerDigests"`
}

// Push publishes a module with its signatures and returns its Reference with the digest of the manifest. Signatures that are there
// stay.
func (c *Client) Push(ctx context.Context, ref Reference, a Artifact) (Reference, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	pinned, err := c.push(ctx, ref, a)
	return pinned, failed(ctx, "push", ref.String(), err)
}

func (c *Client) push(ctx context.Context, ref Reference, a Artifact) (Reference, error) {
	if ref.Digest != "" {
		return ref, errors.New("a digest cannot be chosen; name a tag")
	}
	repo, err := c.repository(ctx, ref)
	if err != nil {
		return ref, err
	}
	layer := content.NewDescriptorFromBytes(LayerType, a.Wasm)
	config, err := json.Marshal(wasmConfig{Created: created, Architecture: "wasm", OS: "wasip1", LayerDigests: []string{layer.Digest.String()}})
	if err != nil {
		return ref, err
	}
	manifest := ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest,
		Config: content.NewDescriptorFromBytes(ConfigType, config), Layers: []ocispec.Descriptor{layer},
		Annotations: map[string]string{ocispec.AnnotationCreated: created},
	}
	desc, err := publish(ctx, repo, manifest, config, a.Wasm)
	if err != nil {
		return ref, err
	}
	for _, s := range a.Signatures {
		if err := pushSignature(ctx, repo, desc, s); err != nil {
			return ref, err
		}
	}
	if err := repo.Tag(ctx, desc, ref.Tag); err != nil {
		return ref, err
	}
	ref.Digest = desc.Digest.String()
	return ref, nil
}

// publish uploads a config, a layer and the manifest that names them.
func publish(ctx context.Context, repo *remote.Repository, manifest ocispec.Manifest, config, layer []byte) (ocispec.Descriptor, error) {
	for _, blob := range []struct {
		desc ocispec.Descriptor
		raw  []byte
	}{{manifest.Config, config}, {manifest.Layers[0], layer}} {
		there, err := repo.Blobs().Exists(ctx, blob.desc)
		if err == nil && !there {
			err = repo.Blobs().Push(ctx, blob.desc, bytes.NewReader(blob.raw))
		}
		if err != nil && !errors.Is(err, errdef.ErrAlreadyExists) {
			return ocispec.Descriptor{}, err
		}
	}
	raw, err := json.Marshal(manifest)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	desc := ocispec.Descriptor{MediaType: manifest.MediaType, ArtifactType: manifest.ArtifactType, Digest: digest.FromBytes(raw), Size: int64(len(raw))}
	return desc, repo.Manifests().Push(ctx, desc, bytes.NewReader(raw))
}
