package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// reservedGroups are the groups that no plugin may define resources in: the server's own, and those that clients
// trust to be Kubernetes' own machinery.
var reservedGroups = map[string]bool{
	pluginGroup: true, "apiextensions.k8s.io": true, "apiregistration.k8s.io": true, "admissionregistration.k8s.io": true,
	"authentication.k8s.io": true, "authorization.k8s.io": true, "rbac.authorization.k8s.io": true, "storagemigration.k8s.io": true,
	"apidiscovery.k8s.io": true, "meta.k8s.io": true,
}

// checkClaims makes sure that resources are free for the plugin to take, or to be bound to.
func (p *Plugins) checkClaims(name string, resources []*engine.Resource) error {
	for _, r := range resources {
		if reservedGroups[r.Group] {
			return &host.LoadError{Step: "describe", Err: fmt.Errorf("resource %s: group %s is the server's own", r.GroupResource().String(), r.Group)}
		}
		if r.Bind {
			if err := p.checkBind(name, r); err != nil {
				return &host.LoadError{Step: "bind", Err: err}
			}
			continue
		}
		for _, native := range p.native {
			if err := clash(r, native.Resource, "the server itself"); err != nil {
				return err
			}
		}
		for other, active := range p.active {
			if other == name {
				continue
			}
			for _, store := range active.stores {
				if err := clash(r, store.Resource, fmt.Sprintf("plugin %q", other)); err != nil {
					return err
				}
			}
			for _, theirs := range active.bound {
				if theirs.GroupResource() == r.GroupResource() {
					return &host.LoadError{Step: "describe", Err: boundAlready(r, other, name)}
				}
			}
		}
		for _, defined := range p.definitions.Claims() {
			if err := clash(r, defined.Resource, defined.Owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// clash tells whether two resources get into each other's way, by name or by key.
func clash(r, theirs *engine.Resource, owner string) error {
	if r.GroupResource() == theirs.GroupResource() {
		return &host.LoadError{Step: "describe", Err: fmt.Errorf("resource %s is defined by %s", r.GroupResource().String(), owner)}
	}
	if r.Group == theirs.Group && r.Kind == theirs.Kind {
		return &host.LoadError{Step: "describe", Err: fmt.Errorf("kind %s is defined by %s", r.GroupKind().String(), owner)}
	}
	a, b := r.KeyRoot+"/", theirs.KeyRoot+"/"
	if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) || strings.HasPrefix(a, "/"+pluginGroup+"/") {
		return &host.LoadError{Step: "describe", Err: fmt.Errorf("resource %s: keyRoot %s overlaps with that of %s (%s)", r.GroupResource().String(), r.KeyRoot, theirs.GroupResource().String(), owner)}
	}
	return nil
}

const claimsRoot = "/" + pluginGroup + "/claims/"

// claim takes the resources of a plugin in the storage, so that two replicas cannot give one away twice.
func (p *Plugins) claim(ctx context.Context, name string, resources []*engine.Resource) error {
	for _, r := range resources {
		key := claimKey(r.Group, r.Plural, r.Bind)
		owner, err := p.take(ctx, key, name)
		if defined, ok := strings.CutPrefix(owner, definitionClaim); ok && err == nil {
			// A server may have ended between the end of a definition and that of its claim.
			if err = p.unclaimDefined(ctx, []string{defined}); err == nil {
				owner, err = p.take(ctx, key, name)
			}
		}
		if err != nil {
			return err
		}
		if owner != name && r.Bind {
			return &host.LoadError{Step: "bind", Err: boundAlready(r, owner, name)}
		}
		if owner != name {
			return &host.LoadError{Step: "describe", Err: fmt.Errorf("resource %s is defined by %s", r.GroupResource().String(), claimant(owner))}
		}
	}
	return nil
}

// claimKey is what has to be taken for a resource, or for being bound to it.
func claimKey(group, resource string, bind bool) string {
	if bind {
		return bindingsRoot + resourceName(group, resource)
	}
	return claimsRoot + resourceName(group, resource)
}

const bindingsRoot = "/" + pluginGroup + "/bindings/"

// take writes a name under a key that nobody has taken, and returns who has it.
func (p *Plugins) take(ctx context.Context, key, name string) (owner string, err error) {
	_, err = p.raw.Create(ctx, key, []byte(name), engine.WriteOptions{})
	var exists *engine.KeyExistsError
	if errors.As(err, &exists) {
		return string(exists.Existing.Data), nil
	}
	return name, err
}

// definitionClaim begins the claims of definitions; a plugin's is its name alone, which has no slash.
const definitionClaim = "CustomResourceDefinition/"

// claimant names the owner of a claim.
func claimant(owner string) string {
	if name, ok := strings.CutPrefix(owner, definitionClaim); ok {
		return fmt.Sprintf("CustomResourceDefinition %q", name)
	}
	return fmt.Sprintf("plugin %q", owner)
}

// resourceName is a group and plural as Kubernetes writes them: "deployments.apps".
func resourceName(group, resource string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}
