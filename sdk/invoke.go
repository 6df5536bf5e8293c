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
	return m.invoke(nil, hooks, frame)
}

// invoke appends the reply to dst.
func (m *Module) invoke(dst []byte, hooks uint64, frame string) ([]byte, error) {
	c, err := m.open(hooks, frame)
	if err != nil {
		return nil, err
	}
	for h := hookDefault; h < hookEnd; h++ {
		if hooks&h.bit() == 0 {
			continue
		}
		if !c.run(h) {
			break
		}
	}
	return c.appendReply(dst), nil
}

// open checks a frame against the hooks and makes a call of it.
func (m *Module) open(hooks uint64, frame string) (*call, error) {
	segments, err := DecodeFrame(frame)
	if err != nil {
		return nil, err
	}
	if len(segments) == 0 || !isObject(segments[segRequest]) {
		return nil, wrap(ErrRequest, "the frame has no request")
	}
	c := &call{ctx: parseContext(segments[segRequest])}
	c.strategy = m.strategy(c.ctx.Group, c.ctx.Resource, c.ctx.Subresource)
	if c.strategy == nil {
		return nil, wrap(ErrRequest, "no resource "+strconv.Quote(c.ctx.resource()))
	}
	for h := hookDefault; h < hookEnd; h++ {
		if hooks&h.bit() != 0 && c.strategy.hooks&h.bit() == 0 {
			return nil, wrap(ErrRequest, c.ctx.resource()+" has no hook "+hookNames[h])
		}
	}
	if hooks&^c.strategy.hooks != 0 {
		return nil, wrap(ErrRequest, "there is no hook under one of the bits of "+strconv.FormatUint(hooks, 2))
	}
	return c, c.load(hooks, segments)
}

// load takes the objects from a frame's segments and checks that the hooks have what they need.
func (c *call) load(hooks uint64, segments []string) error {
	need := func(set uint64, segment int, name string) (*Object, error) {
		if segment >= len(segments) || segments[segment] == "" {
			if hooks&set != 0 {
				return nil, wrap(ErrRequest, "the frame has no "+name)
			}
			return nil, nil
		}
		if !isObject(segments[segment]) {
			return nil, wrap(ErrRequest, "the "+name+" is not a JSON object")
		}
		return newObject(segments[segment]), nil
	}
	var err error
	if c.obj, err = need(needObject, segObject, "object"); err != nil {
		return err
	}
	if c.old, err = need(needOld, segOld, "old object"); err != nil {
		return err
	}
	if c.options, err = need(needOptions, segOptions, "options"); err != nil {
		return err
	}
	if c.old != nil {
		c.old.frozen = "the old object"
	}
	for i := segItems; i < len(segments); i++ {
		if !isObject(segments[i]) {
			return wrap(ErrRequest, "item "+strconv.Itoa(i-segItems)+" is not a JSON object")
		}
		c.items = append(c.items, newObject(segments[i]))
	}
	return nil
}

// What the hooks cannot do without.
var (
	needOld     = bits(hookPrepareForUpdate, hookValidateUpdate, hookWarningsOnUpdate)
	needOptions = bits(hookCreateSubresource, hookConvert)
	needObject  = needOld | bits(hookDefault, hookPrepareForCreate, hookValidate, hookWarningsOnCreate,
		hookCanonicalize, hookCheckGracefulDelete, hookCreateSubresource)
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
