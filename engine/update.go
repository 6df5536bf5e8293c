package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// UpdateRequest asks for a change of an object, whole (Replace) or in part (the patches).
type UpdateRequest struct {
	Info     *RequestInfo // with the Subresource that is written, if any
	Change   Change
	Decoding Decoding
}

// Change makes the new state of an object out of its current one. It may be applied several times.
type Change interface {
	// Apply gets the current object with its resourceVersion, nil when there is none, and the version that the
	// request is in. It returns canonical bytes and the duplicate keys it found.
	Apply(current Object, version *Version) (obj Object, duplicates []string, err error)
	// Replaces tells whether the change states the whole object, as PUT does: then its uid is a
	// precondition, and it may create.
	Replaces() bool
}

// Replace is the change that PUT asks for.
type Replace struct{ Object Object }

// Apply returns the object of the request.
func (r Replace) Apply(Object, *Version) (Object, []string, error) { return r.Object, nil, nil }

// Replaces is true.
func (r Replace) Replaces() bool { return true }

// conflictAttempts bounds how often a write is tried again when others keep changing the object.
const conflictAttempts = 100

// Update changes an object: read, apply the change, run the hooks, compare-and-swap, and again on conflict.
func (s *Store) Update(ctx context.Context, req UpdateRequest) (Result, error) {
	sub, err := s.subresource(req.Info)
	if err != nil {
		return Result{}, err
	}
	if err := s.admit(ctx, req.Info); err != nil {
		return Result{}, err
	}
	peeked, known := s.peek(req.Info)
	var result Result
	if known {
		if result, err = s.update(ctx, req, sub, peeked); result.settled {
			return result, err
		}
	}
	first := err
	item, err := s.current(ctx, req.Info)
	if known && err == nil && item.Revision == peeked.Revision {
		return result, first // a refusal, or that nothing changes: the object is still the one that it rests on
	}
	for attempt := 0; attempt < conflictAttempts; attempt++ {
		var missing *NotFoundError
		if errors.As(err, &missing) {
			return s.createOnUpdate(ctx, req, missing)
		}
		if err != nil {
			return Result{}, err
		}
		result, err := s.update(ctx, req, sub, item)
		var moved *RevisionError
		if !errors.As(err, &moved) {
			return result, err
		}
		if moved.Current == nil {
			return Result{}, &NotFoundError{s.Resource.GroupResource(), req.Info.Name}
		}
		item = *moved.Current
	}
	return Result{}, &ConflictError{s.Resource.GroupResource(), req.Info.Name, ModifiedMessage}
}

// peek is the item that a request is about as memory has it, where the storage can show that: it saves the read for
// the writes that the compare-and-swap then confirms.
func (s *Store) peek(info *RequestInfo) (Item, bool) {
	if peeker, ok := s.storage.(Peeker); ok && !info.DryRun {
		return peeker.Peek(s.key(info.Namespace, info.Name))
	}
	return Item{}, false
}

// current reads the item that a request is about.
func (s *Store) current(ctx context.Context, info *RequestInfo) (Item, error) {
	item, err := s.storage.Get(ctx, s.key(info.Namespace, info.Name))
	if err != nil {
		return Item{}, s.storageFailure(err, info.Name)
	}
	return item, nil
}

// createOnUpdate creates the object of an apply patch, or of a PUT where the strategy allows that.
func (s *Store) createOnUpdate(ctx context.Context, req UpdateRequest, missing error) (Result, error) {
	_, applies := req.Change.(ApplyPatch)
	allowed := applies || req.Change.Replaces() && s.Resource.Traits.AllowCreateOnUpdate
	if !allowed || req.Info.Subresource != "" {
		return Result{}, missing
	}
	obj, duplicates, err := s.changed(ctx, req, nil, nil)
	if err != nil {
		return Result{}, err
	}
	if err := checkName(obj, req.Info); err != nil {
		return Result{}, err
	}
	if uid := obj.UID(); uid != "" && !applies {
		return Result{}, s.uidConflict(req.Info.Name, uid, "")
	}
	req.Decoding.Duplicates = append(req.Decoding.Duplicates, duplicates...)
	return s.Create(ctx, CreateRequest{Info: req.Info, Object: obj.Stored(), Decoding: req.Decoding, owned: applies})
}

