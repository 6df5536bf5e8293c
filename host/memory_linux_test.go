package host

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// memories are the ways in which a memory can be: mapped with and without the kernel's notes, and on the heap.
func memories() map[string]func() *linearMemory {
	const first, most = 512 << 10, 2 << 20
	return map[string]func() *linearMemory{
		"mapped": func() *linearMemory { return newLinearMemory(first, most) },
		"heap": func() *linearMemory {
			return &linearMemory{region: &region{bytes: make([]byte, most)}, usable: first, size: first}
		},
	}
}

func TestMemoryStaysWhereItIs(t *testing.T) {
	for name, make := range memories() {
		t.Run(name, func(t *testing.T) {
			m := make()
			defer m.Free()
			small := m.Reallocate(512 << 10)
			small[0], small[512<<10-1] = 1, 2
			large := m.Reallocate(2 << 20)
			if len(large) != 2<<20 || &large[0] != &small[0] || large[512<<10-1] != 2 || large[512<<10] != 0 {
				t.Error("it moved")
			}
			if m.Reallocate(2<<20+1) != nil {
				t.Error("it grew beyond its maximum")
			}
		})
	}
}

func TestMemoryReset(t *testing.T) {
	tracker := writes
	defer func() { writes = tracker }()
	for _, tracked := range []bool{true, false} {
		if writes = tracker; !tracked {
			writes = func() *writeTracker { return nil }
		}
		for name, make := range memories() {
			m := make()
			testMemoryReset(t, m)
			if watched := m.watch != nil; watched && (!tracked || name == "heap") {
				t.Errorf("%s memory is watched", name)
			}
			m.Free()
		}
	}
}

// testMemoryReset writes at random, to some pages in each round, and expects the snapshot after each reset.
func testMemoryReset(t *testing.T, m *linearMemory) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	snapshot := make([]byte, 512<<10)
	for i := range snapshot {
		snapshot[i] = byte(i * 7)
	}
	for round := range hotResets + 50 {
		all := m.Reallocate(min(1<<20, 512<<10+uint64(round)<<12))
		for range 1 + random.IntN(20) {
			all[random.IntN(len(all))]++
		}
		for hot := range 10 {
			all[hot<<14]++
		}
		m.Reset(snapshot)
		if !bytes.Equal(all[:len(snapshot)], snapshot) {
			t.Fatalf("round %d: it is not the snapshot", round)
		}
		if tail := all[len(snapshot):]; !bytes.Equal(tail, make([]byte, len(tail))) {
			t.Fatalf("round %d: something is left behind it", round)
		}
	}
}

// What a memory had grown to is empty when it grows there again, whether it was kept or given back to the system.
func TestMemoryThatShrank(t *testing.T) {
	const first, most = 64 << 10, 3 * keepGrown
	for name, m := range map[string]*linearMemory{
		"mapped": newLinearMemory(first, most),
		"heap":   {region: &region{bytes: make([]byte, most)}, usable: first, size: first},
	} {
		snapshot := make([]byte, first)
		for round, size := range []uint64{most, most / 2, first, most} {
			all := m.Reallocate(size)
			if !bytes.Equal(all, make([]byte, size)) {
				t.Errorf("%s: something is left in round %d", name, round)
			}
			for at := range all {
				all[at] = 1
			}
			m.Reset(snapshot)
			m.shrink = first
			if got := m.Reallocate(size + 1); len(got) != first {
				t.Errorf("%s: it has %d bytes", name, len(got))
			}
			m.shrink = 0
		}
		m.Free()
	}
}

func TestMemoryIsGivenBackOnce(t *testing.T) {
	m := newLinearMemory(1<<16, 1<<20)
	m.Free()
	m.Free()
	if m.Reallocate(1<<16) != nil {
		t.Error("it can be used afterwards")
	}
	none := newLinearMemory(0, 0)
	if none.Reallocate(1) != nil {
		t.Error("a memory of nothing grew")
	}
	none.Free()
}
