package server

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/schema"
)

//go:embed namespace.schema.json
var namespaceSchema []byte

// namespaceResource is core/v1 Namespace, a resource with a native strategy.
func namespaceResource() (*engine.Resource, error) {
	compiled, err := compileNative(namespaceSchema, "Namespace")
	if err != nil {
		return nil, err
	}
	subresources := []engine.Subresource{
		{Name: "status", Strategy: engine.NewNative(namespaceStatusStrategy{})},
		{Name: "finalize", Strategy: engine.NewNative(namespaceFinalizeStrategy{}), PutOnly: true},
	}
	return &engine.Resource{
		Plural: "namespaces", Singular: "namespace", Kind: "Namespace", ListKind: "NamespaceList", ShortNames: []string{"ns"},
		KeyRoot: "/namespaces", Revision: "native", SelectableFields: []string{".status.phase"},
		Versions: []engine.Version{{Name: "v1", Served: true, Storage: true, Hooks: true, Schema: compiled, Columns: []engine.Column{
			{Name: "Name", Type: "string", Format: "name", JSONPath: ".metadata.name", Description: "Name must be unique within a namespace."},
			{Name: "Status", Type: "string", JSONPath: ".status.phase", Description: "The status of the namespace"},
			{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp", Description: "Time since the namespace was created."},
		}}},
		Strategy: engine.NewNative(namespaceStrategy{}), Subresources: subresources,
		Traits: engine.Traits{AllowUnconditionalUpdate: true, ReturnDeletedObject: true, NoDeleteCollection: true},
	}, nil
}

// compileNative compiles one schema of a components document.
func compileNative(doc []byte, name string) (*schema.Schema, error) {
	var parsed struct {
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(doc, &parsed); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", name, err)
	}
	return schema.Compile(parsed.Components.Schemas[name], parsed.Components.Schemas)
}

// systemNamespaces are there from the start, as in Kubernetes.
var systemNamespaces = []string{"default", "kube-node-lease", "kube-public", "kube-system"}

// makeNamespaces creates the namespaces that every installation has.
func (s *Server) makeNamespaces(ctx context.Context) error {
	store := s.view.Load().Store("", "namespaces")
	for _, name := range systemNamespaces {
		info := systemRequest("create", "", "v1", "namespaces", name)
		_, err := store.Create(ctx, engine.CreateRequest{Info: info, Object: engine.Object(fmt.Sprintf(`{"metadata":{"name":%q}}`, name))})
		var exists *engine.AlreadyExistsError
		if err != nil && !errors.As(err, &exists) {
			return fmt.Errorf("namespace %s: %w", name, err)
		}
	}
	return nil
}

// systemUser is who the server is when it writes by itself.
var systemUser = engine.User{Name: "system:stratagem", Groups: []string{mastersGroup}}

func systemRequest(verb, group, version, resource, name string) *engine.RequestInfo {
	return &engine.RequestInfo{Verb: verb, Group: group, Version: version, Resource: resource, Name: name, User: systemUser, Manager: "stratagem", Time: time.Now()}
}

// lifecycle is Kubernetes' NamespaceLifecycle admission: what is written belongs into a namespace that exists, and
// the system's namespaces stay.
type lifecycle struct{ storage engine.Storage }

// changed reads a namespace that is known to have changed since a revision, 0 where nothing is known: from memory where that knows of
// it, as Kubernetes does, since a read of etcd for every write would double its price; one that is not there is looked for in etcd.
func (l *lifecycle) changed(ctx context.Context, key string, since int64) (engine.Item, error) {
	if peeker, ok := l.storage.(engine.Peeker); ok {
		if item, known := peeker.Peek(key); known && item.Revision != since {
			return item, nil
		}
	}
	return l.storage.Get(ctx, key)
}

func namespaceKey(name string) string { return "/namespaces/" + name }

// Admit looks the namespace up. A create is guarded by its revision: one that was admitted a moment before the namespace is
// finalized must not leave an object behind.
func (l *lifecycle) Admit(ctx context.Context, resource *engine.Resource, info *engine.RequestInfo, lost engine.Guard) (engine.Guard, error) {
	if resource.Group == "" && resource.Plural == "namespaces" {
		if info.Verb == "delete" && (info.Name == "default" || info.Name == "kube-system" || info.Name == "kube-public") {
			return engine.Guard{}, &engine.ForbiddenError{Resource: resource.GroupResource(), Name: info.Name, Message: "this namespace may not be deleted"}
		}
		return engine.Guard{}, nil
	}
	if !resource.Namespaced || info.Verb == "delete" || info.Verb == "deletecollection" {
		return engine.Guard{}, nil
	}
	key := namespaceKey(info.Namespace)
	item, err := l.changed(ctx, key, lost.Revision)
	var missing *engine.KeyNotFoundError
	if errors.As(err, &missing) {
		return engine.Guard{}, &engine.NotFoundError{Resource: engine.NamespaceResource, Name: info.Namespace}
	}
	if err != nil || info.Verb != "create" {
		return engine.Guard{}, err
	}
	if terminating(item.Data) {
		return engine.Guard{}, &engine.ForbiddenError{
			Resource: resource.GroupResource(), Name: info.Name, Cause: "NamespaceTerminating", Field: "metadata.namespace",
			Message:      fmt.Sprintf("unable to create new content in namespace %s because it is being terminated", info.Namespace),
			CauseMessage: fmt.Sprintf("namespace %s is being terminated", info.Namespace),
		}
	}
	return engine.Guard{Key: key, Revision: item.Revision}, nil
}

// terminating tells whether a stored namespace is being deleted. Nearly none is, which a look at the bytes is enough to know.
func terminating(data []byte) bool {
	if !bytes.Contains(data, []byte(namespaceTerminating)) {
		return false
	}
	if data[0] != '{' {
		transcoded, err := transcode(data)
		if err != nil {
			return true // another server's, in words that we cannot read: the word stands in it
		}
		data = transcoded
	}
	obj, _, err := engine.ParseObject(data)
	return err != nil || obj.Get("status", "phase").Str == namespaceTerminating
}
