package protobuf

import (
	"encoding/binary"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// A message may take this many bytes of memory for each of its own, and some for nothing: the
// most wasteful real objects stay below a tenth of it.
const (
	memoryPerByte = 16
	memoryForFree = 4 << 20
	maxDepth      = 64
)

// The wire types of protobuf. Groups (3 and 4) are long gone and occur in no Kubernetes message.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// budget is the memory that is left to a message. It counts what the generated decoder will
// allocate: array elements, map entries and pointed-to structs.
type budget int

// affordable walks the message along the type of obj and refuses it if decoding it would take
// memory out of all proportion.
func affordable(obj any, message []byte) error {
	left := budget(len(message)*memoryPerByte + memoryForFree)
	return left.message(reflect.TypeOf(obj).Elem(), message, 0)
}

func (b *budget) spend(size int) error {
	if *b -= budget(size); *b < 0 {
		return ErrTooLarge
	}
	return nil
}

// message spends what the fields of a message of struct type t take.
func (b *budget) message(t reflect.Type, data []byte, depth int) error {
	if depth > maxDepth {
		return ErrTooDeep
	}
	fields := fieldsOf(t)
	for len(data) > 0 {
		number, payload, rest, err := next(data)
		if err != nil {
			return err
		}
		data = rest
		field, known := fields[number]
		if !known || payload == nil {
			continue
		}
		if err := b.field(field, payload, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// field spends what one occurrence of a field of type t takes.
func (b *budget) field(t reflect.Type, payload []byte, depth int) error {
	switch t.Kind() {
	case reflect.Struct:
		return b.message(t, payload, depth)
	case reflect.Pointer:
		return b.element(t.Elem(), payload, depth)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return nil
		}
		return b.element(t.Elem(), payload, depth)
	case reflect.Map:
		if err := b.spend(int(t.Key().Size())); err != nil {
			return err
		}
		return b.entry(t.Elem(), payload, depth)
	}
	return nil
}

// element spends what a new value of type t takes. Anything but a struct may be a list in disguise,
// of numbers packed into one field or of strings in a message of their own: at most eight bytes
// for each of the payload's.
func (b *budget) element(t reflect.Type, payload []byte, depth int) error {
	if err := b.spend(int(t.Size())); err != nil {
		return err
	}
	if t.Kind() == reflect.Struct {
		return b.message(t, payload, depth)
	}
	return b.spend(8 * len(payload))
}

// entry spends what the value of a map entry takes: field 2 of the entry's message.
func (b *budget) entry(t reflect.Type, data []byte, depth int) error {
	for len(data) > 0 {
		number, payload, rest, err := next(data)
		if err != nil {
			return err
		}
		data = rest
		if number != 2 || payload == nil {
			continue
		}
		if err := b.element(t, payload, depth); err != nil {
			return err
		}
	}
	return nil
}

// next splits the first field off data. The payload is nil for fields that are mere numbers.
func next(data []byte) (number int, payload, rest []byte, err error) {
	key, n := binary.Uvarint(data)
	if n <= 0 {
		return 0, nil, nil, ErrMalformed
	}
	number = int(int32(key >> 3)) // the generated decoder drops the upper bits too
	data = data[n:]
	size := uint64(0)
	switch key & 7 {
	case wireVarint:
		if _, n = binary.Uvarint(data); n <= 0 {
			return 0, nil, nil, ErrMalformed
		}
		size = uint64(n)
	case wireFixed64:
		size = 8
	case wireFixed32:
		size = 4
	case wireBytes:
		length, n := binary.Uvarint(data)
		if n <= 0 || length > uint64(len(data)-n) {
			return 0, nil, nil, ErrMalformed
		}
		data = data[n:]
		return number, data[:length:length], data[length:], nil
	default:
		return 0, nil, nil, ErrMalformed
	}
	if size > uint64(len(data)) {
		return 0, nil, nil, ErrMalformed
	}
	return number, nil, data[size:], nil
}

var fieldCache sync.Map // reflect.Type → map[int]reflect.Type

// fieldsOf returns the types of the fields that may take memory of their own, by field number.
func fieldsOf(t reflect.Type) map[int]reflect.Type {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.(map[int]reflect.Type)
	}
	fields := map[int]reflect.Type{}
	for i := range t.NumField() {
		field := t.Field(i)
		// The tag is like "bytes,2,opt,name=spec".
		parts := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(parts) < 2 {
			continue
		}
		if number, err := strconv.Atoi(parts[1]); err == nil {
			fields[number] = field.Type
		}
	}
	fieldCache.Store(t, fields)
	return fields
}
