package host

import (
	"encoding/binary"
	"fmt"
)

// maxSegments bounds the number of segments that a reply may claim to have.
const maxSegments = 1 << 20

// frameSize is the size of the frame of some segments.
func frameSize(segments [][]byte) int {
	size := 4
	for _, s := range segments {
		size += 4 + len(s)
	}
	return size
}

// writeFrame writes the frame of some segments to dst, which has frameSize bytes.
func writeFrame(dst []byte, segments [][]byte) {
	binary.LittleEndian.PutUint32(dst, uint32(len(segments)))
	at := 4
	for _, s := range segments {
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(s)))
		at += 4 + copy(dst[at+4:], s)
	}
}

// readFrame cuts a frame into its segments, which share its bytes.
func readFrame(frame []byte) ([][]byte, error) {
	if len(frame) < 4 {
		return nil, fmt.Errorf("a frame of %d bytes has no segment count", len(frame))
	}
	count, rest := binary.LittleEndian.Uint32(frame), frame[4:]
	if count > maxSegments || uint64(count)*4 > uint64(len(rest)) {
		return nil, fmt.Errorf("the frame claims %d segments in %d bytes", count, len(frame))
	}
	segments := make([][]byte, count)
	for i := range segments {
		if len(rest) < 4 {
			return nil, fmt.Errorf("segment %d has no length", i)
		}
		n := binary.LittleEndian.Uint32(rest)
		if rest = rest[4:]; uint64(n) > uint64(len(rest)) {
			return nil, fmt.Errorf("segment %d claims %d bytes, %d are left", i, n, len(rest))
		}
		segments[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes follow the last segment", len(rest))
	}
	return segments, nil
}
