// Package controllers is what the controllers inside the server share: Cluster (what they see of the server), Feed
// (every change of every served resource), Queue (work to be done, with its retries) and Objects (reading and writing
// by reference).
//
// The controllers themselves are gc (the garbage collector over ownerReferences), namespaces (the deletion of what
// a terminating namespace holds) and migration (the rewriting of stored objects in the storage version). Each may run on several servers over one etcd at once: what they do is decided by
// live reads, and every write names the uid and the resourceVersion it was decided on.
package controllers
