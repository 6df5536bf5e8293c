// Command controller is a controller as one writes it for Kubernetes, with controller-runtime: it keeps a Deployment for each
// CronTab and reports in the CronTab's status. The server needs to know nothing of it.
//
//	KUBECONFIG=stratagem-data/kubeconfig go run ./examples/controller
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	log.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil)))
	config, err := config.GetConfig()
	if err == nil {
		err = run(signals.SetupSignalHandler(), config)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "controller:", err)
		os.Exit(1)
	}
}

// run reconciles until ctx ends.
func run(ctx context.Context, config *rest.Config) error {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, addCronTabs} {
		if err := add(known); err != nil {
			return err
		}
	}
	m, err := manager.New(config, manager.Options{Scheme: known, Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	if err := builder.ControllerManagedBy(m).For(&CronTab{}).Owns(&appsv1.Deployment{}).Complete(&reconciler{m.GetClient()}); err != nil {
		return err
	}
	return m.Start(ctx)
}
