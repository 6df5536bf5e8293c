// Package migration is the storage version migrator: it works on StorageVersionMigrations, as Kubernetes'
// kube-controller-manager does.
//
// A Controller finds the migrations that are to be done, a lease lets one server at a time work on a resource, a run is
// one migration: passes over all objects of the resource, each rewritten by an update that changes nothing. A ledger is
// where the versions are kept that objects may be stored in: the status of a CustomResourceDefinition or of a
// StrategyPlugin; at the end of a migration only the storage version is left there.
package migration
