package main

import (
	"testing"

	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

const lease = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"leader","namespace":"default"},"spec":{"holderIdentity":"a","leaseDurationSeconds":15,"leaseTransitions":0}}`

func TestLeaseValidate(t *testing.T) {
	run := sdktest.New(Lease{})
	sdktest.WantErrors(t, run.Create(with(t, lease)))
	for _, tc := range []struct {
		name   string
		fields []string
		want   []string
	}{
		{"no spec", []string{"spec", ``}, nil},
		{"duration", []string{"spec/leaseDurationSeconds", `0`}, []string{`spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0`}},
		{"transitions", []string{"spec/leaseTransitions", `-1`}, []string{`spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0`}},
		{"strategy", []string{"spec/strategy", `"Newest"`}, []string{`spec.strategy.strategy: Unsupported value: "Newest": supported values: "OldestEmulationVersion"`}},
		{"empty strategy", []string{"spec/strategy", `""`, "spec/preferredHolder", ``}, []string{`spec.strategy.strategy: Unsupported value: "": supported values: "OldestEmulationVersion"`}},
		{"known strategy", []string{"spec/strategy", `"OldestEmulationVersion"`, "spec/preferredHolder", `"b"`}, nil},
		{"own strategy", []string{"spec/strategy", `"example.com/mine"`}, nil},
		{"malformed strategy", []string{"spec/strategy", `"/"`}, []string{`spec.strategy.strategy: Invalid value: "/": prefix part must be non-empty`, `spec.strategy.strategy: Invalid value: "/": name part must be non-empty`, `spec.strategy.strategy: Invalid value: "/": name part must consist of`}},
		{"holder alone", []string{"spec/preferredHolder", `"b"`, "spec/strategy", ``}, []string{"spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"}},
	} {
		gated := with(t, lease, "spec/strategy", `"OldestEmulationVersion"`, "spec/preferredHolder", `"a"`)
		got := run.Update(with(t, gated.Raw(), tc.fields...), gated)
		t.Run(tc.name, func(t *testing.T) { sdktest.WantErrors(t, got, tc.want...) })
	}
}

// Coordinated leader election is off: its fields are dropped, but for leases that have them already.
func TestLeaseWithoutElection(t *testing.T) {
	run := sdktest.New(Lease{})
	asked := with(t, lease, "spec/strategy", `"Newest"`, "spec/preferredHolder", `"b"`)
	got := run.Create(asked)
	sdktest.WantErrors(t, got)
	gone := map[string]string{"spec/strategy": ``, "spec/preferredHolder": ``, "spec/holderIdentity": `"a"`}
	wantRaw(t, got.Object, gone)
	wantRaw(t, run.Update(asked, with(t, lease)).Object, gone)
	half := run.Update(with(t, asked.Raw(), "spec/strategy", `"example.com/x"`), with(t, lease, "spec/strategy", `"OldestEmulationVersion"`))
	wantRaw(t, half.Object, map[string]string{"spec/strategy": `"example.com/x"`, "spec/preferredHolder": ``})
}

func TestLeaseTable(t *testing.T) {
	if got := sdktest.New(Lease{}).ConvertToTable(with(t, lease), with(t, lease, "spec", `{}`)); got != `[["a"],[""]]` {
		t.Error(got)
	}
}
