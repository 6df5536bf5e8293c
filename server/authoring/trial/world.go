package trial

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
	"github.com/stratagem-dev/stratagem/host"
)

// World is a module over an etcd that is thrown away. It is not safe for concurrent use.
type World struct {
	Module *host.Module
	dir    string
	etcd   *etcd.Server
	runs   int
	others Others // of the request that runs
}

// NewWorld loads a module, named after what it describes itself as, and starts an etcd.
func NewWorld(ctx context.Context, wasm []byte, options host.Options) (*World, error) {
	w := new(World)
	options.Reader = w
	var err error
	if w.Module, err = host.Load(ctx, wasm, "this module", options); err != nil {
		return nil, err
	}
	if w.dir, err = os.MkdirTemp("", "stratagem-trial"); err == nil {
		w.etcd, err = etcd.Start(etcd.EmbedConfig{DataDir: w.dir, NoSync: true})
	}
	if err != nil {
		return nil, errors.Join(err, w.Close(ctx))
	}
	return w, nil
}

// Close throws the world away.
func (w *World) Close(ctx context.Context) error {
	err := w.Module.Close(ctx)
	if w.etcd != nil {
		err = errors.Join(err, w.etcd.Close())
	}
	if w.dir != "" {
		err = errors.Join(err, os.RemoveAll(w.dir))
	}
	return err
}

// Read lets hooks read what the request that runs has as Others.
func (w *World) Read(ctx context.Context, request *engine.RequestInfo, query host.Query) host.Answer {
	return w.others.Read(ctx, request, query)
}

// resource finds the resource and the version that an object is of.
func (w *World) resource(obj engine.Object) (*engine.Resource, string, error) {
	for _, r := range w.Module.Resources {
		if r.Kind != obj.Kind() {
			continue
		}
		for _, v := range r.Versions {
			if r.APIVersion(v.Name) == obj.APIVersion() {
				return r, v.Name, nil
			}
		}
	}
	return nil, "", fmt.Errorf("the module has no kind %q in version %q", obj.Kind(), obj.APIVersion())
}

// storage is an empty one.
func (w *World) storage() engine.Storage {
	w.runs++
	return w.etcd.Storage(fmt.Sprintf("/trial-%d", w.runs))
}
