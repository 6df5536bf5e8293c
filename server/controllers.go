package server

import (
	"context"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
	"github.com/stratagem-dev/stratagem/server/controllers/gc"
	"github.com/stratagem-dev/stratagem/server/controllers/migration"
	"github.com/stratagem-dev/stratagem/server/controllers/namespaces"
	"github.com/stratagem-dev/stratagem/server/crd"
)

// cluster is what the controllers see of the server.
type cluster struct{ server *Server }

// Snapshot is the view in force, and the channel that tells when it no longer is.
func (c cluster) Snapshot() (*engine.Snapshot, <-chan struct{}) {
	view := c.server.view.Load()
	return view.Snapshot, view.replaced
}

// Refresh follows the activations in the storage.
func (c cluster) Refresh(ctx context.Context) error { return c.server.plugins.Refresh(ctx) }

// startControllers starts what the server does by itself; it ends with the server.
func (s *Server) startControllers() {
	emptier := namespaces.New(cluster{s}, s.log)
	cleaner := crd.NewCleaner(cluster{s}, s.log)
	migrator := migration.New(cluster{s}, s.options.Storage, s.plugins, s.metrics.registry, s.log)
	sinks := []controllers.Sink{emptier, cleaner, migrator}
	var collector *gc.Collector
	if s.options.GarbageCollector {
		collector = gc.New(cluster{s}, s.log)
		sinks = append(sinks, collector)
	}
	feed := controllers.NewFeed(cluster{s}, s.log, sinks...)
	feed.Start(s.ending)
	s.running.Go(feed.Wait)
	s.running.Go(func() { emptier.Run(s.ending) })
	s.running.Go(func() { cleaner.Run(s.ending) })
	s.running.Go(func() { migrator.Run(s.ending) })
	if collector != nil {
		s.running.Go(func() { collector.Run(s.ending, feed) })
	}
}

var _ controllers.Cluster = cluster{}
