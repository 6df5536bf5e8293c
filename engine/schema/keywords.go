package schema

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// keywords are the keywords of a schema object that Compile understands. Those with false say nothing about which
// objects are taken and are ignored.
var keywords = map[string]bool{
	"$ref": true, "type": true, "format": true, "nullable": true, "default": true,
	"properties": true, "additionalProperties": true, "items": true, "required": true, "enum": true,
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
	"minLength": true, "maxLength": true, "pattern": true, "minItems": true, "maxItems": true, "uniqueItems": true,
	"minProperties": true, "maxProperties": true, "allOf": true, "anyOf": true, "oneOf": true, "not": true,
	"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-int-or-string": true,
	"x-kubernetes-embedded-resource": true, "x-kubernetes-list-type": true, "x-kubernetes-list-map-keys": true,
	"x-kubernetes-patch-strategy": true, "x-kubernetes-patch-merge-key": true,

	"title": false, "description": false, "example": false, "externalDocs": false, "deprecated": false,
	"x-kubernetes-map-type": false, "x-kubernetes-group-version-kind": false, "x-kubernetes-unions": false,
	"x-kubernetes-selectable-fields": false,
}

// besideRef are the keywords that may stand beside a reference.
var besideRef = map[string]bool{
	"$ref": true, "allOf": true, "default": true, "nullable": true,
	"x-kubernetes-patch-strategy": true, "x-kubernetes-patch-merge-key": true,
}

// keywordDoc is one schema object of the document.
type keywordDoc struct {
	members map[string]any
	path    string
}

// object makes sure that a part of the document is a schema object whose keywords are all understood.
func (c *compiler) object(tree any, path string) (keywordDoc, error) {
	members, ok := tree.(map[string]any)
	if !ok {
		return keywordDoc{}, fail(path, "must be an object")
	}
	for keyword := range members {
		_, known := keywords[keyword]
		known = known || c.custom && keyword == "x-kubernetes-validations"
		if !known && (!strings.HasPrefix(keyword, "x-") || strings.HasPrefix(keyword, "x-kubernetes-")) {
			return keywordDoc{}, fail(path+"/"+pointer(keyword), "this keyword is not supported")
		}
	}
	return keywordDoc{members, path}, nil
}

// reference is the $ref of a schema object, be it plain or the only part of an allOf, as kube-apiserver writes it. Empty: none.
func (doc keywordDoc) reference() (string, error) {
	ref, err := doc.text("$ref")
	if err != nil {
		return "", err
	}
	if parts, ok := doc.members["allOf"].([]any); ok && ref == "" {
		for _, part := range parts {
			part, _ := part.(map[string]any)
			if inner, ok := part["$ref"].(string); !ok {
				continue
			} else if len(parts) != 1 || len(part) != 1 {
				return "", fail(doc.path+"/allOf", "a $ref must stand alone in it")
			} else {
				ref = inner
			}
		}
	}
	if ref == "" {
		return "", nil
	}
	for keyword := range doc.members {
		if keywords[keyword] && !besideRef[keyword] {
			return "", fail(doc.path+"/"+keyword, "this keyword is not supported beside a $ref")
		}
	}
	return ref, nil
}

// attributes sets what a schema object says about the place where it stands.
func (doc keywordDoc) attributes(u *use) (err error) {
	if _, ok := doc.members["nullable"]; ok {
		if u.nullable, err = doc.flag("nullable"); err != nil {
			return err
		}
	}
	if value, ok := doc.members["default"]; ok {
		if u.raw, err = jsontext.AppendTree(nil, value); err != nil {
			return fail(doc.path+"/default", "%v", err)
		}
		if value == nil {
			u.raw = nil
		}
	}
	if u.patchStrategy, err = doc.text("x-kubernetes-patch-strategy"); err != nil {
		return err
	}
	u.patchMergeKey, err = doc.text("x-kubernetes-patch-merge-key")
	return err
}

// text is the value of a keyword that takes a string, or "".
func (doc keywordDoc) text(keyword string) (string, error) {
	text, ok := doc.members[keyword].(string)
	if _, there := doc.members[keyword]; there && !ok {
		return "", fail(doc.path+"/"+keyword, "must be a string")
	}
	return text, nil
}

// flag is the value of a keyword that takes a boolean, or false.
func (doc keywordDoc) flag(keyword string) (bool, error) {
	flag, ok := doc.members[keyword].(bool)
	if _, there := doc.members[keyword]; there && !ok {
		return false, fail(doc.path+"/"+keyword, "must be a boolean")
	}
	return flag, nil
}

// texts is the value of a keyword that takes an array of strings, or nil.
func (doc keywordDoc) texts(keyword string) ([]string, error) {
	value, there := doc.members[keyword]
	if !there {
		return nil, nil
	}
	elements, ok := value.([]any)
	texts := make([]string, len(elements))
	for i, element := range elements {
		texts[i], ok = element.(string)
		if !ok {
			break
		}
	}
	if !ok {
		return nil, fail(doc.path+"/"+keyword, "must be an array of strings")
	}
	return texts, nil
}

// schemas is the value of a keyword that takes an object of schemas, or nil.
func (doc keywordDoc) schemas(keyword string) (map[string]any, error) {
	schemas, ok := doc.members[keyword].(map[string]any)
	if _, there := doc.members[keyword]; there && !ok {
		return nil, fail(doc.path+"/"+keyword, "must be an object")
	}
	return schemas, nil
}

// list is the value of a keyword that takes an array, or nil.
func (doc keywordDoc) list(keyword string) ([]any, error) {
	list, ok := doc.members[keyword].([]any)
	if _, there := doc.members[keyword]; there && !ok {
		return nil, fail(doc.path+"/"+keyword, "must be an array")
	}
	return list, nil
}

// number is the value of a keyword that takes a number, or nil.
func (doc keywordDoc) number(keyword string) (*float64, error) {
	value, there := doc.members[keyword]
	if !there {
		return nil, nil
	}
	number, _ := value.(json.Number)
	f, err := number.Float64()
	if err != nil {
		return nil, fail(doc.path+"/"+keyword, "must be a number")
	}
	return &f, nil
}

// count is the value of a keyword that takes a count, or nil.
func (doc keywordDoc) count(keyword string) (*int64, error) {
	f, err := doc.number(keyword)
	if f == nil || err != nil {
		return nil, err
	}
	if *f < 0 || *f != math.Trunc(*f) || *f > math.MaxInt32 {
		return nil, fail(doc.path+"/"+keyword, "must be a count")
	}
	n := int64(*f)
	return &n, nil
}
