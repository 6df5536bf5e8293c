package host

import "github.com/stratagem-dev/stratagem/engine"

// No hook may change managedFields, and they are often larger than the rest: they do not cross.

// withoutManaged is the call as the guest sees it.
func withoutManaged(call *engine.Call) *engine.Call {
	seen := *call
	seen.Object, seen.Old = call.Object.Unowned(), call.Old.Unowned()
	if len(call.Items) > 0 {
		seen.Items = make([]engine.Object, len(call.Items))
		for i, item := range call.Items {
			seen.Items[i] = item.Unowned()
		}
	}
	return &seen
}

// restoreManaged puts back into a reply what did not cross.
func restoreManaged(reply *engine.Reply, call, seen *engine.Call) {
	if !call.Object.Same(seen.Object) {
		reply.Object = restoredManaged(reply.Object, call.Object, seen.Object)
		reply.Prepared = restoredManaged(reply.Prepared, call.Object, seen.Object)
	}
	for i := range reply.Items {
		reply.Items[i] = reply.Items[i].Owned(call.Items[i].ManagedFields())
	}
}

func restoredManaged(obj, was, seen engine.Object) engine.Object {
	switch {
	case obj == nil:
		return nil
	case obj.Same(seen):
		return was // unchanged
	}
	return obj.Owned(was.ManagedFields())
}
