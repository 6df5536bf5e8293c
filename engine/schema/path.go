package schema

import (
	"bytes"
	"strconv"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// frame is one step of the path to the value in hand. Frames live on the stack, linked upwards, so that a path costs
// nothing until somebody asks for it.
type frame struct {
	up     *frame
	key    []byte // as it stands between the quotes; nil: index
	index  int
	mapped bool // the key is that of a map, not of a field
}

// String is the path as Kubernetes writes it: "spec.containers[0].image".
func (f *frame) String() string { return string(f.appendTo(nil)) }

func (f *frame) appendTo(out []byte) []byte {
	if f == nil {
		return out
	}
	out = f.up.appendTo(out)
	if f.key == nil {
		out = append(out, '[')
		return append(strconv.AppendInt(out, int64(f.index), 10), ']')
	}
	if len(out) > 0 {
		out = append(out, '.')
	}
	return appendUnquoted(out, f.key)
}

// appendUnquoted appends the text that stands between the quotes of a JSON string.
func appendUnquoted(out, raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return append(out, raw...)
	}
	return append(out, jsontext.Unquote(raw)...)
}
