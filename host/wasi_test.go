package host

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/wazerotest"
)

// wasiGuest calls WASI functions as a guest of one page would.
type wasiGuest struct {
	guest
	mod api.Module
}

func newWASIGuest() *wasiGuest {
	memory := wazerotest.NewMemory(wazerotest.PageSize)
	return &wasiGuest{guest{budget: 1_000_000, clock: firstTime, log: guestLog{limit: 16}}, wazerotest.NewModule(memory)}
}

func (g *wasiGuest) call(name string, args ...uint64) uint64 {
	stack := append(args, 0)
	wasiCall(wasiFunctions[name].call).Call(withGuest(context.Background(), &g.guest), g.mod, stack)
	return stack[0]
}

func (g *wasiGuest) put(at uint32, words ...uint32) {
	for i, w := range words {
		g.mod.Memory().WriteUint32Le(at+4*uint32(i), w)
	}
}

func (g *wasiGuest) read(at, n uint32) []byte {
	b, _ := g.mod.Memory().Read(at, n)
	return b
}

func TestWASIRandomIsFixed(t *testing.T) {
	a, b := newWASIGuest(), newWASIGuest()
	for _, g := range []*wasiGuest{a, b} {
		if code := g.call("random_get", 8, 21); code != wasiOK {
			t.Fatal(code)
		}
	}
	if !bytes.Equal(a.read(8, 21), b.read(8, 21)) || bytes.Equal(a.read(8, 8), a.read(16, 8)) {
		t.Errorf("%x and %x", a.read(8, 21), b.read(8, 21))
	}
	if code := a.call("random_get", wazerotest.PageSize-1, 2); code != wasiFault {
		t.Errorf("outside of the memory: %d", code)
	}
	if a.pending < 2*hostCallFuel+21 {
		t.Errorf("%d units for 23 bytes", a.pending)
	}
}

func TestWASIWriteGoesToTheLog(t *testing.T) {
	g := newWASIGuest()
	g.mod.Memory().WriteString(100, "hello, world, and good bye")
	g.put(0, 100, 5, 105, 21)
	if code := g.call("fd_write", 2, 0, 2, 64); code != wasiOK || binary.LittleEndian.Uint32(g.read(64, 4)) != 26 {
		t.Errorf("%d, %d written", code, binary.LittleEndian.Uint32(g.read(64, 4)))
	}
	if g.log.String() != "hello, world, an" || g.log.dropped != 10 {
		t.Errorf("%q and %d dropped", g.log.String(), g.log.dropped)
	}
	for name, c := range map[string]struct {
		args []uint64
		want uint64
	}{
		"a file":                      {[]uint64{3, 0, 1, 64}, wasiBadFile},
		"no vectors":                  {[]uint64{1, 0, 0, 64}, wasiOK},
		"too many vectors":            {[]uint64{1, 0, maxVectors + 1, 64}, wasiInvalid},
		"vectors outside the memory":  {[]uint64{1, wazerotest.PageSize - 4, 1, 64}, wasiFault},
		"an answer outside of memory": {[]uint64{1, 0, 1, math.MaxUint32}, wasiFault},
	} {
		if code := g.call("fd_write", c.args...); code != c.want {
			t.Errorf("%s: %d, want %d", name, code, c.want)
		}
	}
}

// subscribe lays out clock subscriptions with these timeouts; a negative one is a file.
func (g *wasiGuest) subscribe(at uint32, absolute bool, timeouts ...int64) {
	for i, timeout := range timeouts {
		s := at + uint32(i)*subscriptionSize
		g.mod.Memory().Write(s, make([]byte, subscriptionSize))
		g.put(s, uint32(i)+1)
		if timeout < 0 {
			g.put(s+8, 1)
			continue
		}
		g.mod.Memory().WriteUint64Le(s+24, uint64(timeout))
		if absolute {
			g.put(s+40, 1)
		}
	}
}

// time is what the guest's clock shows.
func (g *wasiGuest) time() uint64 {
	g.call("clock_time_get", 0, 1, 512)
	return binary.LittleEndian.Uint64(g.read(512, 8))
}

