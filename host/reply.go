package host

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"unicode/utf8"

	"github.com/stratagem-dev/stratagem/engine"
)

// The segments of a reply frame; the items of Convert and Decorate follow.
const (
	segmentOutcome = iota
	segmentReplyObject
	segmentErrors
	segmentWarnings
	segmentResult
	replySegments

	segmentPrepared = replySegments // of a reply from stratagem_invoke_whole
)

// The outcomes that a guest can report.
const (
	outcomeOK       = 0
	outcomeRejected = 1
	outcomeError    = 2
)

// AuthorError is what the author's code returned as an error.
type AuthorError struct{ Message string }

func (e *AuthorError) Error() string { return e.Message }

// errMalformed marks replies that break the ABI.
var errMalformed = errors.New("malformed reply")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errMalformed}, args...)...)
}

// decodeReply reads a reply frame and copies what it keeps of it. The hook is the one that decided. An error is *AuthorError or wraps errMalformed.
func decodeReply(frame []byte, hooks engine.Hooks, call *engine.Call, limits *tally) (reply engine.Reply, hook engine.Hook, err error) {
	segments, err := readFrame(frame)
	if err != nil {
		return reply, 0, malformed("%v", err)
	}
	expected := replySegments
	if hooks&whole != 0 {
		expected++
	}
	if len(segments) < expected {
		return reply, 0, malformed("it has %d segments, not %d", len(segments), expected)
	}
	head := segments[segmentOutcome]
	if len(head) != 8 {
		return reply, 0, malformed("the outcome has %d bytes, not 8", len(head))
	}
	for i, segment := range segments[:expected] {
		if i != segmentOutcome && !utf8.Valid(segment) {
			return reply, 0, malformed("segment %d is not UTF-8", i)
		}
	}
	outcome, number := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	if number == 0 || number >= 64 || !hooks.Has(engine.Hook(number)) {
		return reply, 0, malformed("hook %d decided, which was not asked for", number)
	}
	hook = engine.Hook(number)
	switch outcome {
	case outcomeOK:
		if last := lastHook(hooks); hook != last {
			return reply, hook, malformed("all is well after %s, but %s was asked for too", hook, last)
		}
		reply, err = decodeOK(segments, hooks, call, limits)
	case outcomeRejected:
		reply, err = decodeRejected(segments, hook, limits)
	case outcomeError:
		err = &AuthorError{cut(string(segments[segmentErrors]), maxMessageRunes)}
	default:
		err = malformed("outcome %d is not known", outcome)
	}
	return reply, hook, err
}

func decodeOK(segments [][]byte, hooks engine.Hooks, call *engine.Call, limits *tally) (engine.Reply, error) {
	reply := engine.Reply{Object: call.Object}
	var err error
	if raw := segments[segmentReplyObject]; len(raw) > 0 {
		if hooks&mutating == 0 || call.Object == nil {
			return reply, malformed("it has an object, and none of the hooks may change one")
		}
		if reply.Object, err = parseObject(raw, call.Object, limits); err != nil {
			return reply, malformed("the object: %w", err)
		}
	}
	if reply.Warnings, err = decodeWarnings(segments[segmentWarnings], limits); err != nil {
		return reply, malformed("the warnings: %v", err)
	}
	if raw := segments[segmentResult]; len(raw) > 0 {
		if !json.Valid(raw) {
			return reply, malformed("the result is not JSON")
		}
		reply.Result = bytes.Clone(raw)
	}
	if hooks&whole != 0 {
		if reply.Prepared = reply.Object; len(segments[segmentPrepared]) > 0 {
			if reply.Prepared, err = parseObject(segments[segmentPrepared], call.Object, limits); err != nil {
				return reply, malformed("the prepared object: %w", err)
			}
		}
		segments = segments[1:]
	}
	items, expected := segments[replySegments:], 0
	read := parseConverted
	if hooks.Has(engine.Convert) || hooks.Has(engine.Decorate) {
		expected = len(call.Items)
	}
	if hooks.Has(engine.Decorate) {
		read = parseObject
	}
	if len(items) != expected {
		return reply, malformed("it has %d items, not %d", len(items), expected)
	}
	for i, raw := range items {
		obj, err := read(raw, call.Items[i], limits)
		if err != nil {
			return reply, malformed("item %d: %w", i, err)
		}
		reply.Items = append(reply.Items, obj)
	}
	return reply, nil
}

// lastHook is the one that runs last.
func lastHook(hooks engine.Hooks) engine.Hook { return engine.Hook(bits.Len64(uint64(hooks)) - 1) }

// parseObject reads an object of a reply and refuses what a hook may not change.
func parseObject(raw []byte, before engine.Object, limits *tally) (engine.Object, error) {
	if len(raw) > int(limits.ObjectBytes) {
		return nil, exceeds(LimitObjectBytes, fmt.Errorf("it has %d bytes, at most %d are allowed", len(raw), limits.ObjectBytes))
	}
	if bytes.Equal(raw, before) {
		return before, nil
	}
	after, _, err := engine.ParseObject(bytes.Clone(raw))
	if err != nil {
		return nil, err
	}
	return after, guard(before, after)
}

// parseConverted reads an item of Convert's reply. The engine holds it against the version that was asked for, and takes no
// more of its metadata than labels and annotations.
func parseConverted(raw []byte, before engine.Object, limits *tally) (engine.Object, error) {
	if len(raw) > int(limits.ObjectBytes) {
		return nil, exceeds(LimitObjectBytes, fmt.Errorf("it has %d bytes, at most %d are allowed", len(raw), limits.ObjectBytes))
	}
	after, _, err := engine.ParseObject(bytes.Clone(raw))
	if err != nil {
		return nil, err
	}
	return after, guardConverted(before, after)
}

// mutating are the hooks whose reply may have an object.
var mutating = engine.HooksOf(engine.Default, engine.PrepareForCreate, engine.PrepareForUpdate, engine.Canonicalize, engine.CreateSubresource)
