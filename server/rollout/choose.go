package rollout

import (
	"crypto/sha256"
	"encoding/binary"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Bucket is the number between 0 and 99 that an object has: of the SHA-256 of "RESOURCE.GROUP/NAMESPACE/NAME" the first
// eight bytes, as a number, modulo 100. A canary of 10 percent is of the objects in the buckets 0 to 9.
func Bucket(resource schema.GroupResource, namespace, name string) int32 {
	sum := sha256.Sum256([]byte(resource.String() + "/" + namespace + "/" + name))
	return int32(binary.BigEndian.Uint64(sum[:8]) % 100) //nolint:gosec // it is below 100
}

// Chooses tells whether a request is one of those that the revision is tried on. The name is that of the object, or its generateName
// where it has none yet: the same on a retry, on a dry run and on every server.
//
//   - labelsOf finds the labels of a namespace; it is asked only where a Spec has a selector.
func (t *Trial) Chooses(resource schema.GroupResource, namespace, name string, labelsOf func(namespace string) labels.Set) bool {
	if t.selector != nil && (namespace == "" || !t.selector.Matches(labelsOf(namespace))) {
		return false
	}
	share := t.Spec.Share()
	return share >= maxPercent || Bucket(resource, namespace, name) < share
}
