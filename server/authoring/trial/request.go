package trial

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server"
	"github.com/stratagem-dev/stratagem/server/explain"
)

// Request is what is asked of a World.
type Request struct {
	// Operation is create, update, patch (a merge patch), get, delete, or the name of a subresource, which is then updated or
	// posted to.
	Operation string
	// Input is the object of a create or update, the patch, the DeleteOptions or the posted body.
	Input engine.Object
	// Old is the object that is stored before, as it is stored; needed by all operations but create.
	Old engine.Object
	// Version is the version that a get or a patch is in; others are in that of their object.
	Version string
	User    engine.User
	Time    time.Time
	// Others are what the hooks may read.
	Others Others
}

// Result is what came of a request.
type Result struct {
	engine.Result
	// Err is what it was refused with.
	Err error
	// Explanation tells how it came to that.
	Explanation *explain.Explanation
}

// The name and the uid of what a request does not name.
const (
	defaultNamespace = "default"
	storedUID        = "00000000-0000-4000-8000-000000000001"
)

// DefaultTime is the time of requests that state none.
var DefaultTime = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Run makes a request in a storage of its own. An error is a request that makes no sense; a refusal is a Result.
func (w *World) Run(ctx context.Context, req Request) (Result, error) {
	subject := req.Old
	if subject == nil {
		subject = req.Input
	}
	if subject == nil {
		return Result{}, errors.New("input or old is required")
	}
	resource, version, err := w.resource(subject)
	if err != nil {
		return Result{}, err
	}
	if whole := req.Operation != "delete" && req.Operation != "patch"; whole && req.Input != nil && req.Input.Kind() == resource.Kind {
		if _, version, err = w.resource(req.Input); err != nil {
			return Result{}, err
		}
	}
	if req.Time.IsZero() {
		req.Time = DefaultTime
	}
	info := &engine.RequestInfo{
		Group: resource.Group, Version: cmp.Or(req.Version, version), Resource: resource.Plural, Manager: "stratagem",
		User: req.User, Time: req.Time, Name: subject.Name(),
	}
	if resource.Namespaced {
		info.Namespace = cmp.Or(subject.Namespace(), defaultNamespace)
	}
	if info.User.Name == "" {
		info.User.Name = "tester"
	}
	w.others = req.Others
	storage := w.storage()
	if req.Old != nil {
		revision, err := keep(ctx, storage, resource, info, req.Old)
		if err != nil {
			return Result{}, err
		}
		// Where the resource demands a resourceVersion that the author cannot know, it is that of what is stored.
		if req.Input != nil && req.Input.Kind() == resource.Kind && req.Input.ResourceVersion() == "" && !resource.Traits.AllowUnconditionalUpdate {
			req.Input = req.Input.Served(revision)
		}
	}
	return run(ctx, engine.NewStore(resource, storage, engine.Options{}), info, req)
}

// keep stores the old object, with what the server would have given it.
func keep(ctx context.Context, storage engine.Storage, resource *engine.Resource, info *engine.RequestInfo, obj engine.Object) (revision int64, err error) {
	meta := obj.Stored().Meta()
	if meta.String("name") == "" {
		return 0, errors.New("old: metadata.name is required")
	}
	if !meta.Has("uid") {
		meta.SetString("uid", storedUID)
	}
	if !meta.Has("creationTimestamp") {
		meta.SetString("creationTimestamp", info.Time.UTC().Format(time.RFC3339))
	}
	if !meta.Has("generation") && resource.Traits.GenerationOnSpecChange {
		meta.SetInt("generation", 1)
	}
	key := resource.KeyRoot + "/" + meta.String("name")
	if resource.Namespaced {
		meta.SetString("namespace", info.Namespace)
		key = resource.KeyRoot + "/" + info.Namespace + "/" + meta.String("name")
	}
	return storage.Create(ctx, key, obj.WithMeta(meta), engine.WriteOptions{})
}

// run calls the engine as the server would.
func run(ctx context.Context, plain *engine.Store, info *engine.RequestInfo, req Request) (result Result, err error) {
	var trace explain.Trace
	store := trace.Store(plain)
	ask, err := operation(store, info, req)
	if err != nil {
		return result, err
	}
	if req.Operation == "create" || req.Operation == "update" {
		trace.Begin(req.Input)
	}
	result.Result, result.Err = ask(ctx)
	outcome := explain.Outcome{Code: http.StatusOK, Warnings: result.Warnings, Object: json.RawMessage(result.Object)}
	if result.Created {
		outcome.Code = http.StatusCreated
	}
	if result.Err != nil {
		status := server.StatusOf(result.Err)
		outcome = explain.Outcome{Code: int(status.Code), Status: status}
	}
	result.Explanation = trace.Explain(info, outcome)
	return result, nil
}

type call func(context.Context) (engine.Result, error)

// operation is the call of the store that a request asks for.
func operation(store *engine.Store, info *engine.RequestInfo, req Request) (call, error) {
	if req.Old == nil && req.Operation != "create" && req.Operation != "update" {
		return nil, fmt.Errorf("operation %s: old is required", req.Operation)
	}
	if req.Input == nil && req.Operation != "get" && req.Operation != "delete" {
		return nil, fmt.Errorf("operation %s: input is required", req.Operation)
	}
	update := func(change engine.Change) call {
		return func(ctx context.Context) (engine.Result, error) {
			return store.Update(ctx, engine.UpdateRequest{Info: info, Change: change})
		}
	}
	info.Verb = req.Operation
	switch req.Operation {
	case "create":
		info.Name = ""
		return func(ctx context.Context) (engine.Result, error) {
			return store.Create(ctx, engine.CreateRequest{Info: info, Object: req.Input})
		}, nil
	case "update":
		return update(engine.Replace{Object: req.Input}), nil
	case "patch":
		return update(engine.MergePatch{Patch: req.Input}), nil
	case "get":
		return func(ctx context.Context) (engine.Result, error) {
			obj, err := store.Get(ctx, engine.GetRequest{Info: info})
			return engine.Result{Object: obj}, err
		}, nil
	case "delete":
		options := metav1.DeleteOptions{}
		if req.Input != nil {
			if err := json.Unmarshal(req.Input, &options); err != nil {
				return nil, fmt.Errorf("input: %w", err)
			}
		}
		return func(ctx context.Context) (engine.Result, error) {
			return store.Delete(ctx, engine.DeleteRequest{Info: info, Options: options})
		}, nil
	}
	sub := store.Resource.Subresource(req.Operation)
	if sub == nil {
		return nil, fmt.Errorf("operation %q: must be create, update, patch, get, delete or a subresource of %s", req.Operation, store.Resource.Plural)
	}
	info.Subresource, info.Verb = sub.Name, "update"
	if sub.Create == nil {
		return update(engine.Replace{Object: req.Input}), nil
	}
	info.Verb = "create"
	return func(ctx context.Context) (engine.Result, error) {
		return store.Post(ctx, engine.PostRequest{Info: info, Body: req.Input})
	}, nil
}
