//go:build !wasip1 && !tinygo.wasm

package sdk

// collect leaves garbage to the Go runtime.
func collect() { garbage = 0 }

// logLine writes to standard error.
func logLine(_ Level, line string) { println(line) }

// hostRead has no server to ask.
func hostRead(string) string {
	return string(AppendFrame(nil, `{"code":403,"reason":"Forbidden","message":"there is no server to read from; in a test see sdktest.Run.Others"}`))
}
