package sdk

// garbage is about how many bytes the SDK has allocated since the last collection. Where the SDK
// owns garbage collection (memory_wasip1.go) it says when one is due.
var garbage int

func allocated(n int) {
	garbage += n
	if garbage > garbageLimit {
		collect()
	}
}

// garbageLimit is where a collection is due in the middle of a call.
const garbageLimit = 16 << 20
