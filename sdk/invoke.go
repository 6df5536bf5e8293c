package sdk

import (
	"errors"
	"strconv"
)

// ErrRequest is returned for a frame that asks for what the plugin does not have or lacks what the
// hooks need. Like ErrFrame it is the server's mistake, not the plugin's.
var ErrRequest = errors.New("request does not fit the plugin")

// Invoke runs the hooks whose bits are set, in ascending order, on a request frame, and returns the
// reply frame. An error means that the frame or the hooks are not what the guest ABI allows.
func (m *Module) Invoke(hooks uint64, frame string) ([]byte, error) {
	return m.invoke(new(call), nil, hooks, frame, false)
}

// InvokeWhole is Invoke of hooks that prepare an object and hooks that review it: the reply frame tells, too, what Canonicalize got
// where it changed that.
func (m *Module) InvokeWhole(hooks uint64, frame string) ([]byte, error) {
	return m.invoke(new(call), nil, hooks, frame, true)
}

// invoke makes c the call, and appends the reply to dst.
func (m *Module) invoke(c *call, dst []byte, hooks uint64, frame string, whole bool) ([]byte, error) {
	c.reset()
	if err := c.open(m, hooks, frame); err != nil {
		return nil, err
	}
	for h := hookDefault; h < hookEnd; h++ {
		if hooks&h.bit() == 0 {
			continue
		}
		if whole && h == hookCanonicalize {
			c.prepared = c.obj.copy()
			c.obj.changed = false
		}
		if !c.run(h) {
			break
		}
	}
	return c.appendReply(dst, whole), nil
}

// open checks a frame against the hooks and takes what they need from it.
func (c *call) open(m *Module, hooks uint64, frame string) (err error) {
	if c.segments, err = decodeFrame(c.segments, frame); err != nil {
		return err
	}
	if len(c.segments) == 0 || !isObject(c.segments[segRequest]) {
		return wrap(ErrRequest, "the frame has no request")
	}
	c.ctx.parse(c.segments[segRequest])
	c.ctx.reader = m.reader
	c.strategy = m.strategy(c.ctx.Group, c.ctx.Resource, c.ctx.Subresource)
	if c.strategy == nil {
		return wrap(ErrRequest, "no resource "+strconv.Quote(c.ctx.resource()))
	}
	if hooks&^c.strategy.hooks != 0 {
		return c.absentHook(hooks)
	}
	return c.load(hooks)
}

// absentHook says which hook the strategy does not have.
func (c *call) absentHook(hooks uint64) error {
	for h := hookDefault; h < hookEnd; h++ {
		if hooks&h.bit() != 0 && c.strategy.hooks&h.bit() == 0 {
			return wrap(ErrRequest, c.ctx.resource()+" has no hook "+hookNames[h])
		}
	}
	return wrap(ErrRequest, "there is no hook under one of the bits of "+strconv.FormatUint(hooks, 2))
}

// load takes the objects from the frame's segments and checks that the hooks have what they need.
func (c *call) load(hooks uint64) (err error) {
	if c.obj, err = c.object(segObject, "object", hooks&needObject != 0); err != nil {
		return err
	}
	if c.old, err = c.object(segOld, "old object", hooks&needOld != 0); err != nil {
		return err
	}
	if c.options, err = c.object(segOptions, "options", hooks&needOptions != 0); err != nil {
		return err
	}
	if c.old != nil {
		c.old.frozen = "the old object"
	}
	if len(c.segments) <= segItems {
		return nil
	}
	texts := c.segments[segItems:]
	items := make([]Object, len(texts))
	c.items = make([]*Object, len(texts))
	for i, text := range texts {
		if !isObject(text) {
			return wrap(ErrRequest, "item "+strconv.Itoa(i)+" is not a JSON object")
		}
		items[i].text = text
		c.items[i] = &items[i]
	}
	return nil
}

// object is the object in a segment; nil when it is absent and not needed.
func (c *call) object(segment int, name string, needed bool) (*Object, error) {
	if segment >= len(c.segments) || c.segments[segment] == "" {
		if needed {
			return nil, wrap(ErrRequest, "the frame has no "+name)
		}
		return nil, nil
	}
	if !isObject(c.segments[segment]) {
		return nil, wrap(ErrRequest, "the "+name+" is not a JSON object")
	}
	return c.use(segment, c.segments[segment]), nil
}

// What the hooks cannot do without.
var (
	needOld     = bits(hookPrepareForUpdate, hookValidateUpdate, hookWarningsOnUpdate, hookShouldDeleteDuringUpdate)
	needOptions = bits(hookCreateSubresource, hookConvert)
	needObject  = needOld | bits(hookDefault, hookPrepareForCreate, hookValidate, hookWarningsOnCreate,
		hookCanonicalize, hookCheckGracefulDelete, hookCreateSubresource, hookTTL)
)

func bits(hooks ...hook) (set uint64) {
	for _, h := range hooks {
		set |= h.bit()
	}
	return set
}

func isObject(json string) bool {
	return len(json) >= 2 && json[0] == '{' && json[len(json)-1] == '}'
}

// wrapped is an error with more to say about a sentinel.
type wrapped struct {
	sentinel error
	detail   string
}

func wrap(sentinel error, detail string) error { return &wrapped{sentinel, detail} }

func (e *wrapped) Error() string { return e.sentinel.Error() + ": " + e.detail }
func (e *wrapped) Unwrap() error { return e.sentinel }
