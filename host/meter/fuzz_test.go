package meter

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// seeds are all modules that the tests have at hand.
func seeds(t testing.TB) [][]byte {
	var all [][]byte
	for _, folder := range []string{"equal", "stopped"} {
		found := guests(t, folder)
		for _, wasm := range found {
			all = append(all, wasm)
		}
	}
	all = append(all, mod(sec(secCustom, "name", 0, sized("m"), 1, sized(1, 0, "f")), oneType, oneFunction, code(),
		sec(secCustom, "stratagem.x", []byte("data"))), program(1), program(2))
	slices.SortFunc(all, slices.Compare)
	return all
}

// newChecker is a runtime that validates without compiling to native code.
func newChecker(t testing.TB) wazero.Runtime {
	config := wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(16)
	rt := wazero.NewRuntimeWithConfig(context.Background(), config)
	t.Cleanup(func() { rt.Close(context.Background()) })
	return rt
}

// checkAgreement rewrites any bytes. What is accepted must be valid exactly when the original is: a rewritten module
// that is valid where the original is not would use what the rewriter appended.
func checkAgreement(t testing.TB, rt wazero.Runtime, wasm []byte) {
	t.Helper()
	before := slices.Clone(wasm)
	m, err := Rewrite(wasm, 1000, Limits{})
	if !slices.Equal(before, wasm) {
		t.Fatal("the input was changed")
	}
	if err != nil {
		if m != nil {
			t.Fatal("a module and an error")
		}
		return
	}
	original, rewritten := validate(rt, withoutCustom(t, wasm)), validate(rt, m.Wasm)
	if (original == nil) != (rewritten == nil) {
		t.Fatalf("original: %v\nrewritten: %v\n%x", original, rewritten, wasm)
	}
}

func validate(rt wazero.Runtime, wasm []byte) error {
	c, err := rt.CompileModule(context.Background(), wasm)
	if err == nil {
		c.Close(context.Background())
	}
	return err
}

// withoutCustom drops the custom sections: the engine refuses a module for broken ones, the rewriter drops them.
func withoutCustom(t testing.TB, wasm []byte) []byte {
	o, err := split(wasm)
	if err != nil {
		t.Fatal(err)
	}
	out := slices.Clone(preamble)
	for _, id := range sectionOrder {
		if s := o.known[id]; s.present() {
			out = appendSection(out, id, wasm[s.start:s.end])
		}
	}
	return out
}

func TestRewriteTruncated(t *testing.T) {
	rt := newChecker(t)
	for _, wasm := range seeds(t) {
		for n := range wasm {
			checkAgreement(t, rt, wasm[:n])
		}
	}
}

func TestRewriteFlipped(t *testing.T) {
	rt := newChecker(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, wasm := range seeds(t) {
		for range 300 {
			broken := slices.Clone(wasm)
			for range 1 + r.IntN(3) {
				broken[8+r.IntN(len(broken)-8)] = byte(r.Uint32())
			}
			checkAgreement(t, rt, broken)
		}
	}
}

func FuzzRewrite(f *testing.F) {
	for _, wasm := range seeds(f) {
		f.Add(wasm)
	}
	rt := newChecker(f)
	f.Fuzz(func(t *testing.T, wasm []byte) { checkAgreement(t, rt, wasm) })
}
