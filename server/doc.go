// Package server speaks HTTP: it turns Kubernetes' API paths into calls of the engine and what comes of them into
// answers. It is the only place where echo is known.
//
// One create, in the order of the files: routes.go (which resource, which verb), auth.go (who asks), body.go (what is
// sent), create.go, then engine.Store.Create, then response.go or, for an error, status.go.
//
// What the server is made of is served like everything else: Namespace (namespaces.go) and StrategyPlugin
// (strategyplugin.go) are resources with native strategies. Plugins (plugins.go) keeps the modules of strategy
// plugins in the storage (modules.go), loads what is active and swaps the View (view.go) that requests are served by.
//
// A revision may be tried first (package rollout): trial.go puts it in force beside the active one, trial_request.go chooses its requests,
// reconcile.go makes the StrategyPlugin and the activation agree, trial_status.go tells what was counted, and sweep.go takes away
// modules that nothing names.
package server
