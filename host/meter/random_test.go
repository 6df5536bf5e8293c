package meter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// TestRewriteRandomPrograms is the proof that the charges cover what runs. Each random program counts its own steps
// and hashes the way it takes; metered it must take the same way, pay at least for every step, and with less fuel
// stop before it took a step that was not paid for.
func TestRewriteRandomPrograms(t *testing.T) {
	rt := newRuntime(t)
	threaded, heads, backs, steps := 0, 0, 0, int64(0)
	for seed := range uint64(150) {
		wasm := program(seed)
		m := rewrite(t, wasm, 0, Limits{Slice: 1 + int64(seed*seed%5000)})
		th, h, b := countPoints(t, wasm)
		threaded, heads, backs = threaded+th, heads+h, backs+b
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			plain, err := rt.InstantiateWithConfig(context.Background(), wasm, wazero.NewModuleConfig().WithName(""))
			if err != nil {
				t.Fatal(err)
			}
			want := walk(plain)
			steps += want.steps
			const plenty = 1 << 50
			got, left := walkOn(t, rt, m, plenty)
			used := plenty - left
			if got != want {
				t.Fatalf("%+v, want %+v", got, want)
			}
			if least := want.steps * stepCost; used < least {
				t.Fatalf("used %d units for at least %d instructions", used, least)
			}
			if got, left := walkOn(t, rt, m, used); got != want || left != 0 {
				t.Errorf("with exactly what it needs: %+v with %d left, want %+v", got, left, want)
			}
			for _, budget := range []int64{0, 1, used / 3, used / 2, used - 1} {
				got, left := walkOn(t, rt, m, budget)
				if left >= 0 || got.steps*stepCost > budget {
					t.Errorf("with %d of %d units: %d steps, %d left", budget, used, got.steps, left)
				}
			}
		})
	}
	if threaded < 100 || heads < 100 || backs < 100 || steps < 10_000 {
		t.Errorf("only %d threaded jumps, %d heads, %d back edges, %d steps: the programs show too little", threaded, heads, backs, steps)
	}
}

// trace is the way that a program took.
type trace struct {
	steps, hash int64
	trap        bool
}

func walk(i api.Module) trace {
	_, err := i.ExportedFunction("run").Call(context.Background())
	return trace{
		steps: int64(i.ExportedGlobal("steps").Get()), hash: int64(i.ExportedGlobal("hash").Get()), trap: err != nil,
	}
}

func walkOn(t *testing.T, rt wazero.Runtime, m *Module, fuel int64) (trace, int64) {
	i := instantiate(t, rt, m.Wasm)
	defer i.Close(context.Background())
	fuelOf(i).Set(fuel)
	return walk(i), fuelOf(i).Get()
}

