//go:build wasip1 && !tinygo

package sdk

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Stock Go cannot finish a collection between two exported calls: one that begins by itself stays
// half done, and memory grows without end. So it is switched off, and the SDK collects: before a
// call, when enough has been allocated since the last time, or in the middle of a call that copies
// very much (allocated).
const (
	bytesPerCollection = 4 << 20
	callsPerLook       = 16 // a look costs about as much as a tenth of a small hook
)

var (
	calls     int
	collected uint64 // what had been allocated at the last collection
	heap      = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
)

func init() {
	debug.SetGCPercent(-1)
	metrics.Read(heap) // sets up its tables now, so that they are in a snapshot of the fresh instance
}

// beforeCall collects when it is time.
func beforeCall() {
	if garbage > bytesPerCollection {
		collect()
	}
	if calls++; calls%callsPerLook != 0 {
		return
	}
	metrics.Read(heap)
	if heap[0].Value.Uint64()-collected > bytesPerCollection {
		collect()
	}
}

func collect() {
	runtime.GC()
	metrics.Read(heap)
	garbage, collected = 0, heap[0].Value.Uint64()
}
