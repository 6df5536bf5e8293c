// Package host turns a .wasm file into strategies: it verifies, meters, compiles, pools, calls and resets modules.
// It is the only place where wazero is known. The contract with the guest is ABI.md, the reasons are in RATIONALE.md.
//
// How a call crosses into Wasm, in the order of the files:
//
//   - Strategy.Run (strategy.go) takes an instance from the pool (pool.go), which is bounded; no lock is held
//     while the guest runs.
//   - instance.call (call.go) writes one frame (frame.go, request.go) into the guest's memory, sets the fuel, calls
//     stratagem_invoke and finds one frame there.
//   - In the middle of a call the guest gives way, slice by slice of its fuel (fuel.go); long calls wait there (pace.go).
//   - decodeReply (reply.go, verdict.go) reads the verdict and copies what it keeps; guard (guard.go) refuses what a hook may not change.
//   - Module.release (reset.go) brings the instance back to the snapshot (snapshot.go), where it is due.
//
// What bounds it: fuel, memory pages, the sizes of replies, objects and texts, the bytes that may be logged (limits.go). What a
// guest can call is in wasi.go and log.go. When a guest traps, runs out of fuel or breaks the ABI, its instance is thrown away,
// the error (an *engine.HookError) names plugin, hook and cause, and nothing is stored.
//
// Load (load.go) verifies a module once (verify.go), asks it to describe itself (describe.go, resource.go, names.go,
// versions.go), lets it warm up (warmup.go) and takes the snapshot that all its instances start from. Their memory
// (memory_linux.go) never moves, and the kernel tells which pages of it a call has written to (writes_linux.go, watch_linux.go).
package host
