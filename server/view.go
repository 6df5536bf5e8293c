package server

import (
	"errors"
	"fmt"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/discovery"
	"github.com/stratagem-dev/stratagem/server/table"
)

// View is what is served at one moment: a snapshot of stores and the documents drawn from it. It is immutable: a
// request takes one and keeps it to its end.
type View struct {
	*engine.Snapshot
	Discovery *discovery.Discovery
	tables    map[*engine.Version]*table.Table
	replaced  chan struct{} // closed when another view is in force
}

// newView draws the documents of some stores. An error names what of a resource cannot be shown.
func newView(stores []*engine.Store, address string) (*View, error) {
	v := &View{Snapshot: engine.NewSnapshot(stores), tables: map[*engine.Version]*table.Table{}, replaced: make(chan struct{})}
	var errs []error
	for _, r := range v.Resources() {
		for i := range r.Versions {
			t, err := table.New(r.Versions[i].Columns)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s, version %s: %w", r.GroupResource(), r.Versions[i].Name, err))
			}
			v.tables[&r.Versions[i]] = t
		}
	}
	var err error
	if v.Discovery, err = discovery.New(v.Resources(), address); err != nil {
		errs = append(errs, err)
	}
	return v, errors.Join(errs...)
}
