package gc

import (
	"github.com/stratagem-dev/stratagem/server/controllers"
)

// item is what the graph knows of one object at one moment.
type item struct {
	uid        string
	ref        controllers.Ref
	deleting   bool
	orphan     bool
	foreground bool
	settled    bool // all owners are there and stay
	unseen     bool // an owner has not been seen yet
	revision   int64
	dependents []dependent // without itself
}

// dependent is an object that names another as its owner.
type dependent struct {
	uid        string
	ref        controllers.Ref
	deleting   bool
	foreground bool
	blocks     bool
}

// view is what the graph knows of an object that has been seen.
func (g *graph) view(uid string) (item, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.nodes[uid]
	if n == nil || n.kind == nil {
		return item{}, false
	}
	out := item{
		uid: uid, ref: n.ref(), deleting: n.deleting, orphan: n.orphan, foreground: n.foreground, settled: g.settled(n), revision: n.revision,
	}
	for _, o := range n.owners {
		above := g.nodes[o.uid]
		out.unseen = out.unseen || above == nil || above.kind == nil
	}
	for _, d := range n.dependents {
		if d != n && d.kind != nil {
			out.dependents = append(out.dependents, dependent{d.uid, d.ref(), d.deleting, d.deleting && d.foreground, d.blocks(uid)})
		}
	}
	return out, true
}

func (n *node) ref() controllers.Ref {
	return controllers.Ref{GroupResource: n.kind.GroupResource, Namespace: n.namespace, Name: n.name}
}

// blocks tells whether the node blocks the deletion of an owner.
func (n *node) blocks(uid string) bool {
	for _, o := range n.owners {
		if o.uid == uid {
			return o.blocks
		}
	}
	return false
}

// inCycle returns those dependents that block an object which, by way of others, blocks them: all of them waiting for
// their dependents, none would ever go.
func (g *graph) inCycle(uid string) (found []dependent) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.nodes[uid]
	if n == nil {
		return nil
	}
	for _, d := range n.dependents {
		if d != n && d.kind != nil && d.blocks(uid) && blockedBy(d, n, map[*node]bool{}) {
			found = append(found, dependent{uid: d.uid, ref: d.ref()})
		}
	}
	return found
}

// blockedBy tells whether n, being deleted in the foreground, waits for target, if only through others.
func blockedBy(n, target *node, seen map[*node]bool) bool {
	if seen[n] || !n.deleting || !n.foreground {
		return false
	}
	seen[n] = true
	for _, d := range n.dependents {
		if d.blocks(n.uid) && (d == target || blockedBy(d, target, seen)) {
			return true
		}
	}
	return false
}
