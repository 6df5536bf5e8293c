package host

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/stratagem-dev/stratagem/engine"
)

// completeNames checks the names of a resource and fills in Kubernetes' defaults.
func completeNames(r *engine.Resource, scope string) error {
	switch scope {
	case "Namespaced":
		r.Namespaced = true
	case "Cluster":
	default:
		return fmt.Errorf(`scope %q: must be "Namespaced" or "Cluster"`, scope)
	}
	if r.Singular == "" {
		r.Singular = strings.ToLower(r.Kind)
	}
	if r.ListKind == "" {
		r.ListKind = r.Kind + "List"
	}
	if r.KeyRoot == "" {
		r.KeyRoot = "/" + r.Group + "/" + r.Plural
		if r.Group == "" {
			r.KeyRoot = "/" + r.Plural
		}
	}
	if r.Group != "" {
		if errs := validation.IsDNS1123Subdomain(r.Group); len(errs) > 0 {
			return fmt.Errorf("group %q: %s", r.Group, strings.Join(errs, ", "))
		}
	}
	labels := []struct{ field, value string }{{"resource", r.Plural}, {"singular", r.Singular}}
	for _, name := range r.ShortNames {
		labels = append(labels, struct{ field, value string }{"shortNames", name})
	}
	for _, name := range r.Categories {
		labels = append(labels, struct{ field, value string }{"categories", name})
	}
	for _, l := range labels {
		if errs := validation.IsDNS1035Label(l.value); len(errs) > 0 {
			return fmt.Errorf("%s %q: %s", l.field, l.value, strings.Join(errs, ", "))
		}
	}
	if r.Kind == r.ListKind {
		return fmt.Errorf("listKind %q: may not be the same as kind", r.ListKind)
	}
	if err := checkKind("kind", r.Kind); err != nil {
		return err
	}
	if err := checkKind("listKind", r.ListKind); err != nil {
		return err
	}
	return checkKeyRoot(r.KeyRoot)
}

func checkKind(field, kind string) error {
	if errs := validation.IsDNS1035Label(strings.ToLower(kind)); len(errs) > 0 {
		return fmt.Errorf("%s %q: may have mixed case, but should otherwise match: %s", field, kind, strings.Join(errs, ", "))
	}
	return nil
}

func checkKeyRoot(root string) error {
	names, ok := strings.CutPrefix(root, "/")
	parts := strings.Split(names, "/")
	for _, part := range parts {
		ok = ok && len(validation.IsDNS1123Subdomain(part)) == 0
	}
	if !ok || len(parts) > 2 {
		return fmt.Errorf("keyRoot %q: must be /NAME or /NAME/NAME with names of lower case letters, digits, '-' and '.'", root)
	}
	return nil
}

// maxPathBytes bounds field paths.
const maxPathBytes = 1000

// checkPaths checks field paths as far as their form goes: ".spec.replicas".
func checkPaths(field string, paths ...string) error {
	for _, path := range paths {
		if len(path) < 2 || len(path) > maxPathBytes || path[0] != '.' || strings.Contains(path, "..") || strings.ContainsAny(path, "\x00\n\r\t ") {
			return fmt.Errorf("%s %.100q: must be a field path like .spec.replicas", field, path)
		}
	}
	return nil
}
