// Package abitest proves that host and SDK speak the same ABI, and measures what the way through Wasm costs.
//
// It is a module of its own, since the server imports neither the SDK nor plugins. The strategy is package part: the guest
// in folder guest, which the tests build with the Go toolchain, has it in Wasm, and the tests call it natively as well.
package abitest