func TestWASITimePassesInSleep(t *testing.T) {
	g := newWASIGuest()
	if a, b := g.time(), g.time(); a != firstTime || b != firstTime {
		t.Errorf("the clock runs: %d, %d", a, b)
	}
	g.subscribe(1000, false, 700, 300, 300)
	if code := g.call("poll_oneoff", 1000, 2000, 3, 520); code != wasiOK || g.time() != firstTime+300 {
		t.Errorf("%d at %d", code, g.time())
	}
	if n := binary.LittleEndian.Uint32(g.read(520, 4)); n != 2 || g.read(2000, 1)[0] != 2 || g.read(2000+eventSize, 1)[0] != 3 {
		t.Errorf("%d events, %x", n, g.read(2000, 2*eventSize))
	}
	g.subscribe(1000, true, 100)
	if code := g.call("poll_oneoff", 1000, 2000, 1, 520); code != wasiOK || g.time() != firstTime+300 {
		t.Errorf("of a moment that is over: %d at %d", code, g.time())
	}
	g.subscribe(1000, false, -1, 50)
	if code := g.call("poll_oneoff", 1000, 2000, 2, 520); code != wasiOK || g.time() != firstTime+300 || g.read(2008, 1)[0] != wasiBadFile {
		t.Errorf("of a file: %d at %d, %x", code, g.time(), g.read(2000, eventSize))
	}
	g.subscribe(1000, false, math.MaxInt64)
	g.call("poll_oneoff", 1000, 2000, 1, 520)
	g.call("poll_oneoff", 1000, 2000, 1, 520)
	if code := g.call("poll_oneoff", 1000, 2000, 1, 520); code != wasiOK || g.time() != math.MaxUint64 {
		t.Errorf("for ever: %d at %d", code, g.time())
	}
	for _, args := range [][]uint64{{1000, 2000, 0, 520}, {1000, 2000, maxVectors + 1, 520}} {
		if code := g.call("poll_oneoff", args...); code != wasiInvalid {
			t.Errorf("%v: %d", args, code)
		}
	}
	for _, args := range [][]uint64{{wazerotest.PageSize - 8, 2000, 1, 520}, {1000, wazerotest.PageSize - 8, 1, 520}, {1000, 2000, 1, math.MaxUint32}} {
		if code := g.call("poll_oneoff", args...); code != wasiFault {
			t.Errorf("%v: %d", args, code)
		}
	}
}

func TestWASIHasNothingToReach(t *testing.T) {
	g := newWASIGuest()
	for name, f := range wasiFunctions {
		want := map[string]uint64{
			"args_get": wasiOK, "environ_get": wasiOK, "args_sizes_get": wasiOK, "environ_sizes_get": wasiOK, "sched_yield": wasiOK,
			"clock_res_get": wasiOK, "clock_time_get": wasiOK, "random_get": wasiOK, "poll_oneoff": wasiInvalid,
		}
		expected, listed := want[name]
		switch {
		case listed:
		case f.call == nil:
			expected = wasiNoSystem
		case strings.HasPrefix(name, "fd_"):
			expected = wasiBadFile
		default:
			continue // proc_exit, below
		}
		if code := g.call(name, make([]uint64, len(f.params))...); code != expected {
			t.Errorf("%s answers %d, want %d", name, code, expected)
		}
	}
	for _, name := range []string{"args_sizes_get", "environ_sizes_get"} {
		g.put(0, 1, 1)
		g.call(name, 0, 4)
	}
	if sizes := g.read(0, 8); !bytes.Equal(sizes, make([]byte, 8)) {
		t.Errorf("arguments or environment: %x", sizes)
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, errExit) {
			t.Errorf("proc_exit ended with %v", err)
		}
	}()
	g.call("proc_exit", 3)
}

func TestHostCallsArePaid(t *testing.T) {
	g := newWASIGuest()
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, errOutOfFuel) {
			t.Errorf("ended with %v", err)
		}
		if g.pending <= g.budget {
			t.Errorf("%d of %d used", g.pending, g.budget)
		}
	}()
	for range 1_000_000/hostCallFuel + 1 {
		g.call("sched_yield")
	}
}
