package managed

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// ReplicasPaths are where each version of a resource ("apps/v1") has the replicas that its Scale shows.
type ReplicasPaths map[string]string

// ToScale turns the managedFields of an object into those of its Scale: who owns the replicas. Both are in canonical form.
func (p ReplicasPaths) ToScale(fields []byte, apiVersion string) ([]byte, error) {
	handler, err := p.handler(fields, apiVersion)
	if err != nil {
		return nil, err
	}
	entries, err := handler.ToSubresource()
	return marshalEntries(entries, err)
}

// FromScale turns the managedFields of a changed Scale into those of the object behind it, which had fields before.
func (p ReplicasPaths) FromScale(fields, scale []byte, apiVersion string) ([]byte, error) {
	handler, err := p.handler(fields, apiVersion)
	if err != nil {
		return nil, err
	}
	entries, err := unmarshalEntries(scale)
	if err != nil {
		return nil, err
	}
	times := map[string]*metav1.Time{}
	for _, e := range entries {
		times[e.Manager+"/"+string(e.Operation)] = e.Time
	}
	out, err := handler.ToParent(entries)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	for i := range out {
		if out[i].Time == nil && out[i].Subresource == "scale" { // Kubernetes loses it on the way
			out[i].Time = times[out[i].Manager+"/"+string(out[i].Operation)]
		}
	}
	raw, err := marshalEntries(out, nil)
	if err != nil {
		return nil, err
	}
	t := &tree{}
	owners, err := t.decodeEntries(nil, raw)
	sortEntries(owners)
	return t.appendEntries(nil, owners), err
}

func (p ReplicasPaths) handler(fields []byte, apiVersion string) (*managedfields.ScaleHandler, error) {
	entries, err := unmarshalEntries(fields)
	if err != nil {
		return nil, err
	}
	mappings := managedfields.ResourcePathMappings{}
	for version, path := range p {
		var at fieldpath.Path
		for _, name := range split(strings.TrimPrefix(path, ".")) {
			at = append(at, fieldpath.FieldNameElement(name))
		}
		mappings[version] = at
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	return managedfields.NewScaleHandler(entries, gv, mappings), err
}

func unmarshalEntries(raw []byte) (entries []metav1.ManagedFieldsEntry, err error) {
	if raw != nil {
		err = json.Unmarshal(raw, &entries)
	}
	return entries, err
}

func marshalEntries(entries []metav1.ManagedFieldsEntry, err error) ([]byte, error) {
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	raw, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	var decoded any
	if err := kjson.Unmarshal(raw, &decoded); err != nil {
		return nil, err
	}
	return jsontext.AppendTree(nil, decoded)
}
