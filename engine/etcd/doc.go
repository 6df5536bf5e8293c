// Package etcd implements engine.Storage over etcd v3. It is the only package that imports the etcd client.
//
// Its nouns, one file each:
//
//   - Server (embed.go): an etcd that runs inside this process, without an open port.
//   - Dial (client.go): the connection to an etcd that runs elsewhere.
//   - Storage (storage.go): keys, bytes and revisions, one file a verb: create.go, update.go,
//     delete.go, get.go, list.go, watch.go. Every write is one transaction (txn.go).
//   - stream (stream.go): an etcd watch that goes on where it was when the connection was lost.
//   - leases (lease.go): what makes keys go by themselves, shared between writes.
//   - Compactor (compact.go): forgets old revisions, once for all servers on one etcd.
//   - Cache (cache.go): a Storage that serves reads and watches of one prefix from memory: an immutable
//     index of items (cache_index.go) and a ring of events (cache_ring.go).
//   - hub (hub.go): the one watch that feeds all caches, and the barrier in front of their reads (barrier.go).
//
// What etcd's errors mean in the engine's terms is in errors.go; the choices are in RATIONALE.md.
package etcd
