package crd

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeversion "k8s.io/apimachinery/pkg/version"

	"github.com/stratagem-dev/stratagem/engine"
)

// keyRoot is where the objects of a definition are stored.
func keyRoot(crd *apiv1.CustomResourceDefinition) string {
	return "/" + crd.Spec.Group + "/" + crd.Spec.Names.Plural
}

// resourceOf makes the resource that an established definition describes. Versions that have not changed are taken from before.
func resourceOf(crd *apiv1.CustomResourceDefinition, guard engine.Guard, before map[string]*compiled, webhooks Webhooks) (*engine.Resource, map[string]*compiled, error) {
	names := crd.Status.AcceptedNames
	r := &engine.Resource{
		Group: crd.Spec.Group, Plural: names.Plural, Singular: names.Singular, Kind: names.Kind, ListKind: names.ListKind,
		ShortNames: names.ShortNames, Categories: names.Categories, Namespaced: crd.Spec.Scope == apiv1.NamespaceScoped,
		KeyRoot: keyRoot(crd), Activation: guard, Ending: crd.DeletionTimestamp != nil,
		Revision: Revision(crd.Name, crd.Generation),
		Traits:   engine.Traits{GenerationOnSpecChange: true, PruneStored: !crd.Spec.PreserveUnknownFields},
	}
	versions := map[string]*compiled{}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		doc, hash, err := hashOf(v, crd.Spec.PreserveUnknownFields)
		if err != nil {
			return nil, nil, err
		}
		c := before[v.Name]
		if c == nil || c.hash != hash {
			if c, err = compileVersion(v, doc, crd.Spec.PreserveUnknownFields, hash); err != nil {
				return nil, nil, fmt.Errorf("%s %q, version %s: %w", kindName, crd.Name, v.Name, err)
			}
		}
		versions[v.Name] = c
		r.Versions = append(r.Versions, c.version)
		for _, path := range c.version.SelectableFields {
			if !slices.Contains(r.SelectableFields, path) {
				r.SelectableFields = append(r.SelectableFields, path)
			}
		}
	}
	slices.SortFunc(r.Versions, func(a, b engine.Version) int { return kubeversion.CompareKubeAwareVersionStrings(b.Name, a.Name) })
	r.Strategy = newCustom(versions, false)
	addSubresources(r, versions)
	r.Converter = webhooks.converterOf(crd, names.Kind)
	return r, versions, nil
}

// hashOf tells versions apart. doc is the schema, nil where there is none.
func hashOf(v *apiv1.CustomResourceDefinitionVersion, preserve bool) (doc []byte, hash [sha256.Size]byte, err error) {
	if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
		if doc, err = json.Marshal(v.Schema.OpenAPIV3Schema); err != nil {
			return nil, hash, err
		}
	}
	rest := *v
	rest.Schema = nil
	raw, err := json.Marshal(rest)
	if preserve {
		raw = append(raw, '+')
	}
	sum := sha256.New()
	sum.Write(raw)
	sum.Write([]byte{0})
	sum.Write(doc)
	return doc, [sha256.Size]byte(sum.Sum(nil)), err
}

// versionOf is a version without its schema.
func versionOf(v *apiv1.CustomResourceDefinitionVersion) engine.Version {
	out := engine.Version{Name: v.Name, Served: v.Served, Storage: v.Storage, Deprecated: v.Deprecated, Hooks: true}
	out.SelectableFields = make([]string, len(v.SelectableFields)) // not nil: those of other versions are none of this one's
	for i, f := range v.SelectableFields {
		out.SelectableFields[i] = f.JSONPath
	}
	if v.DeprecationWarning != nil {
		out.DeprecationWarning = *v.DeprecationWarning
	}
	for _, c := range v.AdditionalPrinterColumns {
		out.Columns = append(out.Columns, engine.Column{
			Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority, JSONPath: c.JSONPath,
		})
	}
	if len(out.Columns) == 0 {
		out.Columns = []engine.Column{{
			Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"],
		}}
	}
	return out
}

// addSubresources adds the subresources that any of the versions has, each for the versions that have it.
func addSubresources(r *engine.Resource, versions map[string]*compiled) {
	status := engine.Subresource{Name: "status", Strategy: newCustom(versions, true)}
	scale := engine.Subresource{Name: "scale", Scales: map[string]*engine.Scale{}}
	for i := range r.Versions {
		name := r.Versions[i].Name
		if versions[name].status {
			status.Versions = append(status.Versions, name)
		}
		own := versions[name].scale
		if own == nil {
			continue
		}
		if scale.Scale == nil {
			scale.Scale = own
		}
		scale.Versions, scale.Scales[name] = append(scale.Versions, name), own
	}
	for _, sub := range []engine.Subresource{status, scale} {
		if len(sub.Versions) > 0 {
			r.Subresources = append(r.Subresources, sub)
		}
	}
}

func scaleOf(s *apiv1.CustomResourceSubresourceScale) *engine.Scale {
	if s == nil {
		return nil
	}
	out := &engine.Scale{SpecReplicasPath: s.SpecReplicasPath, StatusReplicasPath: s.StatusReplicasPath}
	if s.LabelSelectorPath != nil {
		out.LabelSelectorPath = *s.LabelSelectorPath
	}
	return out
}

// established tells whether a definition is served.
func established(crd *apiv1.CustomResourceDefinition) bool {
	return apihelpers.IsCRDConditionTrue(crd, apiv1.Established)
}
