package schema

// maxOutput is how large an object may become by its defaults.
const maxOutput = 16 << 20

// edits are the changes between input and output, in order of position and without overlap.
type edits struct {
	list []edit
	grow int // the output's length less the input's
}

// edit replaces in[start:end] by text.
type edit struct {
	start, end int
	text       []byte
}

func (e *edits) replace(start, end int, text []byte) {
	e.list = append(e.list, edit{start, end, text})
	e.grow += len(text) - (end - start)
}

// cut removes the member in[start:end] of an object together with one comma. first: no member before it stays.
func (e *edits) cut(in []byte, start, end int, first bool) {
	switch {
	case !first:
		start--
	case end < len(in) && in[end] == ',':
		end++
	}
	e.replace(start, end, nil)
}

// tooLarge tells whether the output would exceed maxOutput by what was added.
func (e *edits) tooLarge(in []byte) bool { return e.grow > 0 && len(in)+e.grow > maxOutput }

// apply returns the output; the input itself when there is nothing to change.
func (e *edits) apply(in []byte) []byte {
	if len(e.list) == 0 {
		return in
	}
	out, from := make([]byte, 0, len(in)+e.grow), 0
	for i := range e.list {
		out = append(out, in[from:e.list[i].start]...)
		out = append(out, e.list[i].text...)
		from = e.list[i].end
	}
	return append(out, in[from:]...)
}
