package server

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/discovery"
	"github.com/stratagem-dev/stratagem/server/table"
)

// View is what is served at one moment: a snapshot of stores and the documents drawn from it. It is immutable: a
// request takes one and keeps it to its end.
//
//   - What few ask for is made when somebody does: with a thousand definitions, a view that drew everything anew would make
//     each of them slower to install than the one before.
type View struct {
	*engine.Snapshot
	// Discovery draws the discovery documents.
	Discovery func() (*discovery.Discovery, error)
	tables    sync.Map // by *engine.Version
	trials    map[schema.GroupResource]*trial
	replaced  chan struct{} // closed when another view is in force
}

// newView draws the documents of some stores.
func newView(stores []*engine.Store, address string) *View {
	v := &View{Snapshot: engine.NewSnapshot(stores), replaced: make(chan struct{})}
	v.Discovery = sync.OnceValues(func() (*discovery.Discovery, error) { return discovery.New(v.Resources(), address) })
	return v
}

// table is how the objects of a version are printed. An error names the columns that cannot be shown; the others are.
func (v *View) table(version *engine.Version) (*table.Table, error) {
	if known, ok := v.tables.Load(version); ok {
		return known.(*table.Table), nil
	}
	t, err := table.New(version.Columns)
	v.tables.Store(version, t)
	return t, err
}
