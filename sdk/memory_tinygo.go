//go:build tinygo.wasm

package sdk

// TinyGo collects when its heap is full, within one call.
func beforeCall(int) {}

func collect() { garbage = 0 }

// reportPanic has nothing to do: TinyGo prints the message and traps, and cannot recover.
func reportPanic() {}
