//go:build !wasip1 && !tinygo.wasm

package sdk

// collect leaves garbage to the Go runtime.
func collect() { garbage = 0 }

// logLine writes to standard error.
func logLine(_ Level, line string) { println(line) }
