package engine

import (
	"context"
	"errors"
)

// UpdateRequest asks for a change of an object, whole (Replace) or in part (the patches).
type UpdateRequest struct {
	Info     *RequestInfo // with the Subresource that is written, if any
	Change   Change
	Decoding Decoding
}

// Update changes an object: read, apply the change, run the hooks, compare-and-swap, and again on conflict.
func (s *Store) Update(ctx context.Context, req UpdateRequest) (Result, error) {
	sub, err := s.subresource(req.Info)
	if err != nil {
		return Result{}, err
	}
	if _, err := s.admit(ctx, req.Info, Guard{}); err != nil {
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
	var missing *NotFoundError
	if errors.As(err, &missing) {
		return s.createOnUpdate(ctx, req, missing)
	}
	if err != nil {
		return Result{}, err
	}
	for attempt := 1; ; attempt++ {
		result, err := s.update(ctx, req, sub, item)
		if again, err := s.lost(err, attempt, req.Info, &item); !again {
			return result, err
		}
	}
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
	whole, err := s.read(ctx, item, req.Info)
	if err != nil {
		return Result{}, err
	}
	obj, warnings, err := s.change(ctx, req, sub, whole, item.Revision)
	if err != nil {
		return Result{}, err
	}
	old := whole.Unowned()
	if err := s.checkPreconditions(req, obj, old, item.Revision); err != nil {
		return Result{}, err
	}
	call, strategy, owners, err := s.beginUpdate(req.Info, sub, obj, old)
	if err != nil {
		return Result{}, err
	}
	books, err := begin(ctx, s.around.beginUpdate, call)
	if err != nil {
		return Result{}, err
	}
	defer books.revert(ctx)
	prepared, reviewed, err := s.prepare(ctx, strategy, prepareUpdate, reviewUpdate, call)
	if err != nil {
		return Result{}, err
	}
	if !prepared.Same(call.Object) {
		call.Object = s.restore(prepared, old, sub)
	}
	_, applied := req.Change.(ApplyPatch)
	if !applied {
		if owners, err = s.own(ctx, req.Info, sub, call.Object, owners, whole); err != nil {
			return Result{}, err
		}
	}
	owners = keepTimes(call.Object, old, owners, whole.ManagedFields())
	obj, hookWarnings, err := s.reviewUpdate(ctx, strategy, call, reviewed)
	if err != nil {
		return Result{}, err
	}
	obj = s.nextGeneration(req.Info, obj, old)
	shown, err := s.decorated(ctx, req.Info, obj)
	if err != nil {
		return Result{}, err
	}
	result, err := s.replace(ctx, req.Info, obj, owners, old, item)
	if isTooLarge(err) && !applied {
		owners = nil
		result, err = s.replace(ctx, req.Info, obj, owners, old, item)
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
	result.Object = shown.answer(owners, result.revision)
	if sub != nil && sub.Scale != nil {
		result.Object, err = s.scaleOf(result.Object, sub.ScaleIn(req.Info.Version))
	}
	result.Warnings = append(warnings, hookWarnings...)
	return result, err
}

// reviewUpdate runs the common validation, ValidateUpdate, WarningsOnUpdate and Canonicalize.
func (s *Store) reviewUpdate(ctx context.Context, strategy Strategy, call *Call, reviewed *Reply) (Object, []string, error) {
	errs, err := s.validateMetaUpdate(call.Object, call.Old)
	if err != nil {
		return nil, nil, err
	}
	reply, err := s.review(ctx, strategy, reviewUpdate, call, reviewed)
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
