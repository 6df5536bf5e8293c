package migration

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
	"github.com/stratagem-dev/stratagem/server/crd"
)

// ErrMoved reports that a resource is no longer defined by what defined it when a pass over its objects began.
var ErrMoved = errors.New("the definition of the resource has changed")

// Plugins keeps account of the versions that the objects of plugin-defined resources may be stored in.
type Plugins interface {
	// KeepStored leaves the storage version alone in the account of a resource, or returns ErrMoved where its plugin's
	// activation is no longer this one.
	KeepStored(ctx context.Context, gr schema.GroupResource, activation engine.Guard) error
}

// isCustom tells whether a CustomResourceDefinition defines the resource.
func isCustom(r *engine.Resource) bool { return strings.HasPrefix(r.Activation.Key, crd.KeyRoot+"/") }

// definitionOf stands for what defines a resource. Two that are the same have the same storage version, and no other was
// there between them.
//
//   - Of a definition that is its generation: the status and the labels may change meanwhile. Of a plugin it is the
//     activation, as a rollback makes an earlier revision active again.
func definitionOf(r *engine.Resource) string {
	if isCustom(r) {
		definition, _, _ := strings.Cut(r.Revision, " with ")
		return definition
	}
	if r.Activation.Key == "" {
		return r.Revision
	}
	return fmt.Sprintf("%s, activated at %d", r.Revision, r.Activation.Revision)
}

// begun notes in a definition that its objects are being migrated.
func (c *Controller) begun(ctx context.Context, r *engine.Resource, name string) error {
	if !isCustom(r) {
		return nil
	}
	return c.objects.Update(ctx, definitionRef(r), "status", definitionChange(func(obj engine.Object) (engine.Object, error) {
		return crd.Migrating(obj, name)
	}))
}

// ended notes how a migration has ended; after a success the storage version is the only one left in the account.
func (c *Controller) ended(ctx context.Context, r *engine.Resource, failed bool) error {
	switch {
	case isCustom(r):
		return c.objects.Update(ctx, definitionRef(r), "status", definitionChange(func(obj engine.Object) (engine.Object, error) {
			if is := crd.Revision(obj.Name(), obj.Meta().Int("generation")); !failed && is != definitionOf(r) {
				return nil, ErrMoved
			}
			return crd.Migrated(obj, failed)
		}))
	case r.Activation.Key != "" && !failed:
		return c.plugins.KeepStored(ctx, r.GroupResource(), r.Activation)
	}
	return nil
}

func definitionRef(r *engine.Resource) controllers.Ref {
	return controllers.Ref{GroupResource: schema.GroupResource{Group: crd.Group, Resource: crd.Plural}, Name: strings.TrimPrefix(r.Activation.Key, crd.KeyRoot+"/")}
}

// definitionChange is a change of a definition.
type definitionChange func(engine.Object) (engine.Object, error)

// Apply changes the definition.
func (change definitionChange) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	obj, err := change(current)
	return obj, nil, err
}

// Replaces is false.
func (definitionChange) Replaces() bool { return false }

var _ engine.Change = definitionChange(nil)
