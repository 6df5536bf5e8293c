package host

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stratagem-dev/stratagem/engine"
)

// description is what stratagem_describe returns: see ABI.md.
type description struct {
	Name      string                `json:"name"`
	Version   string                `json:"version"`
	Resources []resourceDescription `json:"resources"`
}

type resourceDescription struct {
	Group            string                   `json:"group"`
	Resource         string                   `json:"resource"`
	Singular         string                   `json:"singular"`
	Kind             string                   `json:"kind"`
	ListKind         string                   `json:"listKind"`
	ShortNames       []string                 `json:"shortNames"`
	Categories       []string                 `json:"categories"`
	Scope            string                   `json:"scope"`
	KeyRoot          string                   `json:"keyRoot"`
	Versions         []versionDescription     `json:"versions"`
	Hooks            []string                 `json:"hooks"`
	Traits           []string                 `json:"traits"`
	Subresources     []subresourceDescription `json:"subresources"`
	SelectableFields []string                 `json:"selectableFields"`
	ResetFields      []string                 `json:"resetFields"`
}

type versionDescription struct {
	Name               string          `json:"name"`
	Served             bool            `json:"served"`
	Storage            bool            `json:"storage"`
	Deprecated         bool            `json:"deprecated"`
	DeprecationWarning string          `json:"deprecationWarning"`
	Hooks              bool            `json:"hooks"`
	Columns            []engine.Column `json:"columns"`
	Schema             json.RawMessage `json:"schema"`
}

type subresourceDescription struct {
	Name        string             `json:"name"`
	Hooks       []string           `json:"hooks"`
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

// parseDescription reads a description strictly: an unknown field is a mistake of the author.
func parseDescription(raw []byte) (*description, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var d description
	if err := decoder.Decode(&d); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("bytes follow the description")
	}
	return &d, nil
}
