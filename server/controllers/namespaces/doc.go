// Package namespaces deletes what is in a namespace that is being deleted, with the behaviour of Kubernetes' namespace
// controller: it goes on until nothing is left, tells in the namespace's conditions what remains, and then takes its
// finalizer off spec.finalizers, with which the namespace goes.
package namespaces
