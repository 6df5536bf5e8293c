package podspec

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk/field"
)

// place is the way to a field, like field.Path, and written only where there is something to report. It lives on
// the stack: RATIONALE.md says why.
type place struct {
	parent *place
	text   string
	number int32
	kind   placeKind
}

type placeKind uint8

const (
	placeField placeKind = iota // text; several steps have dots between them
	placeIndex                  // [number]
	placeKey                    // [text]
)

// root is the path of a field, or of the whole object when the text is empty.
func root(text string) place { return place{text: text} }

func (p place) child(name string) place { return place{parent: &p, text: name} }

func (p place) index(i int) place { return place{parent: &p, number: int32(i), kind: placeIndex} }

func (p place) key(key string) place { return place{parent: &p, text: key, kind: placeKey} }

// String writes the path as spec.ports[0].name.
func (p place) String() string { return string(p.append(nil)) }

func (p *place) append(dst []byte) []byte {
	if p.parent != nil {
		dst = p.parent.append(dst)
	}
	switch p.kind {
	case placeIndex:
		dst = append(dst, '[')
		dst = strconv.AppendInt(dst, int64(p.number), 10)
		return append(dst, ']')
	case placeKey:
		dst = append(dst, '[')
		dst = append(dst, p.text...)
		return append(dst, ']')
	}
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	return append(dst, p.text...)
}

// path is for the SDK's own checks.
func (p place) path() *field.Path { return field.NewPath(p.String()) }
