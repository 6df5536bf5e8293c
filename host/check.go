package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stratagem-dev/stratagem/engine"
)

// Verdict is what came of one rule.
type Verdict string

// The verdicts.
const (
	Passed  Verdict = "ok"
	Failed  Verdict = "FAIL"
	Skipped Verdict = "skip" // a rule before it failed
	Noted   Verdict = "note" // nothing wrong, and worth knowing
)

// Finding is one rule of the ABI, and whether a module keeps it.
type Finding struct {
	Rule    string
	Verdict Verdict
	Detail  string
}

// loadRules are the steps of Load, and what passing each means.
var loadRules = []struct{ step, meaning string }{
	{"size", "it is not too large"},
	{"wasm", "it is WebAssembly that the server can meter and compile"},
	{"imports", "it imports nothing but what the host offers"},
	{"exports", "it exports the memory and the functions of the ABI, with their types"},
	{"start", "it starts within its budget"},
	{"abi", fmt.Sprintf("it speaks version %d", ABIVersion)},
	{"describe", "its description can be served"},
}

// Check holds a module to the ABI, rule by rule: what Load demands, then a call of each hook on a made-up object, and what a
// guest has to refuse. The module is nil where it could not be loaded; else it is for the caller to close.
func Check(ctx context.Context, wasm []byte, options Options) ([]Finding, *Module, error) {
	m, err := Load(ctx, wasm, "this module", options)
	var refused *LoadError
	if err != nil && !errors.As(err, &refused) {
		return nil, nil, err
	}
	findings := loadFindings(refused)
	if m == nil {
		return findings, nil, nil
	}
	for _, c := range m.warmUpCalls() {
		f, err := m.tryHook(ctx, c)
		if err != nil {
			return findings, m, err
		}
		findings = append(findings, f)
	}
	refusals, err := m.tryRefusals(ctx)
	findings = append(findings, refusals...)
	if m.snapshot == nil {
		findings = append(findings, Finding{"snapshot", Noted, "its state is in tables, references or segments: instances are replaced and not reset"})
	}
	return findings, m, err
}

// Conforms tells whether nothing failed.
func Conforms(findings []Finding) bool {
	return !slices.ContainsFunc(findings, func(f Finding) bool { return f.Verdict == Failed })
}

func loadFindings(refused *LoadError) (findings []Finding) {
	verdict := Passed
	for _, rule := range loadRules {
		f := Finding{rule.step, verdict, rule.meaning}
		if refused != nil && refused.Step == rule.step {
			f, verdict = Finding{rule.step, Failed, refused.Err.Error()}, Skipped
		}
		findings = append(findings, f)
	}
	if refused != nil && verdict == Passed {
		findings = append(findings, Finding{refused.Step, Failed, refused.Err.Error()})
	}
	return findings
}

// tryHook calls a hook twice, each time from the beginning: it has to answer by the rules, and the same both times.
func (m *Module) tryHook(ctx context.Context, c warmUpCall) (Finding, error) {
	f := Finding{Rule: "hook " + c.call.Request.Resource, Verdict: Passed}
	if sub := c.call.Request.Subresource; sub != "" {
		f.Rule += "/" + sub
	}
	f.Rule += " " + c.hooks.String()
	first, fuel, err := m.tryCall(ctx, c.hooks, encodeCall(c.call))
	if err != nil {
		return f, err
	}
	if first.err != nil {
		f.Verdict, f.Detail = Failed, first.err.Error()
		return f, nil
	}
	_, _, err = decodeReply(first.frame, c.hooks, c.call, &tally{Limits: &m.options.Limits})
	var author *AuthorError
	switch {
	case errors.As(err, &author):
		f.Verdict, f.Detail = Noted, "it fails on an object with an empty spec: "+author.Message
		return f, nil
	case err != nil:
		f.Verdict, f.Detail = Failed, err.Error()
		return f, nil
	}
	second, again, err := m.tryCall(ctx, c.hooks, encodeCall(c.call))
	switch {
	case err != nil:
		return f, err
	case second.err != nil || !bytes.Equal(first.frame, second.frame) || fuel != again && m.snapshot != nil:
		f.Verdict, f.Detail = Failed, "the same call, made again from the beginning, did not come to the same"
	default:
		f.Detail = "fuel " + FuelText(fuel, m.snapshot == nil)
	}
	return f, nil
}

// answer is a reply frame, or how the guest failed.
type answer struct {
	frame []byte
	err   error
}

// tryCall makes a call on a pristine instance, which is thrown away. An error is the host's, not the guest's.
func (m *Module) tryCall(ctx context.Context, hooks engine.Hooks, segments [][]byte) (answer, int64, error) {
	in, err := m.obtain(ctx, "", true)
	if err != nil {
		return answer{}, 0, err
	}
	defer m.pool.discard(in)
	frame, err := in.call(hooks, segments)
	return answer{frame, err}, in.used(), nil
}

// unknownHook is a hook that the ABI does not have.
const unknownHook engine.Hook = 40

// tryRefusals makes calls on which a guest has to trap.
func (m *Module) tryRefusals(ctx context.Context) (findings []Finding, err error) {
	calls := m.warmUpCalls()
	if len(calls) == 0 {
		return nil, nil
	}
	for _, bad := range []struct {
		rule     string
		hooks    engine.Hooks
		segments [][]byte
	}{
		{"refuses an unknown hook", engine.HooksOf(unknownHook), encodeCall(calls[0].call)},
		{"refuses a frame without a request", calls[0].hooks, nil},
	} {
		got, _, err := m.tryCall(ctx, bad.hooks, bad.segments)
		f := Finding{bad.rule, Passed, "it traps"}
		switch {
		case err != nil:
			return findings, err
		case got.err == nil:
			f.Verdict, f.Detail = Failed, "it answered"
		case errors.Is(got.err, errBudget):
			f.Verdict, f.Detail = Failed, got.err.Error()
		}
		findings = append(findings, f)
	}
	return findings, nil
}