// update is the lifecycle of one attempt; a *RevisionError asks for another.
func (s *Store) update(ctx context.Context, req UpdateRequest, sub *Subresource, item Item) (Result, error) {
	old, err := s.read(ctx, item, req.Info)
	if err != nil {
		return Result{}, err
	}
	obj, warnings, err := s.change(ctx, req, sub, old.Served(item.Revision))
	if err != nil {
		return Result{}, err
	}
	if err := s.checkPreconditions(req, obj, old, item.Revision); err != nil {
		return Result{}, err
	}
	call, strategy, err := s.beginUpdate(req.Info, sub, obj.Stored(), old)
	if err != nil {
		return Result{}, err
	}
	books, err := begin(ctx, s.around.beginUpdate, call)
	if err != nil {
		return Result{}, err
	}
	defer books.revert(ctx)
	if call.Object, err = s.prepare(ctx, strategy, PrepareForUpdate, call); err != nil {
		return Result{}, err
	}
	call.Object = s.restore(call.Object, old, sub)
	_, applied := req.Change.(ApplyPatch)
	if applied {
		call.Object = withOwners(call.Object, old, managedFields(obj))
	} else if call.Object, err = s.own(ctx, req.Info, sub, call.Object, old); err != nil {
		return Result{}, err
	}
	obj, hookWarnings, err := s.reviewUpdate(ctx, strategy, call)
	if err != nil {
		return Result{}, err
	}
	obj = s.nextGeneration(obj, old)
	shown, err := s.decorated(ctx, req.Info, obj)
	if err != nil {
		return Result{}, err
	}
	result, err := s.replace(ctx, req.Info, obj, old, item)
	if isTooLarge(err) && !applied {
		shown = disowned(shown)
		result, err = s.replace(ctx, req.Info, disowned(obj), old, item)
	}
	if err != nil {
		return Result{settled: result.settled}, err
	}
	if result.Deleted {
		books.revert(ctx)
		after(ctx, s.around.afterDelete, req.Info, obj, nil)
	} else {
		books.commit(ctx)
		after(ctx, s.around.afterUpdate, req.Info, obj, old)
	}
	result.shownAs(shown)
	if sub != nil && sub.Scale != nil {
		result.Object, err = s.scaleOf(result.Object, sub.Scale)
	}
	result.Warnings = append(warnings, hookWarnings...)
	return result, err
}

// change applies the request's change and decodes what comes of it.
func (s *Store) change(ctx context.Context, req UpdateRequest, sub *Subresource, current Object) (Object, []string, error) {
	if sub != nil && sub.Scale != nil {
		obj, err := s.applyScale(req, sub.Scale, current)
		return obj, nil, err
	}
	obj, duplicates, err := s.changed(ctx, req, sub, current)
	if err != nil {
		return nil, nil, err
	}
	how := req.Decoding
	how.Duplicates = append(how.Duplicates, duplicates...)
	obj, warnings, err := s.decode(req.Info, obj, how)
	if err != nil {
		return nil, nil, err
	}
	if err := checkName(obj, req.Info); err != nil {
		return nil, nil, err
	}
	obj, err = s.applyDefaults(obj, req.Info.Version)
	return obj, warnings, err
}

// changed applies the request's change to the current object, nil where there is none.
func (s *Store) changed(ctx context.Context, req UpdateRequest, sub *Subresource, current Object) (Object, []string, error) {
	if patch, ok := req.Change.(ApplyPatch); ok {
		obj, err := s.apply(ctx, req, sub, patch, current)
		return obj, nil, err
	}
	return req.Change.Apply(current, s.Resource.Version(req.Info.Version))
}

