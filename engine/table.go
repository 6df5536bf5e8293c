package engine

import (
	"context"
	"encoding/json"
	"fmt"
)

// The most that one call of ConvertToTable gets, so that a long list stays within the budget of a call.
const (
	tableBatchItems = 50
	tableBatchBytes = 1 << 20
)

// TableCells asks the strategy for the cells of the columns that have no path of their own: a row for each object.
// It returns nil where there is no such hook.
//
//   - The one object of a watch's event is shown to many: its cells are remembered for those who see it in the same second.
func (s *Store) TableCells(ctx context.Context, info *RequestInfo, objects []Object) ([][]json.RawMessage, error) {
	strategy := s.Resource.Strategy
	if !hooked(strategy).Has(ConvertToTable) {
		return nil, nil
	}
	if info.Verb == "watch" && len(objects) == 1 {
		cells, err := s.shown.cells(newTableKey(info, objects[0]), func() ([]json.RawMessage, error) {
			rows, err := s.tableBatchCells(ctx, strategy, info, objects)
			if err != nil {
				return nil, err
			}
			return rows[0], nil
		})
		return [][]json.RawMessage{cells}, err
	}
	rows := make([][]json.RawMessage, 0, len(objects))
	for len(objects) > 0 {
		n := batch(objects, tableBatchItems, tableBatchBytes)
		batch, err := s.tableBatchCells(ctx, strategy, info, objects[:n])
		if err != nil {
			return nil, err
		}
		rows, objects = append(rows, batch...), objects[n:]
	}
	return rows, nil
}

func (s *Store) tableBatchCells(ctx context.Context, strategy Strategy, info *RequestInfo, objects []Object) ([][]json.RawMessage, error) {
	at := *info
	at.Version = s.hookVersion(info.Version)
	items := objects
	if at.Version != info.Version {
		items = make([]Object, len(objects))
		for i, obj := range objects {
			var err error
			if items[i], err = s.convert(ctx, info, obj, at.Version); err != nil {
				return nil, err
			}
		}
	}
	reply, err := strategy.Run(ctx, HooksOf(ConvertToTable), &Call{Request: &at, Items: items})
	if err != nil {
		return nil, err
	}
	var rows [][]json.RawMessage
	if err = json.Unmarshal(reply.Result, &rows); err == nil && len(rows) != len(objects) {
		err = fmt.Errorf("%d rows for %d objects", len(rows), len(objects))
	}
	if err != nil {
		return nil, &HookError{Plugin: s.Resource.Plural, Revision: s.Resource.Revision, Hook: "ConvertToTable", Kind: FailedMalformed, Err: err}
	}
	return rows, nil
}
