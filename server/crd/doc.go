// Package crd serves CustomResourceDefinitions and the custom resources that they define, as kube-apiserver does.
//
// The nouns, one file each:
//
//   - Definition (definition.go): the resource customresourcedefinitions itself, with its native strategy (strategy.go) and
//     the conversion between v1 and v1beta1 (codec.go), in which kube-apiserver stores it.
//   - names and conditions (names.go, conditions.go): what the server says in a definition's status.
//   - Registry (registry.go): the definitions that are stored, and the resources made of those that are established.
//   - resource.go makes an engine.Resource of a definition, schema.go compiles its schemas, custom.go is the strategy of its
//     objects, webhook.go their conversion and webhooks.go how its servers are reached.
//   - Binding (bound.go): a plugin's strategy beside the rules of a definition, under the name that it knows (renamed.go).
//   - Cleaner (cleaner.go): the controller that deletes the objects of a definition that is being deleted.
package crd