// checkPreconditions compares the uid and resourceVersion that the new state names with the stored ones.
func (s *Store) checkPreconditions(req UpdateRequest, obj, old Object, revision int64) error {
	name := req.Info.Name
	if uid := obj.UID(); req.Change.Replaces() && uid != "" && uid != old.UID() {
		return s.uidConflict(name, uid, old.UID())
	}
	switch version := obj.ResourceVersion(); {
	case version == "" || version == "0":
		if !s.Resource.Traits.AllowUnconditionalUpdate {
			errs := field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")}
			kind := s.Resource.GroupKind()
			kind.Kind = s.Resource.Plural
			return &InvalidError{kind, name, errs}
		}
	case version != fmt.Sprint(revision):
		if _, err := parseRevision(version); err != nil {
			errs := field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), version, err.Error())}
			return &InvalidError{s.Resource.GroupKind(), name, errs}
		}
		return &ConflictError{s.Resource.GroupResource(), name, ModifiedMessage}
	}
	return nil
}

func (s *Store) uidConflict(name, wanted, found string) error {
	return &ConflictError{s.Resource.GroupResource(), name,
		fmt.Sprintf("Precondition failed: UID in precondition: %s, UID in object meta: %s", wanted, found)}
}

// beginUpdate makes name, namespace and generation those of the stored object and keeps the part that the request
// does not write: the status in a write of the main resource, all but the status in one of the status.
func (s *Store) beginUpdate(info *RequestInfo, sub *Subresource, obj, old Object) (*Call, Strategy, error) {
	meta := obj.Meta()
	if err := s.agreeOnName(&meta, info.Name); err != nil {
		return nil, nil, err
	}
	if err := s.agreeOnNamespace(&meta, info.Namespace); err != nil {
		return nil, nil, err
	}
	meta.Set("generation", old.Meta().Get("generation"))
	fields := obj.Fields()
	fields.Set("metadata", meta.Raw())
	strategy := s.Resource.Strategy
	switch {
	case sub != nil && sub.Scale != nil:
		main := *info
		main.Subresource = ""
		info = &main
		fields.Set("status", old.field("status"))
	case sub != nil:
		strategy = sub.Strategy
	case s.Resource.Subresource("status") != nil:
		fields.Set("status", old.field("status"))
	}
	obj = fields.Raw()
	if sub != nil && sub.Name == "status" {
		obj = keepAllButStatus(obj, old)
	}
	return &Call{Request: info, Object: obj, Old: old}, strategy, nil
}

// keepAllButStatus is the old object with the new one's status. Kubernetes has this rule for custom resources;
// here it holds for every kind, so that a status write cannot undo what somebody else changed in metadata.
func keepAllButStatus(obj, old Object) Object { return old.With("status", obj.field("status")) }

// restore puts back what an update can never touch, whatever the request or a hook made of it.
func (s *Store) restore(obj, old Object, sub *Subresource) Object {
	if sub != nil && sub.Name == "status" {
		obj = keepAllButStatus(obj, old)
	}
	meta, was := obj.Meta(), old.Meta()
	if meta.String("uid") == "" {
		meta.Set("uid", was.Get("uid"))
	}
	for _, key := range []string{"creationTimestamp", "deletionTimestamp"} {
		if was.Has(key) {
			meta.Set(key, was.Get(key))
		}
	}
	if was.Has("deletionGracePeriodSeconds") && !meta.Has("deletionGracePeriodSeconds") {
		meta.Set("deletionGracePeriodSeconds", was.Get("deletionGracePeriodSeconds"))
	}
	return obj.WithMeta(meta)
}

// nextGeneration moves the generation on where the strategy leaves that to the engine. It compares what Canonicalize
// left: another spelling of the same spec is no change.
func (s *Store) nextGeneration(obj, old Object) Object {
	if !s.Resource.Traits.GenerationOnSpecChange || !specChanged(obj, old, s.Resource.Subresource("status") != nil) {
		return obj
	}
	meta := obj.Meta()
	meta.SetInt("generation", old.Meta().Int("generation")+1)
	return obj.WithMeta(meta)
}

// specChanged tells whether anything but metadata differs; a status that has a subresource of its own does not count.
func specChanged(obj, old Object, ownStatus bool) bool {
	a, b := obj.Fields(), old.Fields()
	for _, fields := range []*Fields{&a, &b} {
		fields.Set("metadata", nil)
		if ownStatus {
			fields.Set("status", nil)
		}
	}
	return !bytes.Equal(a.Raw(), b.Raw())
}

