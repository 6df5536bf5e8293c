package host

import (
	"encoding/json"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// The segments of a request frame; the items of ConvertToTable, Convert and Decorate follow.
const (
	segmentRequest = iota
	segmentObject
	segmentOld
	segmentOptions
	requestSegments
)

// encodeCall lays a call out as the segments of a request frame.
func encodeCall(call *engine.Call) [][]byte {
	segments := make([][]byte, requestSegments, requestSegments+len(call.Items))
	segments[segmentRequest] = appendRequest(make([]byte, 0, 320), call.Request)
	segments[segmentObject], segments[segmentOld], segments[segmentOptions] = call.Object, call.Old, call.Options
	for _, item := range call.Items {
		segments = append(segments, item)
	}
	return segments
}

// appendRequest appends segment 0 of a request frame. It is written by hand since every call needs one.
func appendRequest(out []byte, info *engine.RequestInfo) []byte {
	out = append(out, '{')
	for _, f := range [...]struct{ key, value string }{
		{"verb", info.Verb}, {"group", info.Group}, {"version", info.Version}, {"resource", info.Resource},
		{"subresource", info.Subresource}, {"namespace", info.Namespace}, {"name", info.Name},
	} {
		if f.value != "" {
			out = appendText(appendKey(out, f.key), f.value)
		}
	}
	if info.User.Name != "" {
		out = appendUser(appendKey(out, "user"), info.User)
	}
	if info.DryRun {
		out = append(appendKey(out, "dryRun"), "true"...)
	}
	if !info.Time.IsZero() {
		out = append(appendKey(out, "time"), '"')
		out = append(info.Time.UTC().AppendFormat(out, time.RFC3339), '"')
	}
	return append(out, '}')
}

func appendUser(out []byte, user engine.User) []byte {
	out = append(out, '{')
	out = appendText(appendKey(out, "name"), user.Name)
	if user.UID != "" {
		out = appendText(appendKey(out, "uid"), user.UID)
	}
	if len(user.Groups) > 0 {
		out = append(appendKey(out, "groups"), '[')
		for i, group := range user.Groups {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendText(out, group)
		}
		out = append(out, ']')
	}
	return append(out, '}')
}

// appendKey appends a member's key, behind a comma unless it is the first.
func appendKey(out []byte, key string) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	return append(append(append(out, '"'), key...), '"', ':')
}

// appendText appends a JSON string.
func appendText(out []byte, text string) []byte {
	for i := range len(text) {
		if b := text[i]; b < 0x20 || b > 0x7e || b == '"' || b == '\\' {
			escaped, _ := json.Marshal(text)
			return append(out, escaped...)
		}
	}
	return append(append(append(out, '"'), text...), '"')
}
