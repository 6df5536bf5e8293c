package schema

import "fmt"

// CompileError reports a schema document that cannot be compiled.
type CompileError struct {
	// Path is where: "#/properties/spec/type", or "#/components/schemas/NAME/…".
	Path   string
	Reason string
}

func (e *CompileError) Error() string { return e.Path + ": " + e.Reason }

// TypeError reports a value of a type that its field does not take.
type TypeError struct {
	Path     string // "spec.replicas"; empty for the object itself
	Found    string // what stands there, in encoding/json's words: "string", "number 1.5", "object"
	Expected string // the type of the field: "int32", "[]v1.Container", "map[string]string"
	// Cause is set where the type is right but the text is not: a malformed time.
	Cause error
}

func (e *TypeError) Error() string {
	switch {
	case e.Cause != nil:
		return e.Cause.Error()
	case e.Path == "":
		return fmt.Sprintf("json: cannot unmarshal %s into value of type %s", e.Found, e.Expected)
	}
	return fmt.Sprintf("json: cannot unmarshal %s into field %s of type %s", e.Found, e.Path, e.Expected)
}

func (e *TypeError) Unwrap() error { return e.Cause }

// SyntaxError reports bytes that are not canonical JSON.
type SyntaxError struct{ Offset int }

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not canonical JSON at offset %d", e.Offset)
}

// SizeError reports an object that defaults would make larger than Limit bytes.
type SizeError struct{ Limit int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("with its defaults the object is larger than %d bytes", e.Limit)
}
