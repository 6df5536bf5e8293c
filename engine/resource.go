package engine

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	structural "github.com/stratagem-dev/stratagem/engine/schema"
)

// Resource is what is served under one group and plural name. It is immutable once it is part of a Snapshot.
type Resource struct {
	Group      string // "" for the core group
	Plural     string
	Singular   string
	Kind       string
	ListKind   string
	ShortNames []string
	Categories []string
	Namespaced bool

	// KeyRoot is the prefix of its keys under the storage's own: "/pods".
	KeyRoot string
	// StoredAs is the apiVersion that its objects are stored in where that is none of its own versions: those of a
	// cohabiting resource, whose KeyRoot it shares.
	StoredAs string
	// Cohabitants are the resources that show the same objects under groups of their own. The Convert hook of each leads to
	// the versions of the others and back.
	Cohabitants []*Resource

	Versions     []Version // in order of priority, best first
	Subresources []Subresource
	Strategy     Strategy
	Traits       Traits
	// Converter brings objects from version to version; nil: the strategy's Convert hook, or a change of apiVersion alone.
	Converter Converter
	// Bind says that the resource is somebody else's: not it is served, but its strategy is bound to the one of that name.
	Bind bool
	// Bound guards writes by what is bound to the resource as well; the zero Guard where nothing is.
	Bound Guard
	// Ending says that the definition of the resource is being deleted: no more objects are created.
	Ending bool

	// SelectableFields are the field paths that field selectors may name besides metadata.name and metadata.namespace.
	SelectableFields []string
	// FieldLabels are the names by which field selectors may ask for what is at other paths: for the first of those that an
	// object has something at.
	FieldLabels map[string][]string
	// ResetFields are the field paths that a write to the main resource resets.
	ResetFields []string

	// Activation is the key whose mod revision every write of this resource is guarded by; the
	// zero Guard for resources that are compiled in.
	Activation Guard
	// Revision names what defines the resource, for messages and discovery: "crontabs@3".
	Revision string
}

// Version is one version of a resource.
type Version struct {
	Name               string
	Served             bool
	Storage            bool // exactly one version of a resource
	Deprecated         bool
	DeprecationWarning string
	Hooks              bool // hooks take objects in this version
	Schema             *structural.Schema
	Columns            []Column
	// SelectableFields are those of this version alone, each also one of the resource's; nil: all that the resource has.
	SelectableFields []string
}

// Column is one column of the table that kubectl prints.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format,omitempty"`
	Description string `json:"description,omitempty"`
	Priority    int32  `json:"priority,omitempty"`
	// JSONPath of the cell's value; where it is empty the cell comes from the ConvertToTable hook.
	JSONPath string `json:"jsonPath,omitempty"`
}

// Traits are the yes-or-no answers of a strategy, fixed when it is loaded.
type Traits struct {
	AllowCreateOnUpdate      bool // PUT of a missing object creates it
	AllowUnconditionalUpdate bool // PUT without a resourceVersion is taken
	ReturnDeletedObject      bool // DELETE answers with the object, not with a Status
	ValidateSchema           bool // the engine enforces the value rules of the schema (required, enum, pattern …) besides its types
	GenerationOnSpecChange   bool // the engine keeps metadata.generation: 1, and +1 for changes outside metadata and the status that has a subresource
	PruneStored              bool // what the schema does not know is dropped from stored and converted objects too, as for custom resources
	NoDeleteCollection       bool // DELETE of many is not served
	SelectAbsentAsFalse      bool // field selectors take a boolean that an object lacks for "false", as with Kubernetes' built-in kinds
}

// Subresource is another way to write the same object.
type Subresource struct {
	Name     string
	Strategy Strategy // nil: no hooks
	// Versions are those that have the subresource; nil is all.
	Versions []string
	// Scale is set for the scale subresource: the engine serves it by these paths.
	Scale *Scale
	// Scales are the paths of versions that differ from Scale.
	Scales map[string]*Scale
	// Create is set for a subresource that is POSTed to.
	Create *SubresourceCreate
	// PutOnly takes reading and patching away: namespaces/finalize.
	PutOnly bool
	// Unavailable, when not empty, is why the subresource is refused.
	Unavailable string
}

// Scale holds the field paths (".spec.replicas") behind autoscaling/v1 Scale.
type Scale struct {
	SpecReplicasPath   string `json:"specReplicasPath"`
	StatusReplicasPath string `json:"statusReplicasPath"`
	LabelSelectorPath  string `json:"labelSelectorPath,omitempty"`
}

// SubresourceCreate says what is POSTed to a subresource and what becomes of it.
type SubresourceCreate struct {
	schema.GroupVersionKind
	// Delete deletes the parent, with the posted object's deleteOptions, where it would update it.
	Delete bool
}

// GroupResource is the resource's group and plural.
func (r *Resource) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.Group, Resource: r.Plural}
}

// GroupKind is the resource's group and kind.
func (r *Resource) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: r.Group, Kind: r.Kind}
}

// Version returns the named version, or nil.
func (r *Resource) Version(name string) *Version {
	for i := range r.Versions {
		if r.Versions[i].Name == name {
			return &r.Versions[i]
		}
	}
	return nil
}

// StorageVersion returns the version that objects are stored in.
func (r *Resource) StorageVersion() *Version {
	for i := range r.Versions {
		if r.Versions[i].Storage {
			return &r.Versions[i]
		}
	}
	return nil
}

// StoredAPIVersion is the apiVersion of the bytes in the storage.
func (r *Resource) StoredAPIVersion() string {
	if r.StoredAs != "" {
		return r.StoredAs
	}
	return r.APIVersion(r.StorageVersion().Name)
}

// In tells whether a version has the subresource.
func (s *Subresource) In(version string) bool {
	return s.Versions == nil || slices.Contains(s.Versions, version)
}

// ScaleIn holds the paths of a scale subresource in a version; nil: it is none.
func (s *Subresource) ScaleIn(version string) *Scale {
	if own := s.Scales[version]; own != nil {
		return own
	}
	return s.Scale
}

// Selectable are the paths that field selectors of a version may name besides metadata.name and metadata.namespace.
func (r *Resource) Selectable(version string) []string {
	if v := r.Version(version); v != nil && v.SelectableFields != nil {
		return v.SelectableFields
	}
	return r.SelectableFields
}

// Subresource returns the named subresource, or nil.
func (r *Resource) Subresource(name string) *Subresource {
	for i := range r.Subresources {
		if r.Subresources[i].Name == name {
			return &r.Subresources[i]
		}
	}
	return nil
}

// ownStatus tells whether the status of a version has a subresource: writes of the object itself in that version leave it alone.
func (r *Resource) ownStatus(version string) bool {
	sub := r.Subresource("status")
	return sub != nil && sub.In(version)
}

// versionOf is the name of the version that is written as apiVersion, "" where it is none of the resource's.
func (r *Resource) versionOf(apiVersion string) string {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || gv.Group != r.Group {
		return ""
	}
	return gv.Version
}

// APIVersion joins group and version as objects carry them: "v1", "apps/v1".
func (r *Resource) APIVersion(version string) string {
	return schema.GroupVersion{Group: r.Group, Version: version}.String()
}

// NamespaceResource is the resource of namespaces, which every Namespaced resource leans on.
var NamespaceResource = schema.GroupResource{Resource: "namespaces"}
