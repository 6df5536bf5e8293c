// Command sites is a controller for a kind of its own, as one writes it for Kubernetes with controller-runtime: Go types and a
// CustomResourceDefinition, defaults by its schema, a status with conditions, a finalizer, events, and several replicas of which
// one leads. The server needs to know nothing of it.
//
//	kubectl apply -f examples/controller/sites/crd.yaml
//	KUBECONFIG=stratagem-data/kubeconfig go run ./examples/controller/sites
//
// types.go and deepcopy.go are the kind, reconcile.go is what is done about it, directory.go what has to be undone when it goes.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	log.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil)))
	namespace := flag.String("leader-election-namespace", "default", "where the Lease lies that decides who leads")
	lease := flag.Duration("lease-duration", 15*time.Second, "how long a replica that is gone is waited for")
	flag.Parse()
	if err := run(signals.SetupSignalHandler(), *namespace, *lease); err != nil {
		fmt.Fprintln(os.Stderr, "sites:", err)
		os.Exit(1)
	}
}

// name is that of the Lease and of the reporter of events.
const name = "sites.web.example.org"

// run reconciles, while it leads, until ctx ends.
func run(ctx context.Context, namespace string, lease time.Duration) error {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, addSites} {
		if err := add(known); err != nil {
			return err
		}
	}
	access, err := config.GetConfig()
	if err != nil {
		return err
	}
	renew, retry := lease*2/3, lease/5
	m, err := manager.New(access, manager.Options{
		Scheme: known, Metrics: server.Options{BindAddress: "0"}, LeaderElection: true, LeaderElectionID: name, LeaderElectionNamespace: namespace,
		LeaseDuration: &lease, RenewDeadline: &renew, RetryPeriod: &retry,
	})
	if err != nil {
		return err
	}
	r := &reconciler{client: m.GetClient(), events: m.GetEventRecorder(name)}
	if err := builder.ControllerManagedBy(m).For(&Site{}).Owns(&corev1.ConfigMap{}).Complete(r); err != nil {
		return err
	}
	go func() {
		select {
		case <-m.Elected():
			log.Log.Info("this replica leads")
		case <-ctx.Done():
		}
	}()
	return m.Start(ctx)
}
