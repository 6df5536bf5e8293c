// Package engine is the generic store: the lifecycle that every resource shares, written once.
//
// Its nouns, one file each:
//
//   - Object (object.go): one Kubernetes object, as bytes in canonical form (canonical.go).
//   - Resource (resource.go): what is served: names, versions, schema, subresources.
//   - Strategy (strategy.go): what makes one resource different from the others, as hooks.
//     Wasm plugins (package host) and native Go types (native.go) stand behind the same interface.
//   - Storage (storage.go): keys, bytes and revisions; package engine/etcd implements it.
//   - Store (store.go): a Resource over a Storage, with one file a verb: create.go, update.go,
//     delete.go, get.go, list.go, watch.go.
//   - Snapshot (snapshot.go): all stores that are served at one moment, swapped as a whole.
//
// The engine knows no HTTP, no Wasm and no etcd client. Its errors (errors.go) are types that the
// server turns into a metav1.Status in one place.
package engine
