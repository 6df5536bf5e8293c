// Package sdk is what a strategy plugin is written with.
//
// A plugin is a Go program whose init function calls Register with the resources it defines. What
// makes a resource different from others is its strategy: a plain Go value with some of the methods
// below, under the names that they have in Kubernetes' registry/rest package. Each of them is an
// interface of its own (strategy.go); one that is missing costs nothing.
//
// The nouns, one file each:
//
//   - Plugin, Resource, Version, Column, Subresource (plugin.go): what is served.
//   - the hooks (strategy.go): what a strategy may do, and when.
//   - Context (context.go): the request that a hook runs for.
//   - Object (object.go, edit.go, metadata.go) and Value (value.go): JSON, read and changed in place.
//   - Refusal (refusal.go): a "no" to a posted subresource.
//   - field, validate, labels, quantity: field errors and the checks that strategies share, with
//     Kubernetes' own texts.
//
// The program is compiled to WebAssembly, by stock Go or by TinyGo, and speaks the guest ABI of the
// server (frame.go, invoke.go, describe.go, export_wasm.go). Everything but the export file builds
// natively as well, so strategies are tested with plain go test: see package sdktest.
package sdk
