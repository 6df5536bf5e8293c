package managed

import (
	"bytes"
	"errors"
	"slices"
	"time"
)

// errEntries reports managedFields that Kubernetes would not decode.
var errEntries = errors.New("the managed fields cannot be decoded")

// entry is one manager's share: one element of managedFields. The texts are as they stand between the quotes.
type entry struct {
	manager, operation, apiVersion, subresource, time []byte

	raw  []byte // FieldsV1 as it was read; nil once the set has changed
	root int32  // of the set
}

var (
	applyOperation  = []byte("Apply")
	updateOperation = []byte("Update")
)

// same tells whether two entries are of the same manager. An applier keeps its entry when it changes to another version.
func (e *entry) same(o *entry) bool {
	return bytes.Equal(e.manager, o.manager) && bytes.Equal(e.operation, o.operation) && bytes.Equal(e.subresource, o.subresource) &&
		(e.applied() || bytes.Equal(e.apiVersion, o.apiVersion))
}

func (e *entry) applied() bool { return bytes.Equal(e.operation, applyOperation) }

// decodeEntries reads managedFields, with the sets of fields into a tree.
func (t *tree) decodeEntries(entries []entry, raw []byte) ([]entry, error) {
	if raw == nil || classOf(raw, 0) == isNull {
		return entries, nil
	}
	if classOf(raw, 0) != isList {
		return nil, errEntries
	}
	for i := 1; i < len(raw) && raw[i] != ']'; {
		if classOf(raw, i) != isMap {
			return nil, errEntries
		}
		e, end, err := t.decodeEntry(raw, i)
		if err != nil {
			return nil, err
		}
		if at := slices.IndexFunc(entries, func(o entry) bool { return o.same(&e) }); at >= 0 {
			entries[at] = e
		} else {
			entries = append(entries, e)
		}
		i = after(raw, end)
	}
	return entries, nil
}

func (t *tree) decodeEntry(raw []byte, i int) (e entry, end int, err error) {
	var fieldsType []byte
	for i++; ; {
		key, value, ok := member(raw, i)
		if !ok {
			break
		}
		if string(key) == "fieldsV1" {
			plain := false
			if e.root, plain, end, err = t.decode(raw, value); err != nil {
				return e, 0, err
			}
			if plain {
				e.raw = raw[value:end]
			}
			i = after(raw, end)
			continue
		}
		end := valueEnd(raw, value)
		switch string(key) {
		case "manager":
			e.manager = text(raw[value:end])
		case "operation":
			e.operation = text(raw[value:end])
		case "apiVersion":
			e.apiVersion = text(raw[value:end])
		case "subresource":
			e.subresource = text(raw[value:end])
		case "time":
			e.time = timestamp(text(raw[value:end]))
		case "fieldsType":
			fieldsType = text(raw[value:end])
		}
		i = after(raw, end)
	}
	if !e.applied() && !bytes.Equal(e.operation, updateOperation) || len(e.apiVersion) == 0 || string(fieldsType) != "FieldsV1" {
		return e, 0, errEntries
	}
	if e.root == 0 {
		e.root = t.push(0, nil)
	}
	return e, pastClose(raw, i), nil
}

// timestamp is a time as the server writes it.
func timestamp(text []byte) []byte {
	if len(text) == 20 && text[19] == 'Z' || len(text) == 0 {
		return text
	}
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return nil
	}
	return formatTime(t)
}

func formatTime(t time.Time) []byte { return t.UTC().AppendFormat(nil, time.RFC3339) }

// epoch stands for the time of an entry that has none.
var epoch = []byte("1970-01-01T00:00:00Z")

func (e *entry) when() []byte {
	if e.time == nil {
		return epoch
	}
	return e.time
}

// sortEntries brings entries into Kubernetes' order: appliers first, then by time and name.
func sortEntries(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		for _, pair := range [...][2][]byte{
			{a.operation, b.operation}, {a.when(), b.when()}, {a.manager, b.manager}, {a.apiVersion, b.apiVersion}, {a.subresource, b.subresource},
		} {
			if c := bytes.Compare(pair[0], pair[1]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// appendEntries appends entries as managedFields.
func (t *tree) appendEntries(out []byte, entries []entry) []byte {
	out = append(out, '[')
	for i := range entries {
		if i > 0 {
			out = append(out, ',')
		}
		out = t.appendEntry(out, &entries[i])
	}
	return append(out, ']')
}

func (t *tree) appendEntry(out []byte, e *entry) []byte {
	out = append(append(append(out, `{"apiVersion":"`...), e.apiVersion...), `","fieldsType":"FieldsV1","fieldsV1":`...)
	if e.raw != nil {
		out = append(out, e.raw...)
	} else {
		out = t.appendSet(out, e.root)
	}
	if len(e.manager) > 0 {
		out = append(append(append(out, `,"manager":"`...), e.manager...), '"')
	}
	out = append(append(append(out, `,"operation":"`...), e.operation...), '"')
	if len(e.subresource) > 0 {
		out = append(append(append(out, `,"subresource":"`...), e.subresource...), '"')
	}
	if len(e.time) > 0 {
		out = append(append(append(out, `,"time":"`...), e.time...), '"')
	}
	return append(out, '}')
}
