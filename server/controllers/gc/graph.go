package gc

import (
	"slices"
	"sync"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

// node is an object that has owners, is named as an owner, or waits for its dependents.
type node struct {
	uid        string
	kind       *controllers.Kind // nil while no such object has been seen: only references name it
	namespace  string
	name       string
	owners     []owner
	deleting   bool
	orphan     bool  // has the finalizer
	foreground bool  // has the finalizer
	revision   int64 // of its last change
	dependents map[string]*node
}

func (n *node) dependentUIDs() []string {
	uids := make([]string, 0, len(n.dependents))
	for uid := range n.dependents {
		uids = append(uids, uid)
	}
	return uids
}

// graph is the nodes by uid. What its methods return are the uids that have to be looked at.
type graph struct {
	mu    sync.Mutex
	nodes map[string]*node
}

func newGraph() *graph { return &graph{nodes: map[string]*node{}} }

// keep tells whether a node is worth its place.
func (n *node) keep() bool {
	return len(n.dependents) > 0 || n.kind != nil && (len(n.owners) > 0 || n.waits())
}

// waits tells whether the deletion of the object waits for the collector.
func (n *node) waits() bool { return n.deleting && (n.orphan || n.foreground) }

// agrees tells whether a reference of a dependent means this object.
func (n *node) agrees(o owner, dependent *node) bool {
	return n.kind != nil && n.name == o.name && o.groupKind() == n.kind.GroupKind() && (n.namespace == "" || n.namespace == dependent.namespace)
}

// seen takes an object as it is.
func (g *graph) seen(kind *controllers.Kind, obj engine.Object, revision int64) (look []string) {
	uid, owners := obj.UID(), ownersOf(obj)
	now := node{
		uid: uid, kind: kind, namespace: obj.Namespace(), name: obj.Name(), owners: owners, deleting: obj.Deleting(), revision: revision,
	}
	now.orphan, now.foreground = finalizersOf(obj)
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.nodes[uid]
	if n == nil && !now.keep() || uid == "" {
		return nil
	}
	if n == nil {
		n = g.add(uid)
	}
	if n.kind != nil && revision < n.revision {
		return nil
	}
	was := *n
	now.dependents = n.dependents
	*n = now
	look = g.relink(n, was.owners)
	if n.waits() || !g.settled(n) {
		look = append(look, uid)
	}
	if was.kind == nil {
		look = append(look, n.dependentUIDs()...)
	}
	if n.deleting && n.foreground && !(was.deleting && was.foreground) {
		look = append(look, g.waitingOwners(n)...)
	}
	g.drop(n)
	return look
}

func (g *graph) add(uid string) *node {
	n := &node{uid: uid, dependents: map[string]*node{}}
	g.nodes[uid] = n
	return n
}

// drop forgets a node that nothing keeps.
func (g *graph) drop(n *node) {
	if !n.keep() {
		delete(g.nodes, n.uid)
	}
}

// relink makes the edges those of the node's owners, and returns the owners that an edge no longer blocks.
func (g *graph) relink(n *node, old []owner) (look []string) {
	for _, o := range old {
		i := slices.IndexFunc(n.owners, func(now owner) bool { return now.uid == o.uid })
		above := g.nodes[o.uid]
		if above == nil {
			continue
		}
		if o.blocks && (i < 0 || !n.owners[i].blocks) && above.waits() {
			look = append(look, o.uid)
		}
		if i < 0 {
			delete(above.dependents, n.uid)
			g.drop(above)
		}
	}
	for _, o := range n.owners {
		above := g.nodes[o.uid]
		if above == nil {
			above = g.add(o.uid)
		}
		above.dependents[n.uid] = n
	}
	return look
}

// settled tells whether all owners of a node are there as its references say, and none is being deleted in the foreground.
func (g *graph) settled(n *node) bool {
	for _, o := range n.owners {
		if above := g.nodes[o.uid]; above == nil || !above.agrees(o, n) || above.deleting && above.foreground {
			return false
		}
	}
	return true
}

// waitingOwners are the owners of a node that wait for their dependents.
func (g *graph) waitingOwners(n *node) (look []string) {
	for _, o := range n.owners {
		if above := g.nodes[o.uid]; above != nil && above.waits() {
			look = append(look, o.uid)
		}
	}
	return look
}

// gone takes an object out.
func (g *graph) gone(uid string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.nodes[uid]
	if n == nil {
		return nil
	}
	return g.remove(n)
}

// remove makes a node one of an object that has not been seen, and returns whom that concerns.
func (g *graph) remove(n *node) []string {
	look := append(g.waitingOwners(n), n.dependentUIDs()...)
	old := n.owners
	*n = node{uid: n.uid, dependents: n.dependents}
	g.relink(n, old)
	g.drop(n)
	return look
}

// listed takes out the objects of a kind that a list did not have and that were there before it.
func (g *graph) listed(kind *controllers.Kind, uids map[string]struct{}, revision int64) (look []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for uid, n := range g.nodes {
		if _, there := uids[uid]; n.kind == kind && !there && n.revision <= revision {
			look = append(look, g.remove(n)...)
		}
	}
	return look
}

// dropped forgets the objects of a kind that is served no more. They may still be there, so nothing is concerned.
func (g *graph) dropped(kind *controllers.Kind) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.nodes {
		if n.kind == kind {
			g.remove(n)
		}
	}
}