// reviewUpdate runs the common validation, ValidateUpdate, WarningsOnUpdate and Canonicalize.
func (s *Store) reviewUpdate(ctx context.Context, strategy Strategy, call *Call) (Object, []string, error) {
	errs, err := s.validateMetaUpdate(call.Object, call.Old)
	if err != nil {
		return nil, nil, err
	}
	reply, err := s.run(ctx, strategy, HooksOf(ValidateUpdate, WarningsOnUpdate, Canonicalize), call)
	if err != nil {
		return nil, nil, err
	}
	errs = append(errs, s.validateSchema(call.Object, call.Request.Version)...)
	if errs = append(errs, reply.Errors...); len(errs) > 0 {
		return nil, nil, &InvalidError{s.Resource.GroupKind(), call.Object.Name(), errs}
	}
	if err := s.canonicalized(call.Object, reply.Object); err != nil {
		return nil, nil, err
	}
	return reply.Object, reply.Warnings, nil
}

// replace stores the new state over item. An unchanged object writes nothing and keeps its resourceVersion; one whose
// last finalizer has gone while it was being deleted is deleted.
func (s *Store) replace(ctx context.Context, info *RequestInfo, obj, old Object, item Item) (Result, error) {
	stored, err := s.encode(ctx, info, obj)
	if err != nil {
		return Result{}, err
	}
	held, err := s.held(ctx, info, stored)
	if err != nil {
		return Result{}, err
	}
	deletes, err := s.deletesDuringUpdate(ctx, info, obj, old)
	if err != nil {
		return Result{}, err
	}
	if deletes && !held {
		return s.completeDeletion(ctx, info, obj, item)
	}
	before, err := s.load(item)
	if err != nil {
		return Result{}, err
	}
	if info.DryRun || bytes.Equal(stored, before) {
		return Result{Object: served(obj, item.Revision)}, nil
	}
	ttl, err := s.ttl(ctx, info, obj, old)
	if err != nil {
		return Result{}, err
	}
	revision, err := s.storage.Update(ctx, item.Key, stored.Stored(), item.Revision, s.writeOptions(ttl))
	if err != nil {
		return s.unwritten(err, info.Name)
	}
	return Result{Object: served(obj, revision), settled: true}, nil
}

// completeDeletion deletes an object by the update that took the last finalizer off. Where another update was
// quicker, the object is gone as this one wanted it.
func (s *Store) completeDeletion(ctx context.Context, info *RequestInfo, obj Object, item Item) (Result, error) {
	result := Result{Object: served(obj, item.Revision), Deleted: true}
	if info.DryRun {
		return result, nil
	}
	_, err := s.storage.Delete(ctx, item.Key, item.Revision, s.writeOptions(0))
	var moved *RevisionError
	if err == nil || errors.As(err, &moved) && moved.Current == nil {
		result.settled = true
		return result, nil
	}
	return s.unwritten(err, info.Name)
}

// unwritten is the outcome of a write that failed. It stands, since the storage may have taken the write all the same; only
// a lost compare-and-swap leaves the matter open.
func (s *Store) unwritten(err error, name string) (Result, error) {
	var moved *RevisionError
	return Result{settled: !errors.As(err, &moved)}, s.unlessMoved(err, name)
}

// unlessMoved keeps a *RevisionError for the loop to see, and turns the rest into what clients get.
func (s *Store) unlessMoved(err error, name string) error {
	var moved *RevisionError
	if errors.As(err, &moved) {
		return err
	}
	return s.storageFailure(err, name)
}

// deletedByUpdate tells whether an update completes a deletion: no finalizers are left, and no grace period runs.
func deletedByUpdate(obj, old Object) bool {
	meta, was := obj.Meta(), old.Meta()
	finalizers := meta.Get("finalizers")
	return was.Has("deletionTimestamp") && was.Int("deletionGracePeriodSeconds") == 0 &&
		(len(finalizers) == 0 || string(finalizers) == "[]" || string(finalizers) == "null")
}
