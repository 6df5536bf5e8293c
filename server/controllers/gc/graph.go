package gc

import (
	"slices"
	"sync"
	"unique"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
	gone       bool  // it has been there, and never comes back
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
	mu       sync.Mutex
	nodes    map[string]*node
	followed map[schema.GroupResource]*followed
}

// followed is a resource that the feed tells of.
type followed struct {
	kind  *controllers.Kind
	gones int // how often objects of it have gone
}

func newGraph() *graph {
	return &graph{nodes: map[string]*node{}, followed: map[schema.GroupResource]*followed{}}
}

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
func (g *graph) seen(kind *controllers.Kind, obj engine.Object, revision int64) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.take(kind, obj, revision)
}

func (g *graph) take(kind *controllers.Kind, obj engine.Object, revision int64) (look []string) {
	uid, owners := obj.UID(), ownersOf(obj)
	now := node{
		uid: uid, kind: kind, namespace: unique.Make(obj.Namespace()).Value(), name: obj.Name(), owners: owners, deleting: obj.Deleting(), revision: revision,
	}
	now.orphan, now.foreground = finalizersOf(obj)
	n := g.nodes[uid]
	if n == nil && !now.keep() || uid == "" {
		return nil
	}
	if n == nil {
		n = g.add(uid)
	}
	if n.gone || n.kind != nil && revision < n.revision {
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
	n := &node{uid: uid}
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
	for i := range n.owners {
		o := &n.owners[i]
		above := g.nodes[o.uid]
		if above == nil {
			above = g.add(o.uid)
		}
		if above.dependents == nil {
			above.dependents = map[string]*node{}
		}
		above.dependents[n.uid] = n
		o.uid = above.uid // one copy of the text for all dependents
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

// mark counts that objects of a kind have gone, and returns what is known of it.
func (g *graph) mark(kind *controllers.Kind) *followed {
	f := g.followed[kind.GroupResource]
	if f == nil {
		f = &followed{}
		g.followed[kind.GroupResource] = f
	}
	f.kind = kind
	f.gones++
	return f
}

// gone takes an object out.
func (g *graph) gone(kind *controllers.Kind, uid string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mark(kind)
	n := g.nodes[uid]
	if n == nil {
		return nil
	}
	look := g.remove(n)
	n.gone = true
	return look
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
	g.mark(kind)
	for uid, n := range g.nodes {
		if _, there := uids[uid]; n.kind == kind && !there && n.revision <= revision {
			look = append(look, g.remove(n)...)
			n.gone = true
		}
	}
	return look
}

// dropped forgets the objects of a kind that is served no more. They may still be there, so nothing is concerned.
func (g *graph) dropped(kind *controllers.Kind) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.followed[kind.GroupResource]; f != nil && f.kind == kind {
		delete(g.followed, kind.GroupResource)
	}
	for _, n := range g.nodes {
		if n.kind == kind {
			g.remove(n)
		}
	}
}

// gones is how often objects of a resource have gone, -1 for one that is not followed.
func (g *graph) gones(gr schema.GroupResource) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.followed[gr]; f != nil {
		return f.gones
	}
	return -1
}

// confirm takes in an owner that a live read has found and that the graph had no place for when it was told of it. If
// anything of its resource has gone since before the read, it may have been the owner: then nothing is taken in.
func (g *graph) confirm(gr schema.GroupResource, obj engine.Object, revision int64, gones int) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	f, n := g.followed[gr], g.nodes[obj.UID()]
	if f == nil || f.gones != gones || n == nil || n.kind != nil {
		return nil
	}
	return g.take(f.kind, obj, revision)
}
