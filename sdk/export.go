//go:build wasip1 || tinygo.wasm

package sdk

import "unsafe"

// The exports of the guest ABI. RATIONALE.md says who owns which buffer.
var (
	requestBuffer []byte // handed out by stratagem_reserve, fresh for each call
	replyBuffer   []byte // the last reply, used again for the next
	current       call   // the last call, used again for the next
)

// keptReply is the largest reply buffer that is kept for the next call.
const keptReply = 1 << 20

//go:wasmexport stratagem_abi_version
func abiVersion() int32 { return 1 }

//go:wasmexport stratagem_describe
func describe() int64 {
	return span(module().Describe())
}

//go:wasmexport stratagem_reserve
func reserve(n int32) int32 {
	requestBuffer = nil
	size := int(uint32(n))
	beforeCall(size)
	requestBuffer = make([]byte, size, size+1)
	allocated(size)
	return int32(uintptr(unsafe.Pointer(unsafe.SliceData(requestBuffer))))
}

//go:wasmexport stratagem_invoke
func invoke(hooks int64, n int32) int64 {
	defer reportPanic()
	return answer(hooks, n, false)
}

//go:wasmexport stratagem_invoke_whole
func invokeWhole(hooks int64, n int32) int64 {
	defer reportPanic()
	return answer(hooks, n, true)
}

func answer(hooks int64, n int32, whole bool) int64 {
	size := int(uint32(n))
	if size > len(requestBuffer) {
		panic("stratagem_invoke of more bytes than were reserved")
	}
	frame := unsafe.String(unsafe.SliceData(requestBuffer), size)
	if cap(replyBuffer) > keptReply {
		replyBuffer = nil
	}
	reply, err := module().invoke(&current, replyBuffer[:0], uint64(hooks), frame, whole)
	if err != nil {
		panic(err)
	}
	replyBuffer = reply
	return span(reply)
}

// span is how the ABI returns bytes: ptr<<32 | len. They must stay reachable from a global.
func span(b []byte) int64 {
	pinned = b
	ptr := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	return int64(uint64(ptr)<<32 | uint64(uint32(len(b))))
}

var pinned []byte

func module() *Module {
	if registered == nil {
		panic("the program has not called sdk.Register in an init function")
	}
	return registered
}

//go:wasmimport stratagem log
func hostLog(level uint32, ptr unsafe.Pointer, n uint32)

// logLine writes to the server's log.
func logLine(level Level, line string) {
	hostLog(uint32(level), unsafe.Pointer(unsafe.StringData(line)), uint32(len(line)))
}

//go:wasmimport stratagem read
func hostQuery(ptr unsafe.Pointer, n uint32) uint32

//go:wasmimport stratagem read_answer
func hostAnswer(ptr unsafe.Pointer)

// hostRead sends a query to the server and takes the frame of its answer. A plugin that reads nothing does not import it.
func hostRead(query string) string {
	n := hostQuery(unsafe.Pointer(unsafe.StringData(query)), uint32(len(query)))
	if n == 0 {
		return ""
	}
	frame := make([]byte, n)
	allocated(len(frame))
	hostAnswer(unsafe.Pointer(unsafe.SliceData(frame)))
	return text(frame)
}
