package schema

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// PatchMeta is the schema as strategic merge patch looks at it: strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta.
func (s *Schema) PatchMeta() strategicpatch.LookupPatchMeta { return patchLookup{s.root} }

// HasPatchMeta tells whether the document says anywhere how a field is merged, as those of Kubernetes' own kinds do, if only of
// metadata. Without it a strategic merge patch is as good as a merge patch.
func (s *Schema) HasPatchMeta() bool { return s.patchMeta }

// hasPatchMeta looks for a patch strategy below the root.
func (n *node) hasPatchMeta() bool {
	seen := map[*node]bool{n: true}
	var found bool
	var visit func(u *use)
	visit = func(u *use) {
		if found = found || u.patchStrategy != ""; found || seen[u.node] {
			return
		}
		seen[u.node] = true
		u.node.children(visit)
	}
	for i := range n.props {
		p := &n.props[i]
		switch {
		case p.key != "metadata":
			visit(p.use)
		case p.own != nil:
			visit(p.own)
		}
	}
	return found
}

// patchLookup is a node as strategic merge patch looks at it.
type patchLookup struct{ node *node }

// LookupPatchMetadataForStruct returns what is known of a field that holds an object.
func (l patchLookup) LookupPatchMetadataForStruct(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	u, err := l.field(key)
	if err != nil {
		return nil, strategicpatch.PatchMeta{}, err
	}
	return patchLookup{u.node}, u.meta(), nil
}

// LookupPatchMetadataForSlice returns what is known of the elements of a field that holds an array.
func (l patchLookup) LookupPatchMetadataForSlice(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	u, err := l.field(key)
	switch {
	case err != nil:
		return nil, strategicpatch.PatchMeta{}, err
	case u.node.kinds&arrayKind == 0:
		return nil, strategicpatch.PatchMeta{}, fmt.Errorf("expected slice or array type, but got: %s", u.node)
	case u.node.items == nil:
		return patchLookup{anything}, u.meta(), nil
	}
	return patchLookup{u.node.items.node}, u.meta(), nil
}

// Name is the name of the type.
func (l patchLookup) Name() string { return l.node.String() }

func (l patchLookup) field(key string) (*use, error) {
	if u := l.node.child(key); u != nil {
		return u, nil
	}
	if l.node.preserve || l.node.opaque {
		return &use{node: anything}, nil
	}
	return nil, fmt.Errorf("unable to find api field %q in %s", key, l.node)
}

func (u *use) meta() (meta strategicpatch.PatchMeta) {
	if u.patchStrategy != "" {
		meta.SetPatchStrategies(strings.Split(u.patchStrategy, ","))
	}
	meta.SetPatchMergeKey(u.patchMergeKey)
	return meta
}

var _ strategicpatch.LookupPatchMeta = patchLookup{}
