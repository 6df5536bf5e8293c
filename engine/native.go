package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Native is a Strategy written in Go, for the resources that the server itself is made of. Its hooks are one-method
// interfaces, looked for once, by NewNative.
type Native struct {
	hooks    Hooks
	mutators map[Hook]func(context.Context, *Call) (Object, error)
	checks   map[Hook]func(context.Context, *Call) field.ErrorList
	warnings map[Hook]func(context.Context, *Call) []string
	graceful func(context.Context, *Call) (seconds int64, graceful bool)
	table    func(context.Context, *Call) [][]any
	holds    func(Object) bool
	end      func(context.Context, *Call) (Object, error)
	decorate func(context.Context, Object) Object
	ttl      func(context.Context, *Call) uint32
	deletes  func(context.Context, *Call) bool
	writes   around
}

// The abilities that a native strategy may have; what each may do is told in host/ABI.md.
type (
	// NativeDefaulter has the hook Default.
	NativeDefaulter interface {
		Default(context.Context, *Call) (Object, error)
	}
	// NativePrepareForCreate has the hook of this name.
	NativePrepareForCreate interface {
		PrepareForCreate(context.Context, *Call) (Object, error)
	}
	// NativeValidate has the hook of this name.
	NativeValidate interface {
		Validate(context.Context, *Call) field.ErrorList
	}
	// NativeWarningsOnCreate has the hook of this name.
	NativeWarningsOnCreate interface {
		WarningsOnCreate(context.Context, *Call) []string
	}
	// NativePrepareForUpdate has the hook of this name.
	NativePrepareForUpdate interface {
		PrepareForUpdate(context.Context, *Call) (Object, error)
	}
	// NativeValidateUpdate has the hook of this name.
	NativeValidateUpdate interface {
		ValidateUpdate(context.Context, *Call) field.ErrorList
	}
	// NativeWarningsOnUpdate has the hook of this name.
	NativeWarningsOnUpdate interface {
		WarningsOnUpdate(context.Context, *Call) []string
	}
	// NativeCheckGracefulDelete has the hook of this name.
	NativeCheckGracefulDelete interface {
		CheckGracefulDelete(context.Context, *Call) (seconds int64, graceful bool)
	}
	// NativeHolds keeps its objects in the storage, see Holder.
	NativeHolds interface {
		Holds(Object) bool
		Terminate(context.Context, *Call) (Object, error)
	}
	// NativeDecorate has the hook Decorate, for one object at a time.
	NativeDecorate interface {
		Decorate(context.Context, Object) Object
	}
	// NativeTTL has the hook TTL: seconds to live, 0 for ever.
	NativeTTL interface {
		TTL(context.Context, *Call) uint32
	}
	// NativeShouldDeleteDuringUpdate has the hook of this name.
	NativeShouldDeleteDuringUpdate interface {
		ShouldDeleteDuringUpdate(context.Context, *Call) bool
	}
	// NativeTable has the hook ConvertToTable: a row of cells for each of the call's items.
	NativeTable interface {
		ConvertToTable(context.Context, *Call) [][]any
	}
)

