package sdk

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestFrameRoundTrip(t *testing.T) {
	for _, segments := range [][]string{
		{},
		{""},
		{"", "", ""},
		{"a", "", strings.Repeat("x", 70000), "\x00\xff"},
	} {
		frame := string(AppendFrame([]byte("kept"), segments...))
		got, err := DecodeFrame(strings.TrimPrefix(frame, "kept"))
		if err != nil || !slices.Equal(got, segments) {
			t.Errorf("%d segments: %d came back, %v", len(segments), len(got), err)
		}
	}
}

func TestDecodeFrameRefuses(t *testing.T) {
	good := string(AppendFrame(nil, "one", "", "three"))
	bad := []string{
		good + "x",                         // something behind the last segment
		"\xff\xff\xff\xff",                 // a count without segments
		"\xff\xff\xff\x3f" + good,          // a count that would take 4 GiB
		"\x01\x00\x00\x00\xff\xff\xff\xff", // a length without bytes
		"\x01\x00\x00\x00\x02\x00\x00\x00x",
	}
	for n := range len(good) { // cut off anywhere
		bad = append(bad, good[:n])
	}
	for _, frame := range bad {
		if segments, err := DecodeFrame(frame); !errors.Is(err, ErrFrame) {
			t.Errorf("%q: %q, %v", frame, segments, err)
		}
	}
}

func FuzzDecodeFrame(f *testing.F) {
	f.Add(string(AppendFrame(nil, "one", "", "three")))
	f.Fuzz(func(t *testing.T, frame string) {
		segments, err := DecodeFrame(frame)
		if err == nil && string(AppendFrame(nil, segments...)) != frame {
			t.Errorf("%q is not what its segments make", frame)
		}
	})
}
