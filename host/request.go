package host

import (
	"encoding/json"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// The segments of a request frame; the items of ConvertToTable and Convert follow.
const (
	segmentRequest = iota
	segmentObject
	segmentOld
	segmentOptions
	requestSegments
)

// requestSegment is segment 0 of a request frame.
type requestSegment struct {
	Verb        string       `json:"verb,omitempty"`
	Group       string       `json:"group,omitempty"`
	Version     string       `json:"version,omitempty"`
	Resource    string       `json:"resource,omitempty"`
	Subresource string       `json:"subresource,omitempty"`
	Namespace   string       `json:"namespace,omitempty"`
	Name        string       `json:"name,omitempty"`
	User        *userSegment `json:"user,omitempty"`
	DryRun      bool         `json:"dryRun,omitempty"`
	Time        string       `json:"time,omitempty"`
}

type userSegment struct {
	Name   string   `json:"name,omitempty"`
	UID    string   `json:"uid,omitempty"`
	Groups []string `json:"groups,omitempty"`
}

// encodeCall lays a call out as the segments of a request frame.
func encodeCall(call *engine.Call) ([][]byte, error) {
	info := call.Request
	head := requestSegment{
		Verb: info.Verb, Group: info.Group, Version: info.Version, Resource: info.Resource, Subresource: info.Subresource,
		Namespace: info.Namespace, Name: info.Name, DryRun: info.DryRun,
	}
	if info.User.Name != "" {
		head.User = &userSegment{info.User.Name, info.User.UID, info.User.Groups}
	}
	if !info.Time.IsZero() {
		head.Time = info.Time.UTC().Format(time.RFC3339)
	}
	raw, err := json.Marshal(&head)
	if err != nil {
		return nil, err
	}
	segments := make([][]byte, requestSegments, requestSegments+len(call.Items))
	segments[segmentRequest], segments[segmentObject] = raw, call.Object
	segments[segmentOld], segments[segmentOptions] = call.Old, call.Options
	for _, item := range call.Items {
		segments = append(segments, item)
	}
	return segments, nil
}
