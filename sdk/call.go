package sdk

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk/field"
)

// call is one Invoke: what the hooks get, and the reply as far as it has come. A call is used again for the next
// one (reset), so that it costs no memory.
type call struct {
	strategy *strategy
	ctx      Context
	obj      *Object // the pointers are nil for what the frame does not have
	old      *Object
	options  *Object
	items    []*Object
	reply    reply
	prepared Object // what Canonicalize gets in a call of a whole write

	segments []string
	objects  [segItems]Object // what obj, old and options point to
}

// What a call keeps of the one before.
const (
	keptSegments = 64
	keptFields   = 64
)

// reset forgets the call before, but for the room that it took.
func (c *call) reset() {
	if cap(c.segments) > keptSegments {
		c.segments = nil
	}
	c.segments = c.segments[:0]
	c.ctx = Context{User: User{Groups: c.ctx.User.Groups[:0]}}
	c.obj, c.old, c.options, c.items = nil, nil, nil, nil
	c.prepared = Object{}
	c.reply = reply{warnings: c.reply.warnings[:0]}
}

// use makes one of the call's own objects an object with the given text.
func (c *call) use(segment int, text string) *Object {
	o := &c.objects[segment]
	fields := o.fields[:0]
	if cap(fields) > keptFields {
		fields = nil
	}
	*o = Object{text: text, fields: fields}
	return o
}

// mutating are the hooks that may change the object.
var mutating = bits(hookDefault, hookPrepareForCreate, hookPrepareForUpdate, hookCanonicalize, hookCreateSubresource)

// run runs one hook; false ends the call.
func (c *call) run(h hook) bool {
	c.reply.hook = h
	if c.obj != nil {
		c.obj.frozen = ""
		if mutating&h.bit() == 0 {
			c.obj.frozen = hookNames[h]
		}
	}
	s := c.strategy
	switch h {
	case hookDefault:
		s.defaulter.Default(&c.ctx, c.obj)
	case hookPrepareForCreate:
		s.createPreparer.PrepareForCreate(&c.ctx, c.obj)
	case hookValidate:
		c.reject(s.validator.Validate(&c.ctx, c.obj))
	case hookWarningsOnCreate:
		c.warn(s.createWarner.WarningsOnCreate(&c.ctx, c.obj))
	case hookPrepareForUpdate:
		s.updatePreparer.PrepareForUpdate(&c.ctx, c.obj, c.old)
	case hookValidateUpdate:
		c.reject(s.updateValidator.ValidateUpdate(&c.ctx, c.obj, c.old))
	case hookWarningsOnUpdate:
		c.warn(s.updateWarner.WarningsOnUpdate(&c.ctx, c.obj, c.old))
	case hookCanonicalize:
		s.canonicalizer.Canonicalize(&c.ctx, c.obj)
	case hookCheckGracefulDelete:
		c.checkGracefulDelete()
	case hookCreateSubresource:
		c.createSubresource()
	case hookConvertToTable:
		c.convertToTable()
	case hookConvert:
		c.convert()
	case hookTTL:
		c.reply.result = strconv.AppendUint(nil, uint64(s.expirer.TTL(&c.ctx, c.obj, c.old)), 10)
	case hookDecorate:
		for _, item := range c.items {
			s.decorator.Decorate(&c.ctx, item)
		}
	case hookShouldDeleteDuringUpdate:
		c.reply.result = strconv.AppendBool(nil, s.updateDeleter.ShouldDeleteDuringUpdate(&c.ctx, c.obj, c.old))
	}
	if c.ctx.err != nil {
		c.fail(c.ctx.err)
	}
	return c.reply.outcome == outcomeOK
}

func (c *call) reject(errs field.ErrorList) {
	if len(errs) > 0 {
		c.reply.outcome = outcomeRejected
		c.reply.errors = errs.AppendJSON(nil)
	}
}

func (c *call) warn(warnings []string) {
	c.reply.warnings = append(c.reply.warnings, warnings...)
}

func (c *call) fail(err error) {
	c.reply.outcome = outcomeError
	c.reply.errors = []byte(err.Error())
}
