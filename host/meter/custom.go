package meter

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// nameSection is the custom section that engines take function names from.
const nameSection = "name"

// CustomSection finds the custom section of that name and returns its data, which shares the module's bytes.
//
//   - Only the outline of the module is checked.
//   - A name that comes twice is an error.
func CustomSection(wasm []byte, name string) ([]byte, bool, error) {
	o, err := split(wasm)
	if err != nil {
		return nil, false, err
	}
	var data []byte
	found := false
	for _, c := range o.customs {
		if c.name != name {
			continue
		}
		if found {
			return nil, false, &Error{Err: ErrMalformed, Section: sectionNames[secCustom], Function: -1, Offset: c.at,
				Detail: fmt.Sprintf("second section %q", name)}
		}
		data, found = wasm[c.data.start:c.data.end], true
	}
	return data, found, nil
}

// AppendCustomSection returns a copy of the module with one more custom section at its end.
//
//   - A module that already has a section of that name is refused.
func AppendCustomSection(wasm []byte, name string, data []byte) ([]byte, error) {
	if name == "" || !utf8.ValidString(name) {
		return nil, fmt.Errorf("custom section name %q: %w", name, ErrMalformed)
	}
	_, found, err := CustomSection(wasm, name)
	if err != nil {
		return nil, err
	}
	if found {
		return nil, fmt.Errorf("custom section %q is already there: %w", name, ErrReserved)
	}
	return appendCustom(slices.Clone(wasm), name, data), nil
}

// functionNames reads a name section and returns what is kept of it: the names of the module and of its functions.
//
//   - It returns nil when the section is broken, which by the specification is no reason to refuse the module.
//   - Local names are left out: nothing prints them, and engines allocate by counts in them that they do not check.
func functionNames(r *reader) []byte {
	kept := []byte{}
	last := -1
	for r.err == nil && r.pos < r.end {
		start := r.pos
		id := int(r.byte())
		content := r.bytes(int(r.u32()))
		if id <= last {
			return nil
		}
		last = id
		sub := newReader(r.data, r.pos-len(content), r.pos, r.section)
		switch id {
		case 0:
			sub.name()
		case 1:
			for range sub.count(len(content), "names") {
				sub.u32()
				sub.name()
			}
		default:
			continue
		}
		if sub.finish() != nil {
			return nil
		}
		kept = append(kept, r.data[start:r.pos]...)
	}
	if r.err != nil {
		return nil
	}
	return kept
}
