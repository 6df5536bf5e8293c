package schema

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// objectMetaDoc holds Kubernetes' ObjectMeta as components.
//
//go:embed objectmeta.json
var objectMetaDoc []byte

// objectMeta is the compiled ObjectMeta that the metadata of every object is checked by.
var objectMeta = sync.OnceValues(func() (*node, error) {
	var components map[string]json.RawMessage
	if err := json.Unmarshal(objectMetaDoc, &components); err != nil {
		return nil, err
	}
	c := newCompiler(components)
	c.strictTime = true
	return c.root(json.RawMessage(`{"$ref":"` + refPrefix + `meta.v1.ObjectMeta"}`))
})
