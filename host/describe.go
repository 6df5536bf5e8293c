package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/stratagem-dev/stratagem/engine"
)

// description is what stratagem_describe returns: see ABI.md.
type description struct {
	Name      string                    `json:"name"`
	Version   string                    `json:"version"`
	Resources list[resourceDescription] `json:"resources"`
	Reset     *resetDescription         `json:"reset"`
}

// resetDescription is how rarely an author asks instances to be reset.
type resetDescription struct {
	Every             int  `json:"every"`
	OnGrowth          bool `json:"onGrowth"`
	BetweenNamespaces bool `json:"betweenNamespaces"`
}

// check refuses what no Reset means.
func (d *resetDescription) check() error {
	if d.Every < 1 {
		return fmt.Errorf("reset.every is %d, it must be at least 1", d.Every)
	}
	return nil
}

type resourceDescription struct {
	Group            string                       `json:"group"`
	Resource         string                       `json:"resource"`
	Singular         string                       `json:"singular"`
	Kind             string                       `json:"kind"`
	ListKind         string                       `json:"listKind"`
	ShortNames       list[string]                 `json:"shortNames"`
	Categories       list[string]                 `json:"categories"`
	Scope            string                       `json:"scope"`
	Bind             bool                         `json:"bind"`
	KeyRoot          string                       `json:"keyRoot"`
	StoredAs         string                       `json:"storedAs"`
	Versions         list[versionDescription]     `json:"versions"`
	Hooks            list[string]                 `json:"hooks"`
	Traits           list[string]                 `json:"traits"`
	Subresources     list[subresourceDescription] `json:"subresources"`
	SelectableFields list[string]                 `json:"selectableFields"`
	FieldLabels      list[fieldLabelDescription]  `json:"fieldLabels"`
	ResetFields      list[string]                 `json:"resetFields"`
}

type fieldLabelDescription struct {
	Label string       `json:"label"`
	Paths list[string] `json:"paths"`
}

type versionDescription struct {
	Name               string              `json:"name"`
	Served             bool                `json:"served"`
	Storage            bool                `json:"storage"`
	Deprecated         bool                `json:"deprecated"`
	DeprecationWarning string              `json:"deprecationWarning"`
	Hooks              bool                `json:"hooks"`
	Columns            list[engine.Column] `json:"columns"`
	Schema             json.RawMessage     `json:"schema"`
}

type subresourceDescription struct {
	Name        string             `json:"name"`
	Hooks       list[string]       `json:"hooks"`
	Scale       *engine.Scale      `json:"scale"`
	Create      *createDescription `json:"create"`
	Unavailable string             `json:"unavailable"`
}

type createDescription struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Action  string `json:"action"`
}

// maxElements is how many elements a list in a description may have.
const maxElements = 256

// list is a list in a description. It is decoded one by one, so that a list of millions costs no memory.
type list[T any] []T

// UnmarshalJSON is as strict as parseDescription.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('[') {
		return fmt.Errorf("%.40s is not a list", raw)
	}
	for decoder.More() {
		if len(*l) == maxElements {
			return fmt.Errorf("a list has more than %d elements", maxElements)
		}
		var element T
		if err := decoder.Decode(&element); err != nil {
			return err
		}
		*l = append(*l, element)
	}
	return nil
}

// parseDescription reads a description strictly: an unknown field is a mistake of the author.
func parseDescription(raw []byte) (*description, error) {
	var d description
	if err := strictJSON(raw, &d, "the description"); err != nil {
		return nil, err
	}
	return &d, nil
}

// strictJSON decodes one JSON value without unknown fields, and nothing behind it.
func strictJSON(raw []byte, into any, what string) error {
	if !utf8.Valid(raw) {
		return errors.New(what + " is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("bytes follow " + what)
	}
	return nil
}