// NewNative finds the hooks of a Go value.
func NewNative(impl any) *Native {
	n := &Native{
		mutators: map[Hook]func(context.Context, *Call) (Object, error){},
		checks:   map[Hook]func(context.Context, *Call) field.ErrorList{},
		warnings: map[Hook]func(context.Context, *Call) []string{},
	}
	if v, ok := impl.(NativeDefaulter); ok {
		n.mutators[Default] = v.Default
	}
	if v, ok := impl.(NativePrepareForCreate); ok {
		n.mutators[PrepareForCreate] = v.PrepareForCreate
	}
	if v, ok := impl.(NativeValidate); ok {
		n.checks[Validate] = v.Validate
	}
	if v, ok := impl.(NativeWarningsOnCreate); ok {
		n.warnings[WarningsOnCreate] = v.WarningsOnCreate
	}
	if v, ok := impl.(NativePrepareForUpdate); ok {
		n.mutators[PrepareForUpdate] = v.PrepareForUpdate
	}
	if v, ok := impl.(NativeValidateUpdate); ok {
		n.checks[ValidateUpdate] = v.ValidateUpdate
	}
	if v, ok := impl.(NativeWarningsOnUpdate); ok {
		n.warnings[WarningsOnUpdate] = v.WarningsOnUpdate
	}
	if v, ok := impl.(NativeCheckGracefulDelete); ok {
		n.graceful, n.hooks = v.CheckGracefulDelete, n.hooks|HooksOf(CheckGraceful)
	}
	if v, ok := impl.(NativeHolds); ok {
		n.holds, n.end = v.Holds, v.Terminate
	}
	if v, ok := impl.(NativeTable); ok {
		n.table, n.hooks = v.ConvertToTable, n.hooks|HooksOf(ConvertToTable)
	}
	if v, ok := impl.(NativeDecorate); ok {
		n.decorate, n.hooks = v.Decorate, n.hooks|HooksOf(Decorate)
	}
	if v, ok := impl.(NativeTTL); ok {
		n.ttl, n.hooks = v.TTL, n.hooks|HooksOf(TTL)
	}
	if v, ok := impl.(NativeShouldDeleteDuringUpdate); ok {
		n.deletes, n.hooks = v.ShouldDeleteDuringUpdate, n.hooks|HooksOf(ShouldDeleteDuringUpdate)
	}
	n.writes = newAround(impl)
	for hook := range n.mutators {
		n.hooks |= HooksOf(hook)
	}
	for hook := range n.checks {
		n.hooks |= HooksOf(hook)
	}
	for hook := range n.warnings {
		n.hooks |= HooksOf(hook)
	}
	return n
}

// Hooks are the hooks that were found.
func (n *Native) Hooks() Hooks { return n.hooks }

// around are the hooks around its writes.
func (n *Native) around() around { return n.writes }

// Holds tells whether the value behind the strategy holds the object.
func (n *Native) Holds(obj Object) bool { return n.holds != nil && n.holds(obj) }

// Terminate begins the deletion of an object that is held.
func (n *Native) Terminate(ctx context.Context, call *Call) (Object, error) { return n.end(ctx, call) }

// Run runs the named hooks in ascending order.
func (n *Native) Run(ctx context.Context, hooks Hooks, call *Call) (Reply, error) {
	reply := Reply{Object: call.Object}
	now := *call
	for hook := Default; hook <= LastHook; hook++ {
		if !hooks.Has(hook) || !n.hooks.Has(hook) {
			continue
		}
		if err := n.runOne(ctx, hook, &now, &reply); err != nil {
			return Reply{}, err
		}
		if len(reply.Errors) > 0 {
			return reply, nil
		}
		now.Object = reply.Object
	}
	return reply, nil
}

func (n *Native) runOne(ctx context.Context, hook Hook, call *Call, reply *Reply) (err error) {
	switch {
	case n.mutators[hook] != nil:
		reply.Object, err = n.mutators[hook](ctx, call)
	case n.checks[hook] != nil:
		reply.Errors = n.checks[hook](ctx, call)
	case n.warnings[hook] != nil:
		reply.Warnings = append(reply.Warnings, n.warnings[hook](ctx, call)...)
	case hook == CheckGraceful:
		seconds, graceful := n.graceful(ctx, call)
		reply.Result = fmt.Appendf(nil, `{"graceful":%t,"gracePeriodSeconds":%d}`, graceful, seconds)
	case hook == TTL:
		reply.Result = strconv.AppendUint(nil, uint64(n.ttl(ctx, call)), 10)
	case hook == ShouldDeleteDuringUpdate:
		reply.Result = strconv.AppendBool(nil, n.deletes(ctx, call))
	case hook == Decorate:
		for _, obj := range call.Items {
			reply.Items = append(reply.Items, n.decorate(ctx, obj))
		}
	case hook == ConvertToTable:
		reply.Result, err = json.Marshal(n.table(ctx, call))
	}
	return err
}

var (
	_ Strategy = (*Native)(nil)
	_ Holder   = (*Native)(nil)
)
