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
	keyStart, keyEnd int32  // without quotes; both 0 in arrays and at the root
	next             int32  // while a container is read: the one around it
	keys             uint64 // of an object: bit h for a key of hash h
	kind             kind
	hash             uint8 // of the key
	escaped          bool  // the string has escapes
	keyEscaped       bool
}

// hashOf is a number below 64. A bit for each key tells which keys an object cannot have, so that lookups of absent
// fields, which are most, cost next to nothing; of the others, most are told apart by the hash alone.
func hashOf(key string) uint8 {
	n := len(key)
	if n == 0 {
		return 0
	}
	return (key[0]*5 + key[n-1]*3 + uint8(n)*11) & 63
}

// Parse lays out a JSON text, which must be valid: the server has checked what it sends. An empty
// text and null are absent.
func Parse(json string) Node {
	json = strings.TrimSpace(json)
	if json == "" || json == "null" {
		return Node{}
	}
	return Node{doc: &doc{json, layout(json)}}
}

// layout goes over the text once. It is one loop with all its state in local variables, since it runs for every
// byte of every object and compiled WebAssembly is slow at anything else.
func layout(text string) []entry {
	entries := make([]entry, 0, len(text)/14+4)
	open := int32(-1) // the innermost container that is not closed yet
	var key entry     // of the value that comes next
	for i := 0; i < len(text); i++ {
		e := key
		e.start, e.next = int32(i), int32(len(entries)+1)
		switch c := text[i]; c {
		case '{', '[':
			e.kind = kindArray
			if c == '{' {
				e.kind = kindObject
			}
			e.next = open
			open = int32(len(entries))
			entries = append(entries, e)
		case '}', ']':
			done := open
			open = entries[done].next
			entries[done].end, entries[done].next = int32(i+1), int32(len(entries))
		case '"':
			escaped := false
			end := i + 1
			for ; text[end] != '"'; end++ {
				if text[end] == '\\' {
					escaped = true
					end++
				}
			}
			if open >= 0 && entries[open].kind == kindObject && key.keyStart == 0 {
				key.keyStart, key.keyEnd, key.keyEscaped = int32(i+1), int32(end), escaped
				if key.hash = hashOf(text[i+1 : end]); escaped {
					key.hash = hashOf(sdk.ParseValue(text[i : end+1]).String())
				}
				entries[open].keys |= 1 << key.hash
				i = end
				continue
			}
			e.kind, e.escaped, e.end = kindString, escaped, int32(end+1)
			entries = append(entries, e)
			i = end
		case ',', ':', ' ', '\n', '\t', '\r':
			continue
		default:
			end := i + 1
			for end < len(text) && !endsLiteral(text[end]) {
				end++
			}
			e.kind, e.end = literalKind(c), int32(end)
			entries = append(entries, e)
			i = end - 1
		}
		key = entry{}
	}
	return entries
}

func (d *doc) key(i int32) string {
	e := &d.entries[i]
	if e.keyEscaped {
		return sdk.ParseValue(d.text[e.keyStart-1 : e.keyEnd+1]).String()
	}
	return d.text[e.keyStart:e.keyEnd]
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
