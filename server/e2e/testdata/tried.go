package main

import (
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// tried is the Deployments' strategy that does what the annotation "try" of an object says: a revision to be tried. The tests lay this file
// over plugins/deployments.
type tried struct{ Strategy }

// This file's name comes before main.go's, and so does its init.
func init() {
	Plugin.Version = "2.0.0"
	Plugin.Resources[0].Strategy = tried{}
}

var hoard [][]byte

func (s tried) Validate(ctx *sdk.Context, deployment *sdk.Object) field.ErrorList {
	switch deployment.Get("metadata", "annotations", "try").String() {
	case "reject":
		return field.ErrorList{field.Invalid(field.NewPath("spec", "replicas"), 1, "is stricter now")}
	case "trap":
		panic("the new revision is broken")
	case "loop":
		for {
		}
	case "memory":
		for {
			hoard = append(hoard, make([]byte, 1<<20))
		}
	}
	return s.Strategy.Validate(ctx, deployment)
}

// Canonicalize stamps.
func (tried) Canonicalize(_ *sdk.Context, deployment *sdk.Object) {
	if deployment.Get("metadata", "annotations", "try").String() == "stamp" {
		deployment.Set("2", "metadata", "annotations", "answered-by")
	}
}
