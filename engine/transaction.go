package engine

import "context"

// Finish ends what BeginCreate or BeginUpdate has begun: with true once the object has been stored, with false when it
// has not. It is called once, also when the request's context has ended.
type Finish func(ctx context.Context, stored bool)

// The hooks of a native strategy around a write, for what it keeps beside the storage, as an allocator of addresses does.
// They belong to the store: those of the resource run for its subresources too. Objects are in the version of the
// request. In a dry run, which Call.Request tells, they run as in any other.
type (
	// NativeBeginCreate runs ahead of the other hooks of a create, once for each attempt to find a free name. An error
	// ends the request. A nil Finish has nothing to end.
	NativeBeginCreate interface {
		BeginCreate(context.Context, *Call) (Finish, error)
	}
	// NativeBeginUpdate runs ahead of the other hooks of an update, behind its preconditions, once for each attempt.
	NativeBeginUpdate interface {
		BeginUpdate(context.Context, *Call) (Finish, error)
	}
	// NativeAfterCreate runs when an object has been created, behind Finish.
	NativeAfterCreate interface{ AfterCreate(context.Context, *Call) }
	// NativeAfterUpdate runs when an object has been updated, behind Finish; also by an update that changed nothing.
	NativeAfterUpdate interface{ AfterUpdate(context.Context, *Call) }
	// NativeAfterDelete runs when an object has gone: by a deletion, or by the update that completed one.
	NativeAfterDelete interface{ AfterDelete(context.Context, *Call) }
)

// around are the hooks around the writes of one store.
type around struct {
	beginCreate, beginUpdate              func(context.Context, *Call) (Finish, error)
	afterCreate, afterUpdate, afterDelete func(context.Context, *Call)
}

// newAround finds the hooks of a Go value.
func newAround(impl any) (a around) {
	if v, ok := impl.(NativeBeginCreate); ok {
		a.beginCreate = v.BeginCreate
	}
	if v, ok := impl.(NativeBeginUpdate); ok {
		a.beginUpdate = v.BeginUpdate
	}
	if v, ok := impl.(NativeAfterCreate); ok {
		a.afterCreate = v.AfterCreate
	}
	if v, ok := impl.(NativeAfterUpdate); ok {
		a.afterUpdate = v.AfterUpdate
	}
	if v, ok := impl.(NativeAfterDelete); ok {
		a.afterDelete = v.AfterDelete
	}
	return a
}

// transaction is one attempt of a write, seen by the hooks around it.
type transaction struct{ finish Finish }

// begin runs a Begin hook, if there is one. The caller defers revert, and calls commit when the object is stored.
func begin(ctx context.Context, hook func(context.Context, *Call) (Finish, error), call *Call) (*transaction, error) {
	if hook == nil {
		return &transaction{}, nil
	}
	finish, err := hook(ctx, call)
	return &transaction{finish}, err
}

func (t *transaction) commit(ctx context.Context) { t.end(ctx, true) }

// revert does nothing behind commit.
func (t *transaction) revert(ctx context.Context) { t.end(ctx, false) }

func (t *transaction) end(ctx context.Context, stored bool) {
	if finish := t.finish; finish != nil {
		t.finish = nil
		finish(context.WithoutCancel(ctx), stored)
	}
}

// after runs an After hook, if there is one.
func after(ctx context.Context, hook func(context.Context, *Call), info *RequestInfo, obj, old Object) {
	if hook != nil {
		hook(context.WithoutCancel(ctx), &Call{Request: info, Object: obj, Old: old})
	}
}
