package host

import "github.com/stratagem-dev/stratagem/engine"

// No hook may change managedFields, and they are often larger than the rest: they do not cross.

// withoutManaged is the call as the guest sees it.
func withoutManaged(call *engine.Call) *engine.Call {
	seen := *call
	seen.Object, seen.Old = dropManaged(call.Object), dropManaged(call.Old)
	if len(call.Items) > 0 {
		seen.Items = make([]engine.Object, len(call.Items))
		for i, item := range call.Items {
			seen.Items[i] = dropManaged(item)
		}
	}
	return &seen
}

func dropManaged(obj engine.Object) engine.Object {
	if obj == nil {
		return nil
	}
	meta := obj.Meta()
	if meta.Get(managedFields) == nil {
		return obj
	}
	meta.Set(managedFields, nil)
	return obj.WithMeta(meta)
}

const managedFields = "managedFields"

// restoreManaged puts back into a reply what did not cross.
func restoreManaged(reply *engine.Reply, call, seen *engine.Call) {
	switch {
	case reply.Object == nil:
	case &reply.Object[0] == &seen.Object[0]:
		reply.Object = call.Object // unchanged
	default:
		reply.Object = withManaged(reply.Object, call.Object)
	}
	for i := range reply.Items {
		reply.Items[i] = withManaged(reply.Items[i], call.Items[i])
	}
}

func withManaged(obj, from engine.Object) engine.Object {
	managed := from.Meta().Get(managedFields)
	if managed == nil {
		return obj
	}
	meta := obj.Meta()
	meta.Set(managedFields, managed)
	return obj.WithMeta(meta)
}
