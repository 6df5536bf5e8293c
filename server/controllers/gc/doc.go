// Package gc is the garbage collector over metadata.ownerReferences, with the behaviour of Kubernetes'.
//
//   - graph.go: which object depends on which, by uid, as the feed tells it.
//   - collect.go: an object whose owners are all gone is deleted; one that has lost some forgets those.
//   - foreground.go: an owner with the finalizer foregroundDeletion goes behind the dependents that block it.
//   - orphan.go: an owner with the finalizer orphan goes once no dependent names it any more.
//   - edit.go: what the collector changes in metadata.
//
// The graph only says where to look. What is done is decided by live reads, and every deletion names the uid and
// the resourceVersion that were read, so that several servers may collect at once.
package gc
