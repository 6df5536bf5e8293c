package engine

import (
	"encoding/json"
	"hash/maphash"
	"strings"
	"sync"
)

const (
	// rememberedRows is how many rows a store remembers: those of the newest events, which its watchers get at about the same time.
	rememberedRows = 256
	// rememberedRow is how many bytes a row may have that is remembered.
	rememberedRow = 4 << 10
)

// tableMemo remembers the hook's cells of the objects that watches have shown last, so that an event is one call and not
// one for each watcher (RATIONALE.md). The zero value remembers nothing yet.
//
//   - It holds what depends on all that the hook is told: the object, who asks for what, and the second.
type tableMemo struct {
	mu    sync.Mutex
	rows  map[tableKey]*tableRow
	order [rememberedRows]tableKey
	next  int
}

// tableKey is what a hook knows of the request, and the object by its hash.
type tableKey struct {
	object                   uint64
	size                     int
	second                   int64
	version, namespace, name string
	user                     string
}

// tableRow is one row. Who comes first makes it, and others wait for that.
type tableRow struct {
	mu    sync.Mutex
	cells []json.RawMessage
}

var tableSeed = maphash.MakeSeed()

func newTableKey(info *RequestInfo, obj Object) tableKey {
	return tableKey{
		object: maphash.Bytes(tableSeed, obj), size: len(obj), second: info.Time.Unix(), version: info.Version, namespace: info.Namespace, name: info.Name,
		user: strings.Join(append([]string{info.User.Name, info.User.UID}, info.User.Groups...), "\x00"),
	}
}

// cells are the cells of an object, which fill makes where they are not remembered. What fails concerns only who has asked.
func (m *tableMemo) cells(key tableKey, fill func() ([]json.RawMessage, error)) ([]json.RawMessage, error) {
	row := m.row(key)
	row.mu.Lock()
	defer row.mu.Unlock()
	if row.cells != nil {
		return row.cells, nil
	}
	cells, err := fill()
	if size := 0; err == nil {
		for _, cell := range cells {
			size += len(cell)
		}
		if size <= rememberedRow {
			row.cells = cells
		}
	}
	return cells, err
}

// row is the place for a key; the oldest gives way.
func (m *tableMemo) row(key tableKey) *tableRow {
	m.mu.Lock()
	defer m.mu.Unlock()
	if row := m.rows[key]; row != nil {
		return row
	}
	if m.rows == nil {
		m.rows = make(map[tableKey]*tableRow, rememberedRows)
	}
	delete(m.rows, m.order[m.next])
	row := &tableRow{}
	m.rows[key], m.order[m.next] = row, key
	m.next = (m.next + 1) % rememberedRows
	return row
}
