package host

import (
	"bytes"
	"slices"
	"testing"
)

func TestFrame(t *testing.T) {
	for _, segments := range [][][]byte{nil, {nil}, {{}, []byte("a"), {}}, {bytes.Repeat([]byte("x"), 70_000), []byte("{}")}} {
		frame := make([]byte, frameSize(segments))
		writeFrame(frame, segments)
		got, err := readFrame(frame)
		if err != nil || !slices.EqualFunc(got, segments, bytes.Equal) {
			t.Errorf("%d segments came back as %d: %v", len(segments), len(got), err)
		}
		for cut := range min(len(frame), 100) {
			if got, err := readFrame(frame[:cut]); err == nil {
				t.Errorf("the first %d of %d bytes are %d segments", cut, len(frame), len(got))
			}
		}
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x01\x00\x00\x00a\x00\x00\x00\x00"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, frame []byte) {
		segments, err := readFrame(frame)
		if err != nil {
			return
		}
		again := make([]byte, frameSize(segments))
		if writeFrame(again, segments); !bytes.Equal(again, frame) {
			t.Errorf("%x became %x", frame, again)
		}
	})
}
