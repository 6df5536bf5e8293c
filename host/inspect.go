package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/stratagem-dev/stratagem/host/meter"
)

// Inspection is what a module looks like, and what it takes to start it.
type Inspection struct {
	Imports, Exports []string // functions with their types; the memory
	Sections         []meter.SectionSize
	// DeclaredBytes is the memory that the module declares, StartedBytes what it has once it is initialized.
	DeclaredBytes, StartedBytes int
	// SnapshotBytes is what instances are brought back to; 0 where they are replaced, since no snapshot can hold their state.
	SnapshotBytes int
	// StartFuel is what the start function and _initialize took together, DescribeFuel what the description took.
	StartFuel, DescribeFuel int64
}

// Inspect looks at a loaded module and the file that it was loaded from.
func (m *Module) Inspect(ctx context.Context, wasm []byte) (i Inspection, err error) {
	if i.Sections, err = meter.SectionSizes(wasm); err != nil {
		return i, err
	}
	for _, f := range m.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		i.Imports = append(i.Imports, fmt.Sprintf("%s.%s %s", module, name, typeText(f.ParamTypes(), f.ResultTypes())))
	}
	for name, f := range m.compiled.ExportedFunctions() {
		i.Exports = append(i.Exports, name+" "+typeText(f.ParamTypes(), f.ResultTypes()))
	}
	slices.Sort(i.Exports)
	for name, memory := range m.compiled.ExportedMemories() {
		i.Exports, i.DeclaredBytes = append(i.Exports, name), int(memory.Min())<<16
	}
	if m.snapshot != nil {
		i.SnapshotBytes = len(m.snapshot.memory)
	}
	return i, m.measureStart(ctx, &i)
}

// measureStart starts an instance as the first one was started.
func (m *Module) measureStart(ctx context.Context, i *Inspection) error {
	in := &instance{module: m, guest: &guest{clock: firstTime, log: guestLog{limit: m.options.Limits.LogBytes}}}
	in.ctx = withGuest(context.WithoutCancel(ctx), in.guest)
	in.refuel(m.options.Limits.InitFuel)
	if err := in.instantiate(); err != nil {
		return err
	}
	defer in.close()
	i.StartFuel = in.used()
	in.refuel(m.options.Limits.InitFuel)
	if err := in.initialize(); err != nil {
		return err
	}
	i.StartFuel += in.used()
	i.StartedBytes = int(in.mod.Memory().Size())
	_, err := in.callExport("stratagem_describe")
	i.DescribeFuel = in.used()
	return err
}