func countPoints(t *testing.T, wasm []byte) (threaded, heads, backs int) {
	m, err := parse(wasm, Limits{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	s := &scanner{m: m, leaves: make([]int64, len(m.functions))}
	for i, b := range m.bodies {
		if err := s.scan(len(m.imports)+i, b); err != nil {
			t.Fatal(err)
		}
		for _, p := range s.points {
			switch {
			case p.kind == pointThreaded:
				threaded++
			case p.kind == pointHead && s.blocks[p.loop].atHead:
				heads++
			case p.kind == pointBack && !s.blocks[p.loop].atHead:
				backs++
			}
		}
	}
	return threaded, heads, backs
}

// Globals of a random program, and its limits.
const (
	globalSteps, globalHash, globalRandom = 0, 1, 2

	randomFunctions = 4 // and a leaf after them
	mostSteps       = 3000
	stepCost        = 14 // instructions of one step that cost 1
	localPC         = 0
)

// program is a module of random functions that call each other; every loop and every function begins with a step.
func program(seed uint64) []byte {
	g := &generator{rand: rand.New(rand.NewPCG(seed, 1))}
	var bodies []byte
	for range randomFunctions {
		g.out, g.labels = nil, []bool{false}
		g.step()
		g.statements(3)
		bodies = append(bodies, sized(1, 2, typeI32, g.out, opEnd)...)
	}
	const leaf, driver, all = randomFunctions, randomFunctions + 1, randomFunctions + 2
	bodies = append(bodies, sized(0, opI32Const, 1, opDrop, opEnd)...)
	bodies = append(bodies, sized(0, opCall, 0, opCall, 1, opCall, 2, opCall, 3, opCall, leaf, opEnd)...)
	return mod(oneType,
		sec(secFunction, all, make([]byte, all)),
		sec(secTable, 1, typeFuncref, 0, all),
		onePage,
		sec(secGlobal, 3, typeI64, 1, opI64Const, 0, opEnd, typeI64, 1, opI64Const, 7, opEnd,
			typeI32, 1, opI32Const, int(seed%64), opEnd),
		sec(secExport, 3, "run", 0, driver, "steps", 3, globalSteps, "hash", 3, globalHash),
		sec(secElement, 1, 0, opI32Const, 0, opEnd, all, 0, 1, 2, 3, leaf, driver),
		sec(secCode, all, bodies))
}

// generator writes one random function.
type generator struct {
	rand       *rand.Rand
	out        []byte
	labels     []bool // open blocks, innermost last; true: the head of a dispatch, where a jump needs localPC set
	dispatches []dispatchLoop
	site       int64
}

// dispatchLoop is an open loop in the shape of Go's code.
type dispatchLoop struct{ label, width int }

func (g *generator) emit(parts ...any) { g.out = append(g.out, asm(parts...)...) }

// step counts one step, mixes its place into the hash, and ends a program that has taken too many.
func (g *generator) step() {
	g.site++
	g.emit(opGlobalGet, globalSteps, opI64Const, 1, 0x7c, opGlobalSet, globalSteps)
	g.emit(opGlobalGet, globalHash, opI64Const, 31, 0x7e, opI64Const, appendS64(nil, g.site), 0x7c, opGlobalSet, globalHash)
	g.emit(opI64Const, appendS64(nil, mostSteps), opGlobalGet, globalSteps, opI64LtS, opIf, typeEmpty, opUnreachable, opEnd)
}

// random leaves a number below n on the stack.
func (g *generator) random(n int) {
	g.emit(opGlobalGet, globalRandom, opI32Const, appendS64(nil, 1664525), 0x6c, opI32Const, appendS64(nil, 1013904223), 0x6a,
		opGlobalSet, globalRandom, opGlobalGet, globalRandom, opI32Const, 16, 0x76, opI32Const, n, 0x70)
}

func (g *generator) statements(depth int) {
	for range 1 + g.rand.IntN(4) {
		g.statement(depth)
	}
}

func (g *generator) statement(depth int) {
	kind := g.rand.IntN(12)
	if depth == 0 && kind < 5 {
		kind += 5
	}
	switch kind {
	case 0:
		g.nest(opBlock, depth)
	case 1:
		g.nest(opLoop, depth)
	case 2:
		g.random(2)
		g.nest(opIf, depth)
	case 3, 4:
		g.dispatch(depth)
	case 5:
		g.step()
	case 6: // a branch, conditional so that the rest is alive more often
		g.random(3)
		g.emit(opIf, typeEmpty)
		g.labels = append(g.labels, false)
		g.jump()
		g.labels = g.labels[:len(g.labels)-1]
		g.emit(opEnd)
	case 7:
		g.random(2)
		g.emit(opBrIf, g.rand.IntN(len(g.labels)))
	case 8:
		g.random(4)
		g.emit(opBrTable, 2, g.rand.IntN(len(g.labels)), g.rand.IntN(len(g.labels)), g.rand.IntN(len(g.labels)))
	case 9:
		if g.rand.IntN(3) == 0 {
			g.jump()
		}
	case 10:
		g.random(randomFunctions + 1)
		g.emit(opI32Const, 3, 0x71, opCallIndirect, 0, 0, opCall, g.rand.IntN(randomFunctions+1))
	case 11:
		g.emit(opI32Const, 8, opI32Const, 1)
		g.random(60)
		g.emit(opMisc, miscMemoryFill, 0, opCall, g.rand.IntN(randomFunctions+1))
	}
}

func (g *generator) nest(op, depth int) {
	g.emit(op, typeEmpty)
	g.labels = append(g.labels, false)
	g.step()
	g.statements(depth - 1)
	if op == opIf && g.rand.IntN(2) == 0 {
		g.emit(opElse)
		g.statements(depth - 1)
	}
	g.labels = g.labels[:len(g.labels)-1]
	g.emit(opEnd)
}

// dispatch is a loop in the shape of Go's code. Its table may also leave it, which Go's never does.
func (g *generator) dispatch(depth int) {
	width := 1 + g.rand.IntN(4)
	g.emit(opLoop, typeEmpty)
	g.dispatches = append(g.dispatches, dispatchLoop{label: len(g.labels), width: width})
	g.labels = append(g.labels, true)
	for range width {
		g.emit(opBlock, typeEmpty)
		g.labels = append(g.labels, false)
	}
	g.emit(opLocalGet, localPC, opBrTable, width)
	for range width + 1 {
		l := g.rand.IntN(width)
		if g.rand.IntN(12) == 0 {
			l = width + 1 + g.rand.IntN(len(g.labels)-width-1)
		}
		g.emit(l)
	}
	for range width {
		g.labels = g.labels[:len(g.labels)-1]
		g.emit(opEnd)
		g.step()
		g.statements(depth - 1)
		if g.rand.IntN(2) == 0 {
			g.jump()
		}
	}
	g.dispatches = g.dispatches[:len(g.dispatches)-1]
	g.labels = g.labels[:len(g.labels)-1]
	g.emit(opEnd)
}

// jump is a plain branch, mostly one of Go's to a dispatch loop if there is one.
func (g *generator) jump() {
	if n := len(g.dispatches); n > 0 && g.rand.IntN(4) > 0 {
		d := g.dispatches[g.rand.IntN(n)]
		g.emit(opI32Const, g.rand.IntN(d.width+2), opLocalSet, g.rand.IntN(8)/7)
		g.emit(opBr, len(g.labels)-1-d.label)
		return
	}
	g.emit(opBr, g.rand.IntN(len(g.labels)))
}
