package sdk

import "github.com/stratagem-dev/stratagem/sdk/internal/jsontext"

// The outcomes of a call.
const (
	outcomeOK       = 0
	outcomeRejected = 1
	outcomeError    = 2
)

// reply is what becomes the reply frame.
type reply struct {
	outcome  uint32
	hook     hook
	errors   []byte // field errors, or the text of the author's error
	warnings []string
	result   []byte
}

// appendReply appends the reply frame: the object when a hook changed it, and the items of Convert and Decorate. That of a whole
// write has the object before Canonicalize besides, where Canonicalize changed it.
func (c *call) appendReply(dst []byte, whole bool) []byte {
	items := 0
	if (c.reply.hook == hookConvert || c.reply.hook == hookDecorate) && c.reply.outcome == outcomeOK {
		items = len(c.items)
	}
	segments := replyItems + items
	if whole {
		segments++
	}
	dst = appendU32(dst, uint32(segments))
	dst = appendU32(dst, 8)
	dst = appendU32(dst, c.reply.outcome)
	dst = appendU32(dst, uint32(c.reply.hook))
	ok := c.reply.outcome == outcomeOK
	if c.obj != nil && (c.obj.changed || c.prepared.changed) && ok {
		dst = appendObject(dst, c.obj)
	} else {
		dst = appendSegment(dst, "")
	}
	dst = appendSegment(dst, c.reply.errors)
	at := len(dst)
	dst = appendU32(dst, 0)
	if len(c.reply.warnings) > 0 {
		dst = endSegment(jsontext.AppendStrings(dst, c.reply.warnings), at)
	}
	dst = appendSegment(dst, c.reply.result)
	switch {
	case whole && ok && c.reply.hook == hookCanonicalize && c.obj.changed:
		dst = appendObject(dst, &c.prepared)
	case whole:
		dst = appendSegment(dst, "")
	}
	for _, item := range c.items[:items] {
		dst = appendObject(dst, item)
	}
	return dst
}

// appendObject appends an object as a segment, without a copy of its text in between.
func appendObject(dst []byte, o *Object) []byte {
	at := len(dst)
	return endSegment(o.appendRaw(appendU32(dst, 0)), at)
}
