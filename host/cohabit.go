package host

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stratagem-dev/stratagem/engine"
)

// cohabit settles which resources of a module share their objects, and sees to it that no others share a key.
func cohabit(d *description, all []*engine.Resource) error {
	for i, r := range all {
		if d.Resources[i].StoredAs == "" {
			continue
		}
		if err := moveIn(r, &d.Resources[i], all); err != nil {
			return fmt.Errorf("resources[%d] (%s): storedAs %.253q: %w", i, r.GroupResource().String(), d.Resources[i].StoredAs, err)
		}
	}
	for i, r := range all {
		for _, other := range all[:i] {
			if r.Bind || other.Bind || r.StoredAPIVersion() == other.StoredAPIVersion() && r.Kind == other.Kind {
				continue
			}
			if a, b := r.KeyRoot+"/", other.KeyRoot+"/"; strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
				return fmt.Errorf("resources[%d]: keyRoot %s overlaps with that of %s", i, r.KeyRoot, other.GroupResource().String())
			}
		}
	}
	return nil
}

// moveIn has a resource keep its objects where another one does, in the other's form.
func moveIn(r *engine.Resource, d *resourceDescription, all []*engine.Resource) error {
	owner := storedAs(d.StoredAs, r.Kind, all)
	switch {
	case owner == nil || owner == r:
		return fmt.Errorf("no other resource of the module stores kind %s in that version", r.Kind)
	case r.Bind || owner.Bind:
		return errors.New("a resource that is bound has no storage of its own to share")
	case d.KeyRoot != "" && d.KeyRoot != owner.KeyRoot:
		return fmt.Errorf("keyRoot %s must be that of %s, %s, or absent", d.KeyRoot, owner.GroupResource().String(), owner.KeyRoot)
	case r.Namespaced != owner.Namespaced:
		return fmt.Errorf("scope must be that of %s", owner.GroupResource().String())
	case !converts(r) || !converts(owner):
		return fmt.Errorf("hook Convert is required, of %s too", owner.GroupResource().String())
	}
	r.StoredAs, r.KeyRoot = d.StoredAs, owner.KeyRoot
	for _, other := range append([]*engine.Resource{owner}, owner.Cohabitants...) {
		other.Cohabitants, r.Cohabitants = append(other.Cohabitants, r), append(r.Cohabitants, other)
	}
	return nil
}

func converts(r *engine.Resource) bool {
	return r.Strategy != nil && r.Strategy.Hooks().Has(engine.Convert)
}

// storedAs finds the resource of a kind that stores its objects in a version of its own, which is that apiVersion.
func storedAs(apiVersion, kind string, all []*engine.Resource) *engine.Resource {
	for _, r := range all {
		if r.StoredAs == "" && r.Kind == kind && r.StoredAPIVersion() == apiVersion {
			return r
		}
	}
	return nil
}

// fieldLabels are the names by which field selectors may ask, with the paths behind them.
func fieldLabels(described []fieldLabelDescription) (map[string][]string, error) {
	labels := map[string][]string{}
	for i, d := range described {
		at := fmt.Sprintf("fieldLabels[%d] (%.63s)", i, d.Label)
		switch {
		case d.Label == "" || len(d.Label) > maxPathBytes || strings.ContainsAny(d.Label, "=!, \x00\n\r\t"):
			return nil, fmt.Errorf("%s: label: must be a name that a field selector can bear", at)
		case labels[d.Label] != nil:
			return nil, fmt.Errorf("%s: it is described twice", at)
		case len(d.Paths) == 0:
			return nil, fmt.Errorf("%s: paths: at least one is required", at)
		}
		if err := checkPaths(at+": paths", d.Paths...); err != nil {
			return nil, err
		}
		labels[d.Label] = d.Paths
	}
	return labels, nil
}
