package main

import "github.com/stratagem-dev/stratagem/sdk"

// stamped is the Deployments' strategy that leaves its mark in every hook that may: in what it prepares, in what it
// canonicalizes, and in a warning. The tests lay this file over plugins/deployments, with a revision for REVISION.
type stamped struct{ Strategy }

const stamp = "REVISION"

// This file's name comes before main.go's, and so does its init.
func init() { Plugin.Resources[0].Strategy = stamped{} }

// PrepareForCreate stamps.
func (s stamped) PrepareForCreate(ctx *sdk.Context, deployment *sdk.Object) {
	s.Strategy.PrepareForCreate(ctx, deployment)
	deployment.Set(stamp, "metadata", "annotations", "prepared-by")
}

// Canonicalize stamps.
func (stamped) Canonicalize(_ *sdk.Context, deployment *sdk.Object) {
	deployment.Set(stamp, "metadata", "annotations", "canonicalized-by")
}

// WarningsOnCreate stamps.
func (s stamped) WarningsOnCreate(ctx *sdk.Context, deployment *sdk.Object) []string {
	return append(s.Strategy.WarningsOnCreate(ctx, deployment), "warned by "+stamp)
}
