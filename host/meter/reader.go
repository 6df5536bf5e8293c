package meter

import (
	"fmt"
	"unicode/utf8"
)

// reader reads one stretch of the module and keeps the first error.
//
//   - After an error it stands at its end and every read returns zero, so callers check once, when they are done.
//   - Integers follow the specification to the bit: padding is allowed up to the size of the type, unused bits must
//     agree with the sign. A reader with other habits would see other instructions in the same bytes.
type reader struct {
	data     []byte // the whole module
	pos, end int
	section  string
	function int
	err      *Error
}

func newReader(data []byte, pos, end int, section string) reader {
	return reader{data: data, pos: pos, end: end, section: section, function: -1}
}

func (r *reader) fail(kind error, at int, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Err: kind, Section: r.section, Function: r.function, Offset: at, Detail: fmt.Sprintf(format, args...)}
	}
	r.pos = r.end
}

func (r *reader) malformed(at int, format string, args ...any) {
	r.fail(ErrMalformed, at, format, args...)
}

// result is the first error as an error, nil when there was none.
func (r *reader) result() error {
	if r.err != nil {
		return r.err
	}
	return nil
}

// finish reports bytes that nothing read.
func (r *reader) finish() error {
	if r.err == nil && r.pos != r.end {
		r.malformed(r.pos, "%d bytes left over", r.end-r.pos)
	}
	return r.result()
}

func (r *reader) byte() byte {
	if r.pos >= r.end {
		r.malformed(r.end, "unexpected end")
		return 0
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > r.end-r.pos {
		r.malformed(r.pos, "%d bytes expected, %d left", n, r.end-r.pos)
		return nil
	}
	b := r.data[r.pos : r.pos+n]
	r.pos += n
	return b
}

func (r *reader) u32() uint32 {
	at := r.pos
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		if shift == 28 && b > 0x0f {
			break
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.malformed(at, "integer is longer than 32 bits")
	return 0
}

func (r *reader) s32() int32 {
	at := r.pos
	var v int32
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		if shift == 28 && b>>3 != 0 && b>>3 != 0x0f {
			break
		}
		v |= int32(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 && shift < 28 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.malformed(at, "integer is longer than 32 bits")
	return 0
}

func (r *reader) skipS64() {
	at := r.pos
	for i := range 10 {
		b := r.byte()
		if i == 9 && b != 0 && b != 0x7f {
			break
		}
		if b < 0x80 {
			return
		}
	}
	r.malformed(at, "integer is longer than 64 bits")
}

// count reads the length of a vector: at most limit, and at most what the bytes left can hold.
func (r *reader) count(limit int, what string) int {
	at := r.pos
	n := r.u32()
	switch {
	case uint64(n) > uint64(r.end-r.pos):
		r.malformed(at, "%d %s do not fit", n, what)
	case int(n) > limit:
		r.fail(ErrLimit, at, "%d %s, at most %d", n, what, limit)
	default:
		return int(n)
	}
	return 0
}

func (r *reader) index(count int, what string) uint32 {
	at := r.pos
	i := r.u32()
	if r.err == nil && uint64(i) >= uint64(count) {
		r.malformed(at, "%s %d of %d", what, i, count)
	}
	return i
}

func (r *reader) name() string {
	at := r.pos
	b := r.bytes(int(r.u32()))
	if !utf8.Valid(b) {
		r.malformed(at, "name is not UTF-8")
		return ""
	}
	return string(b)
}

func (r *reader) valueType() byte {
	at := r.pos
	t := r.byte()
	switch {
	case r.err != nil, isValueType(t):
	case t == 0x7b:
		r.fail(ErrUnsupported, at, "type v128 (SIMD)")
	case t == 0x63 || t == 0x64:
		r.fail(ErrUnsupported, at, "typed function reference")
	case t == 0x69:
		r.fail(ErrUnsupported, at, "type exnref (exception handling)")
	default:
		r.malformed(at, "value type %#x", t)
	}
	return t
}

func (r *reader) refType() byte {
	at := r.pos
	t := r.valueType()
	if r.err == nil && t != typeFuncref && t != typeExternref {
		r.malformed(at, "%#x is not a reference type", t)
	}
	return t
}
