package engine

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Hook is one function of a strategy, under the number it has in the guest ABI (host/ABI.md).
type Hook uint8

// The hooks, in the order in which a call that names several runs them.
const (
	Default           Hook = 1
	PrepareForCreate  Hook = 2
	Validate          Hook = 3
	WarningsOnCreate  Hook = 4
	PrepareForUpdate  Hook = 5
	ValidateUpdate    Hook = 6
	WarningsOnUpdate  Hook = 7
	Canonicalize      Hook = 8
	CheckGraceful     Hook = 9
	CreateSubresource Hook = 10
	ConvertToTable    Hook = 11
	Convert           Hook = 12

	TTL                      Hook = 13
	Decorate                 Hook = 14
	ShouldDeleteDuringUpdate Hook = 15

	// LastHook is the one with the highest number.
	LastHook = ShouldDeleteDuringUpdate
)

// Hooks is a set of hooks, bit 1<<k for hook k.
type Hooks uint64

// HooksOf is the set of the given hooks.
func HooksOf(hooks ...Hook) (set Hooks) {
	for _, h := range hooks {
		set |= 1 << h
	}
	return set
}

// Has tells whether the set holds h.
func (s Hooks) Has(h Hook) bool { return s&(1<<h) != 0 }

// String is the names of the hooks, in their order: "Default+PrepareForCreate".
func (s Hooks) String() string {
	var names []string
	for h := Default; h <= LastHook; h++ {
		if s.Has(h) {
			names = append(names, h.String())
		}
	}
	return strings.Join(names, "+")
}

// Strategy is what makes one resource, or one subresource, different from the others.
//
// It is implemented twice: by host.Strategy over a Wasm module, and by Native over Go values. Both
// treat every hook as a pure function of its Call: it may run again when a write meets a conflict.
type Strategy interface {
	// Hooks are the hooks that exist. An absent hook is never run and costs nothing.
	Hooks() Hooks
	// Run runs the named hooks in ascending order on one object. A rejection (field errors, a
	// refusal) is part of the Reply; an error is the strategy's failure: *HookError.
	Run(ctx context.Context, hooks Hooks, call *Call) (Reply, error)
}

// Call is what a strategy gets to see. The objects of a create or update come without managedFields, which no hook may change.
type Call struct {
	Request *RequestInfo
	Object  Object
	Old     Object   // update hooks only
	Options Object   // DeleteOptions, the posted body, or nothing
	Items   []Object // ConvertToTable, Convert and Decorate only
}

// RequestInfo describes the request that a hook runs for. It is the same, Time included, for all
// hooks and retries of one request.
type RequestInfo struct {
	Verb        string // create, update, patch, delete, get, list, watch, as in Kubernetes' authorization
	Group       string
	Version     string
	Resource    string
	Subresource string
	Namespace   string
	Name        string
	User        User
	// Manager is the field manager that a write is recorded under: the parameter fieldManager, or the client's program.
	Manager string
	DryRun  bool
	Time    time.Time
	// Account holds the request to what it may spend; nil holds it to nothing.
	Account *Account
}

// User is who asks.
type User struct {
	Name   string
	UID    string
	Groups []string
}

// Reply is what the hooks of one Run have to say.
type Reply struct {
	Object   Object // the object after the mutating hooks; the call's own when nothing changed
	Errors   field.ErrorList
	Refusal  *Refusal // CreateSubresource only
	Warnings []string
	Prepared Object          // of a Whole only: the object as the reviewing hooks got it
	Result   json.RawMessage // CheckGracefulDelete, CreateSubresource, ConvertToTable, TTL and ShouldDeleteDuringUpdate: see host/ABI.md
	Items    []Object        // Convert and Decorate only
}

// Refusal is a strategy's "no" to a posted subresource, other than field errors.
type Refusal struct {
	Reason  string `json:"reason"` // BadRequest, Forbidden, Conflict, TooManyRequests, Invalid
	Message string `json:"message"`
}

// hookNames are the names of the hooks, as host/ABI.md has them.
var hookNames = map[Hook]string{
	Default: "Default", PrepareForCreate: "PrepareForCreate", Validate: "Validate", WarningsOnCreate: "WarningsOnCreate",
	PrepareForUpdate: "PrepareForUpdate", ValidateUpdate: "ValidateUpdate", WarningsOnUpdate: "WarningsOnUpdate", Canonicalize: "Canonicalize",
	CheckGraceful: "CheckGracefulDelete", CreateSubresource: "CreateSubresource", ConvertToTable: "ConvertToTable", Convert: "Convert",
	TTL: "TTL", Decorate: "Decorate", ShouldDeleteDuringUpdate: "ShouldDeleteDuringUpdate",
}

// String is the hook's name.
func (h Hook) String() string { return hookNames[h] }

// HookByName finds a hook by its name.
func HookByName(name string) (Hook, bool) {
	for hook, known := range hookNames {
		if known == name {
			return hook, true
		}
	}
	return 0, false
}
