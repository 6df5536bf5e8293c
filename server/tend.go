package server

import (
	"context"
	"time"
)

// How often a server looks after its plugins.
const (
	reportEvery    = 2 * time.Second
	reconcileEvery = 30 * time.Second
	sweepEvery     = 10 * time.Minute
)

// tend reports what trials have counted, makes StrategyPlugins tell what is, and sweeps modules that nothing names, until ctx ends.
func (p *Plugins) tend(ctx context.Context) {
	p.reconcileAll(ctx)
	report, reconcile, sweep := time.NewTicker(reportEvery), time.NewTicker(reconcileEvery), time.NewTicker(sweepEvery)
	defer report.Stop()
	defer reconcile.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-report.C:
			p.reportAll(ctx)
		case <-reconcile.C:
			p.reconcileAll(ctx)
		case <-sweep.C:
			if err := p.sweep(ctx, time.Now()); err != nil && ctx.Err() == nil {
				p.server.log.Warn("modules could not be swept", "error", err)
			}
		}
	}
}

// reportAll reports on all trials, and for the last time on those that this server serves no longer.
func (p *Plugins) reportAll(ctx context.Context) {
	p.mu.Lock()
	var trials []*trial
	for _, plugin := range p.active {
		if plugin.trial != nil {
			trials = append(trials, plugin.trial)
		}
	}
	trials, p.past = append(trials, p.past...), nil
	p.mu.Unlock()
	for _, t := range trials {
		p.report(ctx, t)
	}
}
