package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// modules keeps .wasm files in the storage by their digest: compressed, in chunks, each below what etcd takes.
type modules struct{ storage engine.Storage }

const (
	modulesRoot = "/" + pluginGroup + "/modules/"
	// chunkBytes is the size of one chunk.
	chunkBytes = 512 << 10
	// maxModuleBytes bounds what a stored module may decompress to.
	maxModuleBytes = 256 << 20
)

func chunkKey(digest string, n int) string { return fmt.Sprintf("%s%s/%05d", modulesRoot, digest, n) }

// put stores a module; the last chunk to be written is the first, so that a module is there whole or not at all.
func (m modules) put(ctx context.Context, wasm []byte) error {
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	packed := encoder.EncodeAll(wasm, nil)
	digest := host.Digest(wasm)
	if err := m.mark(ctx, digest, time.Now()); err != nil {
		return err
	}
	for n := (len(packed) - 1) / chunkBytes; n >= 0; n-- {
		chunk := packed[n*chunkBytes : min(len(packed), (n+1)*chunkBytes)]
		_, err := m.storage.Create(ctx, chunkKey(digest, n), chunk, engine.WriteOptions{})
		var exists *engine.KeyExistsError
		if err != nil && !errors.As(err, &exists) {
			return fmt.Errorf("module %s, chunk %d: %w", digest, n, err)
		}
	}
	return nil
}

// get reads a module back and makes sure that it is the one.
func (m modules) get(ctx context.Context, digest string) ([]byte, error) {
	page, err := m.storage.List(ctx, modulesRoot+digest+"/", engine.ListOptions{})
	if err != nil {
		return nil, err
	}
	if len(page.Items) == 0 {
		return nil, fmt.Errorf("module %s is not stored", digest)
	}
	var packed []byte
	for _, item := range page.Items {
		packed = append(packed, item.Data...)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxModuleBytes))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	wasm, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", digest, err)
	}
	if got := host.Digest(wasm); got != digest {
		return nil, fmt.Errorf("module %s: what is stored has the digest %s", digest, got)
	}
	return wasm, nil
}
