package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/stratagem-dev/stratagem/engine"
)

// What a guest pays for a read, beside a unit for each byte of the answer: about the time that the host takes for it.
const (
	getFuel  = 20_000
	listFuel = 100_000
)

// maxQueryBytes is how long a query may be.
const maxQueryBytes = 64 << 10

// Reader reads other objects for the hooks of one plugin: those that the operator has granted to it, as they are stored. It must
// not run any plugin.
type Reader interface {
	// Read answers a query of a hook that runs for a request. It says in the answer what went wrong.
	Read(ctx context.Context, request *engine.RequestInfo, query Query) Answer
}

// Query asks for one object, by its name, or for those whose labels a selector picks.
type Query struct {
	Group    string `json:"group,omitempty"`
	Resource string `json:"resource"`
	// Namespace is empty for resources without one, and in a list for all namespaces.
	Namespace string `json:"namespace,omitempty"`
	// Name asks for one object; without it the query is a list.
	Name string `json:"name,omitempty"`
	// LabelSelector is as in kubectl: "app=web,tier in (a,b)". Limit is the most objects to list; 0 is as many as the limits allow.
	LabelSelector string `json:"labelSelector,omitempty"`
	Limit         int    `json:"limit,omitempty"`
}

// Answer is what came of a Query. Code, Reason and Message are those of a metav1.Status.
type Answer struct {
	Code            int             `json:"code"`
	Reason          string          `json:"reason,omitempty"`
	Message         string          `json:"message,omitempty"`
	ResourceVersion string          `json:"resourceVersion,omitempty"`
	More            bool            `json:"more,omitempty"` // there are more objects than Limit
	Objects         []engine.Object `json:"-"`
}

// reads is what one call of a guest may read, and has read.
type reads struct {
	reader   Reader // nil: nothing
	ctx      context.Context
	request  *engine.RequestInfo
	limits   *Limits
	left     int64 // reads
	objects  int64
	bytes    int64
	exceeded uint32 // bit 1<<l for limit l
	frame    []byte // the answer to the last query, until the guest has taken it
}

// beginReads lets the guest read for a request, where its plugin has been granted anything. What is returned ends that, and
// notes the limits that were exceeded.
func (in *instance) beginReads(ctx context.Context, request *engine.RequestInfo, limits *tally) (end func()) {
	reader := in.module.options.Reader
	if reader == nil {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, limits.ReadTime)
	in.guest.reads = reads{
		reader: reader, ctx: ctx, request: request, limits: limits.Limits,
		left: limits.Reads, objects: limits.ReadObjects, bytes: limits.ReadBytes,
	}
	return func() {
		cancel()
		limits.exceeded |= in.guest.reads.exceeded
		in.guest.reads = reads{}
	}
}

func (r *reads) note(limit Limit) { r.exceeded |= 1 << limit }

// read answers a query, or tells why it is none, as a frame: the Answer, then the objects.
func (r *reads) read(query Query, err error) {
	var answer Answer
	switch {
	case err != nil:
		answer = Answer{Code: http.StatusBadRequest, Reason: "BadRequest", Message: err.Error()}
	case r.reader == nil:
		answer = Answer{Code: http.StatusForbidden, Reason: "Forbidden", Message: "the plugin may not read anything: nothing is granted to it"}
	case r.left <= 0:
		answer = r.exhausted(LimitReads)
	default:
		r.left--
		answer = r.ask(query)
	}
	segments := [][]byte{nil}
	for _, obj := range answer.Objects {
		segments = append(segments, obj)
	}
	segments[0], _ = json.Marshal(&answer) // strings and numbers alone
	r.frame = make([]byte, frameSize(segments))
	writeFrame(r.frame, segments)
}

// ask puts the query to the reader and holds the answer to what may still be read.
func (r *reads) ask(query Query) Answer {
	if query.Name == "" && (query.Limit <= 0 || int64(query.Limit) > r.objects) {
		query.Limit = int(r.objects) + 1
	}
	answer := r.reader.Read(r.ctx, r.request, query)
	if errors.Is(r.ctx.Err(), context.DeadlineExceeded) {
		r.note(LimitReadTime)
	}
	for i, obj := range answer.Objects {
		obj = obj.Unowned()
		answer.Objects[i] = obj
		r.objects--
		r.bytes -= int64(len(obj))
	}
	switch {
	case r.objects < 0:
		return r.exhausted(LimitReadObjects)
	case r.bytes < 0:
		return r.exhausted(LimitReadBytes)
	}
	return answer
}

// exhausted is the answer when a limit leaves nothing more to read.
func (r *reads) exhausted(limit Limit) Answer {
	r.note(limit)
	return Answer{
		Code: http.StatusTooManyRequests, Reason: "TooManyRequests",
		Message: fmt.Sprintf("the call has read more than its limit %s of %s allows", limit, limit.Format(r.limits.Get(limit))),
	}
}

// parseQuery reads a query strictly.
func parseQuery(text []byte) (query Query, err error) {
	if len(text) > maxQueryBytes {
		return query, fmt.Errorf("the query has %d bytes, at most %d are allowed", len(text), maxQueryBytes)
	}
	if err := strictJSON(text, &query, "the query"); err != nil {
		return query, fmt.Errorf("the query: %w", err)
	}
	switch {
	case query.Resource == "":
		return query, errors.New("the query: resource is required")
	case query.Name != "" && (query.LabelSelector != "" || query.Limit != 0):
		return query, errors.New("the query: labelSelector and limit are for lists, name for one object")
	case query.Limit < 0:
		return query, errors.New("the query: limit must not be negative, it is " + strconv.Itoa(query.Limit))
	}
	return query, nil
}

// buildReads adds the functions by which guests read. read(ptr, len) takes a query and returns the size of the answer's frame;
// read_answer(ptr) writes that frame there.
func buildReads(builder wazero.HostModuleBuilder) wazero.HostModuleBuilder {
	read := api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
		g := guestOf(ctx)
		g.charge(hostCallFuel)
		text, ok := mod.Memory().Read(uint32(stack[0]), uint32(stack[1]))
		if !ok {
			panic(errors.New("stratagem.read: the query lies outside the memory"))
		}
		g.charge(int64(len(text)))
		query, err := parseQuery(text)
		if err == nil && query.Name != "" {
			g.charge(getFuel)
		} else {
			g.charge(listFuel)
		}
		g.reads.read(query, err)
		g.charge(int64(len(g.reads.frame)))
		stack[0] = uint64(len(g.reads.frame))
	})
	answer := api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
		g := guestOf(ctx)
		g.charge(hostCallFuel)
		if g.reads.frame == nil {
			panic(errors.New("stratagem.read_answer: there is no answer that has not been taken"))
		}
		if !mod.Memory().Write(uint32(stack[0]), g.reads.frame) {
			panic(errors.New("stratagem.read_answer: the place lies outside the memory"))
		}
		g.reads.frame = nil
	})
	return builder.
		NewFunctionBuilder().WithGoModuleFunction(read, []api.ValueType{i32, i32}, []api.ValueType{i32}).Export("read").
		NewFunctionBuilder().WithGoModuleFunction(answer, []api.ValueType{i32}, nil).Export("read_answer")
}
