// Package host turns a .wasm file into strategies: it verifies, meters, compiles, pools, calls and swaps modules.
// It is the only place where wazero is known. The contract with the guest is ABI.md.
//
// How a call crosses into Wasm, in the order of the files:
//
//   - Strategy.Run (strategy.go) takes an instance from the Pool (pool.go), which is bounded; no lock is held
//     while the guest runs.
//   - instance.invoke (instance.go) writes one frame (frame.go) into the guest's memory, sets the fuel, calls
//     stratagem_invoke and copies one frame out.
//   - decodeReply (reply.go) reads the verdict; guard (guard.go) refuses what a hook may not change.
//
// What bounds it: fuel, memory pages, the size of a reply, the bytes that may be logged (limits.go). When a guest traps, runs
// out of fuel or breaks the ABI, its instance is thrown away, the error (an *engine.HookError) names plugin, hook and cause,
// and nothing is stored.
//
// Load (load.go) verifies a module once and asks it to describe itself (describe.go).
package host
