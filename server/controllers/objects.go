package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// Objects reads and writes objects for one controller.
type Objects struct {
	Cluster Cluster
	User    engine.User
}

// Ref is where an object is.
type Ref struct {
	schema.GroupResource
	Namespace, Name string
}

// String is the reference as logs have it.
func (r Ref) String() string {
	return fmt.Sprintf("%s %s/%s", r.GroupResource.String(), r.Namespace, r.Name)
}

// Store finds the store of a resource; one that is not served is a *meta.NoResourceMatchError.
func (o *Objects) Store(gr schema.GroupResource) (*engine.Store, error) {
	snapshot, _ := o.Cluster.Snapshot()
	if store := snapshot.Store(gr.Group, gr.Resource); store != nil {
		return store, nil
	}
	return nil, &meta.NoResourceMatchError{PartialResource: gr.WithVersion("")}
}

// ResourceOf finds the resource of a served kind; one that is not served is a *meta.NoKindMatchError.
func (o *Objects) ResourceOf(apiVersion, kind string) (*engine.Resource, error) {
	snapshot, _ := o.Cluster.Snapshot()
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	for _, r := range snapshot.Resources() {
		if r.Group != gv.Group || r.Kind != kind {
			continue
		}
		if version := r.Version(gv.Version); version != nil && version.Served {
			return r, nil
		}
	}
	return nil, &meta.NoKindMatchError{GroupKind: gv.WithKind(kind).GroupKind(), SearchedVersions: []string{gv.Version}}
}

// Get reads an object as it is stored, at a moment not before the call. One that is not there is nil.
func (o *Objects) Get(ctx context.Context, ref Ref) (engine.Object, error) {
	store, err := o.Store(ref.GroupResource)
	if err != nil {
		return nil, err
	}
	info := o.info("get", ref)
	obj, err := store.Get(ctx, engine.GetRequest{Info: &info})
	if missing(err, ref) {
		return nil, nil
	}
	return obj, err
}

// Delete deletes an object; one that has gone is no error.
func (o *Objects) Delete(ctx context.Context, ref Ref, options metav1.DeleteOptions) error {
	store, err := o.Store(ref.GroupResource)
	if err != nil {
		return err
	}
	info := o.info("delete", ref)
	info.Version = store.Resource.StorageVersion().Name
	_, err = store.Delete(ctx, engine.DeleteRequest{Info: &info, Options: options})
	return o.settle(ctx, ref, err)
}

// Update changes an object, or one of its subresources; one that has gone is no error.
func (o *Objects) Update(ctx context.Context, ref Ref, subresource string, change engine.Change) error {
	store, err := o.Store(ref.GroupResource)
	if err != nil {
		return err
	}
	info := o.info("update", ref)
	info.Version, info.Subresource = store.Resource.StorageVersion().Name, subresource
	_, err = store.Update(ctx, engine.UpdateRequest{Info: &info, Change: change, Decoding: engine.Decoding{FieldValidation: engine.IgnoreFields}})
	if errors.Is(err, ErrGone) {
		return nil
	}
	return o.settle(ctx, ref, err)
}

// ErrGone is what a Change returns when the object is another than the one that it was meant for.
var ErrGone = errors.New("the object has gone and another has its name")

// settle forgives that an object has gone, and follows a definition that has been replaced: the work comes again.
func (o *Objects) settle(ctx context.Context, ref Ref, err error) error {
	var stale *engine.StaleError
	if missing(err, ref) {
		return nil
	}
	if errors.As(err, &stale) {
		return errors.Join(err, o.Cluster.Refresh(ctx))
	}
	return err
}

func (o *Objects) info(verb string, ref Ref) engine.RequestInfo {
	return engine.RequestInfo{
		Verb: verb, Group: ref.Group, Resource: ref.Resource, Namespace: ref.Namespace, Name: ref.Name, User: o.User, Time: time.Now(),
	}
}

// missing tells whether it is the object itself that was not found, and not the namespace that it should be in.
func missing(err error, ref Ref) bool {
	var missing *engine.NotFoundError
	return errors.As(err, &missing) && missing.Resource == ref.GroupResource
}
