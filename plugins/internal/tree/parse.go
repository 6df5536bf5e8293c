package tree

import (
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
)

// doc is a text and its values in the order of the text: a value, then what is in it.
type doc struct {
	text    string
	entries []entry
}

type kind uint8

const (
	kindNull kind = iota
	kindTrue
	kindFalse
	kindNumber
	kindString
	kindArray
	kindObject
)

// entry is one value: its text, the key it is under, and the place behind all that is in it.
type entry struct {
	start, end       int32
	keyStart, keyEnd int32 // without quotes; both 0 in arrays and at the root
	next             int32
	kind             kind
	escaped          bool // the string has escapes
	keyEscaped       bool
}

// Parse lays out a JSON text, which must be valid: the server has checked what it sends. An empty
// text and null are absent.
func Parse(json string) Node {
	json = strings.TrimSpace(json)
	if json == "" || json == "null" {
		return Node{}
	}
	d := &doc{text: json, entries: make([]entry, 0, len(json)/14+4)}
	p := parser{doc: d}
	p.value(entry{})
	return Node{doc: d}
}

func (d *doc) key(i int32) string {
	e := &d.entries[i]
	if e.keyEscaped {
		return sdk.ParseValue(d.text[e.keyStart-1 : e.keyEnd+1]).String()
	}
	return d.text[e.keyStart:e.keyEnd]
}

type parser struct {
	doc *doc
	at  int32
}

// value reads one value; e has its key.
func (p *parser) value(e entry) {
	text := p.doc.text
	i := int32(len(p.doc.entries))
	e.start = p.at
	switch text[p.at] {
	case '{':
		e.kind = kindObject
		p.doc.entries = append(p.doc.entries, e)
		p.object()
	case '[':
		e.kind = kindArray
		p.doc.entries = append(p.doc.entries, e)
		p.array()
	case '"':
		e.kind = kindString
		e.escaped = p.skipString()
		p.doc.entries = append(p.doc.entries, e)
	default:
		e.kind = literalKind(text[p.at])
		for int(p.at) < len(text) && !endsLiteral(text[p.at]) {
			p.at++
		}
		p.doc.entries = append(p.doc.entries, e)
	}
	p.doc.entries[i].end = p.at
	p.doc.entries[i].next = int32(len(p.doc.entries))
}

func (p *parser) object() {
	for p.more('}') {
		e := entry{keyStart: p.at + 1}
		e.keyEscaped = p.skipString()
		e.keyEnd = p.at - 1
		p.skipSpace()
		p.at++ // the colon
		p.skipSpace()
		p.value(e)
	}
}

func (p *parser) array() {
	for p.more(']') {
		p.value(entry{})
	}
}

// more steps over the bracket or comma before the next element; false at the end.
func (p *parser) more(end byte) bool {
	p.skipSpace()
	if p.doc.text[p.at] == end {
		p.at++
		return false
	}
	p.at++
	p.skipSpace()
	if p.doc.text[p.at] == end { // of an empty object or array
		p.at++
		return false
	}
	return true
}

// skipString steps over a string and tells whether it has escapes.
func (p *parser) skipString() (escaped bool) {
	text := p.doc.text
	for p.at++; text[p.at] != '"'; p.at++ {
		if text[p.at] == '\\' {
			escaped = true
			p.at++
		}
	}
	p.at++
	return escaped
}

func (p *parser) skipSpace() {
	for int(p.at) < len(p.doc.text) && isSpace(p.doc.text[p.at]) {
		p.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func endsLiteral(c byte) bool { return c == ',' || c == '}' || c == ']' || isSpace(c) }

func literalKind(first byte) kind {
	switch first {
	case 'n':
		return kindNull
	case 't':
		return kindTrue
	case 'f':
		return kindFalse
	}
	return kindNumber
}
