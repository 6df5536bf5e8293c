package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
)

// Case is a request with what is expected of it, as it stands in a file.
type Case struct {
	Name      string          `json:"name"`
	Operation string          `json:"operation"`
	Input     json.RawMessage `json:"input"`
	Old       json.RawMessage `json:"old"`
	Version   string          `json:"version"` // of a get or patch
	User      *User           `json:"user"`
	Time      *time.Time      `json:"time"`
	Expect    Expect          `json:"expect"`

	// Others are what hooks may read, by the name of the resource: "configmaps", "deployments.apps".
	Others map[string][]json.RawMessage `json:"others"`
}

// User is who asks.
type User struct {
	Name   string   `json:"name"`
	UID    string   `json:"uid"`
	Groups []string `json:"groups"`
}

// Expect is what is to come of a request.
//
//   - Errors and Warnings are all that there may be, each with its whole text.
//   - Of the object's metadata only what is named is compared, likewise apiVersion and kind; of the rest everything.
//   - MaxFuel bounds what all hooks together may take, each called by itself.
type Expect struct {
	Object   json.RawMessage `json:"object,omitempty"`
	Errors   []string        `json:"errors,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	Message  *string         `json:"message,omitempty"` // of a posted subresource
	Deleted  *bool           `json:"deleted,omitempty"`
	MaxFuel  int64           `json:"maxFuel,omitempty"`
}

// parseCase reads one case strictly: a misspelt field is no expectation.
func parseCase(text []byte) (Case, error) {
	var c Case
	if err := yaml.UnmarshalStrict(text, &c); err != nil {
		return c, err
	}
	if c.Name == "" {
		return c, errors.New("name is required")
	}
	if c.Operation == "" {
		return c, fmt.Errorf("case %q: operation is required", c.Name)
	}
	return c, nil
}

// Request is what the case asks.
func (c *Case) Request() (req Request, err error) {
	req = Request{Operation: c.Operation, Version: c.Version}
	if req.Input, err = object("input", c.Input); err != nil {
		return req, err
	}
	if req.Old, err = object("old", c.Old); err != nil {
		return req, err
	}
	if req.Others, err = parseOthers(c.Others); err != nil {
		return req, err
	}
	if c.User != nil {
		req.User = engine.User{Name: c.User.Name, UID: c.User.UID, Groups: c.User.Groups}
	}
	if c.Time != nil {
		req.Time = *c.Time
	}
	return req, nil
}

func object(field string, raw json.RawMessage) (engine.Object, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	obj, _, err := engine.ParseObject(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	return obj, nil
}
