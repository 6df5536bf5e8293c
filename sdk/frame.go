package sdk

import (
	"errors"
	"slices"
)

// The segments of a request frame; from segItems on there are items.
const (
	segRequest = iota
	segObject
	segOld
	segOptions
	segItems
)

// The segments of a reply frame; from replyItems on there are items.
const (
	replyOutcome = iota
	replyObject
	replyErrors
	replyWarnings
	replyResult
	replyItems
)

// ErrFrame is returned for bytes that are not a frame: segments cut off, or bytes behind the last.
var ErrFrame = errors.New("malformed frame")

// DecodeFrame cuts a frame into its segments, which are parts of it. A segment of length 0 is absent.
func DecodeFrame(frame string) ([]string, error) { return decodeFrame(nil, frame) }

// decodeFrame appends the segments to segments.
func decodeFrame(segments []string, frame string) ([]string, error) {
	if len(frame) < 4 {
		return nil, ErrFrame
	}
	count, rest := u32(frame), frame[4:]
	if uint64(count)*4 > uint64(len(rest)) {
		return nil, ErrFrame
	}
	segments = slices.Grow(segments, int(count))
	for range count {
		if len(rest) < 4 {
			return nil, ErrFrame
		}
		n := u32(rest)
		rest = rest[4:]
		if uint64(n) > uint64(len(rest)) {
			return nil, ErrFrame
		}
		segments, rest = append(segments, rest[:n]), rest[n:]
	}
	if rest != "" {
		return nil, ErrFrame
	}
	return segments, nil
}

// AppendFrame appends the frame of the given segments to dst.
func AppendFrame(dst []byte, segments ...string) []byte {
	dst = appendU32(dst, uint32(len(segments)))
	for _, s := range segments {
		dst = appendSegment(dst, s)
	}
	return dst
}

func appendSegment[T string | []byte](dst []byte, segment T) []byte {
	return append(appendU32(dst, uint32(len(segment))), segment...)
}

// endSegment fills in the length of the segment that begins at at, where four bytes are left for it.
func endSegment(dst []byte, at int) []byte {
	putU32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

func u32(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func appendU32(dst []byte, n uint32) []byte {
	return append(dst, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

func putU32(dst []byte, n uint32) {
	dst[0], dst[1], dst[2], dst[3] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
}
