package gc

import (
	"slices"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// owner is one ownerReference.
type owner struct {
	uid, name  string
	apiVersion string
	kind       string
	blocks     bool // blockOwnerDeletion
}

// groupKind is what of the reference has to agree with the owner's resource.
func (o owner) groupKind() schema.GroupKind {
	gv, _ := schema.ParseGroupVersion(o.apiVersion)
	return schema.GroupKind{Group: gv.Group, Kind: o.kind}
}

// ownersOf reads metadata.ownerReferences. Of several with one uid the last counts.
func ownersOf(obj engine.Object) []owner {
	var owners []owner
	for _, ref := range obj.Get("metadata", "ownerReferences").Array() {
		o := owner{
			uid: ref.Get("uid").String(), name: unique.Make(ref.Get("name").String()).Value(), blocks: ref.Get("blockOwnerDeletion").Bool(),
			apiVersion: unique.Make(ref.Get("apiVersion").String()).Value(), kind: unique.Make(ref.Get("kind").String()).Value(),
		}
		owners = slices.DeleteFunc(owners, func(other owner) bool { return other.uid == o.uid })
		owners = append(owners, o)
	}
	return owners
}

// finalizersOf tells which of the collector's finalizers an object has.
func finalizersOf(obj engine.Object) (orphan, foreground bool) {
	for _, f := range obj.Get("metadata", "finalizers").Array() {
		orphan = orphan || f.Str == metav1.FinalizerOrphanDependents
		foreground = foreground || f.Str == metav1.FinalizerDeleteDependents
	}
	return orphan, foreground
}
