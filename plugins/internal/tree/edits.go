package tree

import (
	"slices"
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
)

// Edits are changes to the text behind a Node, applied all at once.
//
//   - A field is set at most once, and nothing inside a value that is replaced.
//   - Reading goes on seeing the text as it was.
type Edits struct {
	doc  *doc
	list []edit
}

// edit puts text in the place of [start, end); an added element brings its comma and, in an object, its key.
type edit struct {
	start, end int32
	key, text  string
	element    bool
}

// NewEdits are no changes yet to the whole text that root is in.
func NewEdits(root Node) *Edits { return &Edits{doc: root.doc} }

// Any tells whether there is a change.
func (e *Edits) Any() bool { return len(e.list) > 0 }

// Default sets a field of an object to a JSON text where there is nothing or null, and tells whether it did.
func (e *Edits) Default(object Node, key, json string) bool {
	if object.Has(key) {
		return false
	}
	e.Set(object, key, json)
	return true
}

// DefaultText is Default for a field whose empty string means that it is not set.
func (e *Edits) DefaultText(object Node, key, json string) bool {
	if object.Get(key).String() != "" {
		return false
	}
	e.Set(object, key, json)
	return true
}

// DefaultNumber is Default for a field whose 0 means that it is not set.
func (e *Edits) DefaultNumber(object Node, key, json string) bool {
	if object.Get(key).Int() != 0 {
		return false
	}
	e.Set(object, key, json)
	return true
}

// Set sets a field of an object to a JSON text.
func (e *Edits) Set(object Node, key, json string) {
	if i := object.find(key); i >= 0 {
		e.Replace(Node{object.doc, i}, json)
		return
	}
	if object.IsObject() {
		e.add(object, key, json)
	}
}

// Append adds a JSON text behind the last of an array.
func (e *Edits) Append(array Node, json string) {
	if array.IsArray() {
		e.add(array, "", json)
	}
}

// Replace puts a JSON text in the place of a value.
func (e *Edits) Replace(n Node, json string) {
	if at := &n.doc.entries[n.i]; n.Raw() != json {
		e.append(edit{start: at.start, end: at.end, text: json})
	}
}

func (e *Edits) add(container Node, key, text string) {
	last := container.doc.entries[container.i].end - 1
	e.append(edit{start: last, end: last, key: key, text: text, element: true})
}

func (e *Edits) append(change edit) {
	if e.list == nil {
		e.list = make([]edit, 0, 32)
	}
	e.list = append(e.list, change)
}

// Text is the text with the changes made.
func (e *Edits) Text() string {
	switch {
	case e.doc == nil:
		return ""
	case len(e.list) == 0:
		return e.doc.text
	}
	slices.SortStableFunc(e.list, func(a, b edit) int { return int(a.start - b.start) })
	size := len(e.doc.text)
	for i := range e.list {
		size += len(e.list[i].key) + len(e.list[i].text) + 4
	}
	dst := make([]byte, 0, size)
	at := int32(0)
	for i := range e.list {
		change := &e.list[i]
		dst = append(dst, e.doc.text[at:change.start]...)
		if change.element {
			for isSpace(dst[len(dst)-1]) {
				dst = dst[:len(dst)-1]
			}
			if last := dst[len(dst)-1]; last != '{' && last != '[' {
				dst = append(dst, ',')
			}
		}
		if change.key != "" {
			dst = append(appendQuoted(dst, change.key), ':')
		}
		dst = append(dst, change.text...)
		at = change.end
	}
	return string(append(dst, e.doc.text[at:]...))
}

// Quote is a string as JSON.
func Quote(s string) string { return string(appendQuoted(make([]byte, 0, len(s)+2), s)) }

// appendQuoted leaves the rare characters to the SDK.
func appendQuoted(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			var o sdk.Object
			o.Set(s, "s")
			return append(dst, strings.TrimSuffix(strings.TrimPrefix(o.Raw(), `{"s":`), "}")...)
		}
	}
	dst = append(append(dst, '"'), s...)
	return append(dst, '"')
}
