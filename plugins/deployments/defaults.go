package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
)

// Default fills in what the client left out, in the template as well.
func (Strategy) Default(_ *sdk.Context, deployment *sdk.Object) {
	spec := specOf(deployment)
	if !spec.IsObject() {
		return
	}
	e := tree.NewEdits(spec)
	e.Default(spec, "replicas", `1`)
	defaultStrategy(e, spec)
	e.Default(spec, "revisionHistoryLimit", `10`)
	e.Default(spec, "progressDeadlineSeconds", `600`)
	if template := spec.At("template", "spec"); template.IsObject() {
		podspec.Default(e, template, false)
	}
	if e.Any() {
		deployment.SetRaw(e.Text(), "spec")
	}
}

const quarter = `"25%"`

// defaultStrategy makes it a rolling update of a quarter at a time.
func defaultStrategy(e *tree.Edits, spec tree.Node) {
	strategy := spec.Get("strategy")
	kind := strategy.Get("type").String()
	switch {
	case kind != "" && kind != "RollingUpdate":
		return
	case strategy.Empty():
		e.Set(spec, "strategy", `{"type":"RollingUpdate","rollingUpdate":{"maxSurge":`+quarter+`,"maxUnavailable":`+quarter+`}}`)
		return
	}
	e.DefaultText(strategy, "type", `"RollingUpdate"`)
	if e.Default(strategy, "rollingUpdate", `{"maxSurge":`+quarter+`,"maxUnavailable":`+quarter+`}`) {
		return
	}
	rolling := strategy.Get("rollingUpdate")
	e.Default(rolling, "maxSurge", quarter)
	e.Default(rolling, "maxUnavailable", quarter)
}
