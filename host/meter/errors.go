package meter

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong with a module; every *Error wraps one of them.
var (
	ErrMalformed   = errors.New("malformed")
	ErrUnsupported = errors.New("unsupported")
	ErrLimit       = errors.New("limit exceeded")
	ErrReserved    = errors.New("reserved name")
)

// Error tells why a module was refused, and where.
type Error struct {
	Err      error  // one of the sentinels above
	Section  string // "code", "type", …; "" for the module's outline
	Function int    // index in the function index space, -1 outside of the code section
	Offset   int    // byte offset in the module
	Detail   string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("wasm: ")
	if e.Section != "" {
		fmt.Fprintf(&b, "%s section: ", e.Section)
	}
	if e.Function >= 0 {
		fmt.Fprintf(&b, "function %d: ", e.Function)
	}
	fmt.Fprintf(&b, "offset %#x: %v: %s", e.Offset, e.Err, e.Detail)
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }
