package sdk

import "github.com/stratagem-dev/stratagem/sdk/field"

// The hooks. A strategy implements those it needs; they are found by Register, once.
//
//   - Every hook is a pure function of its arguments and may run again for the same request.
//   - Hooks that may not change the object get it read-only: changing it panics.
//   - What a hook is handed is its own until the call ends and is then used again; strings and Values stay. Object.Copy
//     makes an object to keep.
//   - The server puts back or refuses what no hook may touch: apiVersion, kind, and metadata's name,
//     namespace, uid, resourceVersion, timestamps and managedFields.
//   - Guards such as `var _ sdk.Validator = Strategy{}` keep a misspelt hook from being no hook.
type (
	// Defaulter fills in what the client left out. It runs first on every write, and on objects read
	// from storage; it must leave alone what is set.
	Defaulter interface {
		Default(ctx *Context, obj *Object)
	}

	// CreatePreparer readies a new object before it is validated: clears what clients may not set.
	CreatePreparer interface {
		PrepareForCreate(ctx *Context, obj *Object)
	}

	// Validator tells what is wrong with a new object. metadata is the server's to validate.
	Validator interface {
		Validate(ctx *Context, obj *Object) field.ErrorList
	}

	// CreateWarner returns warnings for the client about a valid new object.
	CreateWarner interface {
		WarningsOnCreate(ctx *Context, obj *Object) []string
	}

	// UpdatePreparer readies a changed object before it is validated: keeps what may not change here.
	UpdatePreparer interface {
		PrepareForUpdate(ctx *Context, obj, old *Object)
	}

	// UpdateValidator tells what is wrong with a changed object, or with the change.
	UpdateValidator interface {
		ValidateUpdate(ctx *Context, obj, old *Object) field.ErrorList
	}

	// UpdateWarner returns warnings for the client about a valid change.
	UpdateWarner interface {
		WarningsOnUpdate(ctx *Context, obj, old *Object) []string
	}

	// Canonicalizer brings a valid object into its canonical form. It is the last to run before storage.
	Canonicalizer interface {
		Canonicalize(ctx *Context, obj *Object)
	}

	// GracefulDeleter tells whether the object goes gracefully, and may set options.GracePeriodSeconds.
	GracefulDeleter interface {
		CheckGracefulDelete(ctx *Context, obj *Object, options *DeleteOptions) bool
	}

	// SubresourceCreator takes what was POSTed to a subresource. It may change the parent, which is
	// stored when err is nil. An err from Conflict, Forbidden, BadRequest, TooManyRequests or Invalid
	// refuses the request; any other is a failure of the plugin. message goes into the answer.
	SubresourceCreator interface {
		CreateSubresource(ctx *Context, parent, body *Object) (message string, err error)
	}

	// TableConvertor returns a row for every item: the cells of the columns without JSONPath, in order.
	TableConvertor interface {
		ConvertToTable(ctx *Context, items []*Object) [][]Cell
	}

	// Converter changes obj, in place, into another version of its kind. The SDK sets apiVersion.
	Converter interface {
		Convert(ctx *Context, obj *Object, desiredAPIVersion string) error
	}

	// Expirer gives an object so many seconds to live, counted from the write that it runs on; 0 is for ever. old is nil
	// on a create. An object that has expired is deleted.
	Expirer interface {
		TTL(ctx *Context, obj, old *Object) uint32
	}

	// Decorator adds to obj, in place, what clients are to see and what is never stored. It runs for every object that is
	// served, so that it costs every read.
	Decorator interface {
		Decorate(ctx *Context, obj *Object)
	}

	// UpdateDeleter may keep an object whose deletion an update would complete: one that is being deleted, and whose last
	// finalizer the update has taken off.
	UpdateDeleter interface {
		ShouldDeleteDuringUpdate(ctx *Context, obj, old *Object) bool
	}
)

// The traits: yes-or-no answers of a strategy, asked once by Register. A missing one is a no.
type (
	// CreateOnUpdateAllower: a PUT of an object that is not there creates it.
	CreateOnUpdateAllower interface{ AllowCreateOnUpdate() bool }

	// UnconditionalUpdateAllower: a PUT without a resourceVersion is taken.
	UnconditionalUpdateAllower interface{ AllowUnconditionalUpdate() bool }

	// DeletedObjectReturner: a DELETE answers with the object, not with a Status.
	DeletedObjectReturner interface{ ReturnDeletedObject() bool }

	// GenerationKeeper: the server sets metadata.generation, 1 and then one more with every change
	// outside metadata and status.
	GenerationKeeper interface{ GenerationOnSpecChange() bool }
	// SchemaValidator has the server enforce the value rules of the schema (required, enum, pattern …),
	// not only its types.
	SchemaValidator interface{ ValidateSchema() bool }
)

// Cell is one cell of a table: nil, a string, a bool, a number or a Value.
type Cell = any
