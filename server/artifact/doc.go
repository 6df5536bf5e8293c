// Package artifact fetches and publishes strategy plugins' modules: OCI registries and HTTPS servers.
//
// The nouns: Reference (what an oci:// URL names), Artifact (a module, the signatures that go with it, and where exactly it came
// from), Client (talks to registries and servers within bounds of size and time). In a registry a module is an OCI image manifest
// in the layout of the CNCF's Wasm working group:
//
//	config   application/vnd.wasm.config.v0+json   {"created":"1970-01-01T00:00:00Z","architecture":"wasm","os":"wasip1","layerDigests":["sha256:…"]}
//	layer    application/wasm                      the module; there is exactly one
//
// Each signature is a manifest of its own that has the module's manifest as its subject (a referrer), and one layer with the
// document. Its artifactType is sigstore's for sigstore's bundles, and application/vnd.stratagem.signature.v1+json for the others.
package artifact
