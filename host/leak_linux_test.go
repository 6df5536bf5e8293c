package host

import (
	"bytes"
	"os"
	"testing"
)

// mappings is the number of areas of the process' address space.
func mappings(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(maps, []byte("\n"))
}

// Modules that fail at any step, and those that are closed, leave no memory behind.
func TestNoMemoryIsLeft(t *testing.T) {
	const rounds = 60
	before := mappings(t)
	for range rounds {
		for _, name := range []string{"start_traps", "data_out_of_range", "initialize_traps", "abi_version_wrong", "describes_nothing"} {
			if _, err := Load(t.Context(), guestFile(t, "testdata/hostile/"+name+".wasm"), "test@1", Options{}); err == nil {
				t.Fatal(name)
			}
		}
		m, err := Load(t.Context(), guestFile(t, "testdata/guests/remembers.wasm"), "test@1", Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := m.Resources[0].Strategy.(*Strategy)
		warningOf(t, s, "default", 4000)
		if err := m.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if after := mappings(t); after > before+rounds {
		t.Errorf("%d areas before, %d after %d rounds", before, after, rounds)
	}
}
