package controllers

import (
	"context"

	"github.com/stratagem-dev/stratagem/engine"
)

// Cluster is what controllers see of the server.
type Cluster interface {
	// Snapshot is what is served now, and a channel that is closed when something else is.
	Snapshot() (*engine.Snapshot, <-chan struct{})
	// Refresh makes what is served agree with what is active in the storage. Its error says what cannot be served.
	Refresh(ctx context.Context) error
}

// User is who a controller is when it writes.
func User(name string) engine.User {
	return engine.User{
		Name:   "system:serviceaccount:kube-system:" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
	}
}
