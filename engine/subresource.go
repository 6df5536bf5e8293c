package engine

import (
	"context"
	"encoding/json"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// subresource resolves the subresource that a request writes; nil is the main resource.
func (s *Store) subresource(info *RequestInfo) (*Subresource, error) {
	if info.Subresource == "" {
		return nil, nil
	}
	sub := s.Resource.Subresource(info.Subresource)
	switch {
	case sub == nil:
		return nil, &NotFoundError{s.Resource.GroupResource(), info.Name}
	case sub.Unavailable != "":
		return nil, &UnavailableError{s.Resource.GroupResource(), sub.Name, sub.Unavailable}
	case sub.Create != nil && info.Verb != "create":
		return nil, &MethodNotSupportedError{s.Resource.GroupResource(), info.Verb}
	case sub.PutOnly && info.Verb != "update":
		return nil, &MethodNotSupportedError{s.Resource.GroupResource(), info.Verb}
	case sub.Create == nil && info.Verb == "create":
		return nil, &MethodNotSupportedError{s.Resource.GroupResource(), info.Verb}
	}
	return sub, nil
}

// PostRequest asks for what a POST to a subresource does (pods/binding, pods/eviction, deployments/rollback).
type PostRequest struct {
	Info *RequestInfo
	Body Object // the posted object, of the kind that the subresource takes
}

// Post runs CreateSubresource on the parent and stores what the hook made of it; or, where the subresource is of that
// kind, deletes the parent.
func (s *Store) Post(ctx context.Context, req PostRequest) (Result, error) {
	sub, err := s.subresource(req.Info)
	if err != nil {
		return Result{}, err
	}
	if err := s.checkPosted(sub, req); err != nil {
		return Result{}, err
	}
	if sub.Create.Delete {
		return s.postDelete(ctx, req, sub)
	}
	item, err := s.current(ctx, req.Info)
	if err != nil {
		return Result{}, err
	}
	for attempt := 1; ; attempt++ {
		result, err := s.postOnce(ctx, req, sub, item)
		if again, err := s.lost(err, attempt, req.Info, &item); !again {
			return result, err
		}
	}
}

// postOnce is one attempt of a Post that updates the parent; a *RevisionError asks for another.
func (s *Store) postOnce(ctx context.Context, req PostRequest, sub *Subresource, item Item) (Result, error) {
	whole, err := s.read(ctx, item, req.Info)
	if err != nil {
		return Result{}, err
	}
	old := whole.Unowned()
	named := metav1.DeleteOptions{Preconditions: preconditionsOf(req.Body)}
	if err := s.checkDeletePreconditions(DeleteRequest{Info: req.Info, Options: named}, old, item.Revision); err != nil {
		return Result{}, err
	}
	reply, err := s.askPosted(ctx, req, sub, old)
	if err != nil {
		return Result{}, err
	}
	obj := s.restore(reply.Object, old, nil)
	owners, err := s.own(ctx, req.Info, sub, obj, nil, whole)
	if err != nil {
		return Result{}, err
	}
	owners = keepTimes(obj, old, owners, whole.ManagedFields())
	errs, err := s.validateMetaUpdate(obj, old)
	if err != nil {
		return Result{}, err
	}
	if len(errs) > 0 {
		return Result{}, &InvalidError{s.Resource.GroupKind(), req.Info.Name, errs}
	}
	obj = s.nextGeneration(req.Info, obj, old)
	result, err := s.replace(ctx, req.Info, obj, owners, old, item)
	result.Object = obj.answer(owners, result.revision)
	result.Message = gjson.GetBytes(reply.Result, "message").String()
	result.Warnings = reply.Warnings
	return result, err
}

// preconditionsOf are the uid and resourceVersion of the parent that a posted object names, as a Binding may.
func preconditionsOf(body Object) *metav1.Preconditions {
	var want metav1.Preconditions
	if uid := types.UID(body.UID()); uid != "" {
		want.UID = &uid
	}
	if version := body.ResourceVersion(); version != "" {
		want.ResourceVersion = &version
	}
	return &want
}

// askPosted runs CreateSubresource on the parent.
func (s *Store) askPosted(ctx context.Context, req PostRequest, sub *Subresource, parent Object) (Reply, error) {
	reply, err := s.run(ctx, sub.Strategy, HooksOf(CreateSubresource), &Call{Request: req.Info, Object: parent, Options: req.Body})
	switch {
	case err != nil:
		return Reply{}, err
	case reply.Refusal != nil:
		gr := s.Resource.GroupResource()
		gr.Resource += "/" + sub.Name
		return Reply{}, &RefusedError{gr, req.Info.Name, *reply.Refusal}
	case len(reply.Errors) > 0:
		return Reply{}, &InvalidError{sub.Create.GroupKind(), req.Info.Name, reply.Errors}
	}
	return reply, nil
}

// postDelete deletes the parent with the deleteOptions of the body, if the hook agrees.
func (s *Store) postDelete(ctx context.Context, req PostRequest, sub *Subresource) (Result, error) {
	item, err := s.current(ctx, req.Info)
	if err != nil {
		return Result{}, err
	}
	parent, err := s.read(ctx, item, req.Info)
	if err != nil {
		return Result{}, err
	}
	if _, err := s.askPosted(ctx, req, sub, parent); err != nil {
		return Result{}, err
	}
	options := metav1.DeleteOptions{}
	if raw := req.Body.field("deleteOptions"); raw != nil {
		if err := json.Unmarshal(raw, &options); err != nil {
			return Result{}, badRequest("deleteOptions: %v", err)
		}
	}
	info := *req.Info
	info.Subresource, info.DryRun = "", info.DryRun || len(options.DryRun) > 0
	return s.Delete(ctx, DeleteRequest{Info: &info, Options: options})
}

// checkPosted makes sure that the body is of the kind that the subresource takes and names the parent, or nothing.
func (s *Store) checkPosted(sub *Subresource, req PostRequest) error {
	want := sub.Create.GroupVersionKind
	if got := req.Body.Kind(); got != "" && got != want.Kind {
		return badRequest("%s/%s takes a %s, not a %s", s.Resource.Plural, sub.Name, want.Kind, got)
	}
	if name := req.Body.Name(); name != "" && name != req.Info.Name {
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, req.Info.Name)
	}
	if ns := req.Body.Namespace(); ns != "" && ns != req.Info.Namespace {
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}
