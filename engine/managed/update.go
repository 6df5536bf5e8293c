package managed

import (
	"bytes"
	"sync"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// maxUpdaters is how many entries of operation Update an object may have, as in Kubernetes; the oldest become one.
const maxUpdaters = 10

// ancient is the manager that the oldest entries are given to.
const ancient = "ancient-changes"

// updater is one Update under way. It is used again, for its memory.
type updater struct {
	tree
	walk     walk
	entries  []entry
	versions []comparison
	out      []byte
	write    *Write

	old, sent span // where the managedFields stand in the old and the new object
}

// comparison is what a write changes, in one version.
type comparison struct {
	apiVersion []byte
	types      *Types // nil: the version is not known
	diff       int32
}

// maxPooled is how many nodes, or bytes, an updater may have grown to that is kept for the next write.
const maxPooled = 1 << 16

var updaters = sync.Pool{New: func() any { return new(updater) }}

// Update returns the managedFields after the write: the manager owns what it has added or changed, and nobody owns what is
// gone. nil is none.
//
//   - An object that has lost its managedFields is not tracked before somebody applies.
//   - The error is an *ElementError or one of Convert or Versions; Kubernetes then keeps the old managedFields.
func (w *Write) Update() ([]byte, error) {
	u := updaters.Get().(*updater)
	defer u.release()
	u.write, u.old, u.sent = w, fieldsAt(w.Old), fieldsAt(w.New)
	u.decodeManagers()
	if len(u.entries) == 0 && len(text(lookup(lookup(w.Old, "metadata"), "uid"))) > 0 {
		return nil, nil
	}
	u.walk.lf, u.walk.rf = u.old, u.sent
	current, err := u.compare(w.Types, w.Old, w.New)
	if err != nil {
		return nil, err
	}
	u.versions = append(u.versions, comparison{w.Types.versionText, w.Types, current})
	if err := u.disown(); err != nil {
		return nil, err
	}
	u.own(current)
	u.cap()
	if len(u.entries) == 0 {
		return nil, nil
	}
	sortEntries(u.entries)
	u.out = u.appendEntries(u.out[:0], u.entries)
	if old := u.old.of(w.Old); bytes.Equal(u.out, old) {
		return old, nil
	}
	return bytes.Clone(u.out), nil
}

// release lets go of everything that the updater refers to.
func (u *updater) release() {
	if cap(u.nodes) > maxPooled || cap(u.out) > maxPooled {
		return
	}
	clear(u.nodes)
	clear(u.entries[:cap(u.entries)])
	clear(u.versions)
	clear(u.walk.items[:cap(u.walk.items)])
	*u = updater{
		tree: tree{u.nodes[:0]}, entries: u.entries[:0], versions: u.versions[:0], out: u.out[:0],
		walk: walk{items: u.walk.items[:0], texts: u.walk.texts[:0]},
	}
	updaters.Put(u)
}

// decodeManagers reads the managers from the new object, so that clients may edit them, or else from the old one. Writes of
// subresources cannot edit them.
func (u *updater) decodeManagers() {
	sent, old := u.sent.of(u.write.New), u.old.of(u.write.Old)
	if sent == nil {
		sent = u.write.Sent
	}
	if u.write.Subresource == "" {
		if isReset(sent) {
			return
		}
		if entries, err := u.decodeEntries(u.entries[:0], sent); err == nil && len(entries) > 0 {
			u.entries = entries
			return
		}
	}
	if entries, err := u.decodeEntries(u.entries[:0], old); err == nil {
		u.entries = entries
	}
}

// isReset tells whether a client asks to forget all managers: by an empty list, or one with an empty entry.
func isReset(raw []byte) bool {
	if string(raw) == "[]" {
		return true
	}
	if classOf(raw, 0) != isList || classOf(raw, 1) != isMap || valueEnd(raw, 1) != len(raw)-1 {
		return false
	}
	for i := 2; ; {
		_, value, ok := member(raw, i)
		if !ok {
			return true
		}
		end := valueEnd(raw, value)
		if v := string(raw[value:end]); v != `""` && v != "null" {
			return false
		}
		i = after(raw, end)
	}
}

var emptyObject = []byte("{}")

// compare returns the root of what differs between two objects.
func (u *updater) compare(by *Types, old, obj []byte) (int32, error) {
	if old == nil {
		old = emptyObject
	}
	u.walk.tree, u.walk.l, u.walk.r = &u.tree, old, obj
	return u.walk.compareObjects(by.root, u.write.Scope)
}

// version compares the objects in the version of an entry, once for each version.
func (u *updater) version(apiVersion []byte) (*comparison, error) {
	for i := range u.versions {
		if bytes.Equal(u.versions[i].apiVersion, apiVersion) {
			return &u.versions[i], nil
		}
	}
	c := comparison{apiVersion: apiVersion}
	name := jsontext.Unquote(apiVersion)
	var err error
	if c.types, err = u.write.types(name); err != nil {
		return nil, err
	}
	if c.types != nil {
		if c.diff, err = u.compareAt(c.types, name); err != nil {
			return nil, err
		}
	}
	u.versions = append(u.versions, c)
	return &u.versions[len(u.versions)-1], nil
}

func (u *updater) compareAt(types *Types, apiVersion string) (int32, error) {
	old, obj := u.write.Old, u.write.New
	u.walk.lf, u.walk.rf = span{-1, -1}, span{-1, -1}
	var err error
	if old != nil {
		if old, err = u.write.Convert(old, apiVersion); err != nil {
			return 0, err
		}
	}
	if obj, err = u.write.Convert(obj, apiVersion); err != nil {
		return 0, err
	}
	return u.compare(types, old, obj)
}

// disown takes what has changed from all managers. Those that are left with nothing, or whose version is gone, go.
func (u *updater) disown() error {
	kept := u.entries[:0]
	for _, e := range u.entries {
		c, err := u.version(e.apiVersion)
		if err != nil {
			return err
		}
		if c.types == nil {
			continue
		}
		changed := u.reconcile(e.root, c.types.root, true)
		if u.subtract(e.root, c.diff) || changed {
			e.raw = nil
		}
		if u.nodes[e.root].first != 0 {
			kept = append(kept, e)
		}
	}
	u.entries = kept
	return nil
}

// unownedFields are the fields, of the object and of its metadata, that belong to nobody though clients may send them.
var unownedFields = [2][]string{
	{"apiVersion", "kind", "metadata"},
	{"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"},
}

// own gives to the writing manager what it has added and modified.
func (u *updater) own(diff int32) {
	at := diff
	for _, fields := range unownedFields {
		for _, field := range fields {
			if c := u.child(at, field); c != 0 {
				u.nodes[c].flags = 0
			}
		}
		if at = u.child(at, "metadata"); at == 0 {
			break
		}
	}
	if !u.has(diff, added|modified) {
		return
	}
	e := u.entry()
	e.time, e.raw = formatTime(u.write.Time), nil
	u.union(e.root, diff, added|modified)
}

// entry finds or makes the entry of the writing manager.
func (u *updater) entry() *entry {
	begin := len(u.walk.texts)
	u.walk.texts = jsontext.AppendInner(u.walk.texts, u.write.manager())
	middle := len(u.walk.texts)
	u.walk.texts = jsontext.AppendInner(u.walk.texts, u.write.Subresource)
	e := entry{
		manager: u.walk.texts[begin:middle], subresource: u.walk.texts[middle:], operation: updateOperation, apiVersion: u.write.Types.versionText,
	}
	for i := range u.entries {
		if u.entries[i].same(&e) {
			return &u.entries[i]
		}
	}
	e.root = u.push(0, nil)
	u.entries = append(u.entries, e)
	return &u.entries[len(u.entries)-1]
}
