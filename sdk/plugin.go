package sdk

// Plugin is what Register takes: a name, a version and the resources.
type Plugin struct {
	Name      string
	Version   string
	Resources []Resource
	// Reset asks the operator not to bring instances back to their beginning after every call; nil is after every call.
	Reset *Reset
}

// Reset is how rarely an author would have instances reset. What a hook keeps in a variable, or leaves in memory, may then be there in a
// later call, for whoever that is. It costs less time, and operators grant it as far as they like.
type Reset struct {
	Every             int  // calls between two resets, at least 1
	OnGrowth          bool // also when the memory has grown
	BetweenNamespaces bool // also before a call for another namespace
}

// Scope says whether objects live in namespaces.
type Scope string

// The two scopes.
const (
	Namespaced Scope = "Namespaced"
	Cluster    Scope = "Cluster"
)

// Resource is one kind of object under one group and plural name.
type Resource struct {
	Group    string // empty for the core group
	Resource string // the plural, lower case: "crontabs"
	Kind     string

	Singular   string // default: Kind in lower case
	ListKind   string // default: Kind with "List" behind
	ShortNames []string
	Categories []string
	Scope      Scope // default: Namespaced

	// Bind adds the strategy to the resource of a CustomResourceDefinition, which says all the rest: only Group, Resource, Kind,
	// Versions (for their Hooks), Strategy and Subresources count.
	Bind bool

	// KeyRoot is the prefix of the storage keys, "/pods"; default "/<group>/<resource>".
	KeyRoot string
	// StoredAs is the apiVersion of another resource of the plugin, of the same kind: the two show the same objects, which
	// are stored as the other's. Both strategies are Converters then, to the versions of either.
	StoredAs string

	Versions []Version
	// Strategy has some of the hooks and traits of strategy.go; nil for none.
	Strategy     any
	Subresources []Subresource

	// SelectableFields are the field paths that field selectors may name: ".spec.nodeName".
	SelectableFields []string
	// FieldLabels are further names that field selectors may use.
	FieldLabels []FieldLabel
	// ResetFields are the field paths that writes to the main resource reset: ".status".
	ResetFields []string
}

// FieldLabel is a name in field selectors that is not the path of a field.
type FieldLabel struct {
	Label string
	// Paths of the fields behind it: the first that is not empty in an object counts.
	Paths []string
}

// Version is one version of a resource. The only version of a resource is served and stored,
// whatever it says.
type Version struct {
	Name    string
	Served  bool
	Storage bool // exactly one version of a resource
	// Hooks marks the versions that the hooks take; none marked: the storage version.
	Hooks bool

	Deprecated         bool
	DeprecationWarning string

	Columns []Column
	// Schema is an OpenAPI v3 schema in JSON. Where it is empty the build puts schema.json into the
	// module's custom section "stratagem.openapi", and the server finds the version's schema there.
	Schema string
}

// Column is one column of the table that kubectl prints.
type Column struct {
	Name        string
	Type        string // string, integer, number, boolean or date
	Format      string
	Description string
	Priority    int32 // above 0: only with -o wide
	// JSONPath of the cell, ".spec.image"; where it is empty the cell comes from ConvertToTable.
	JSONPath string
}

// Subresource is another way to write the same object: the main strategy does not run for it.
type Subresource struct {
	Name string
	// Strategy has the hooks of the subresource; nil for none.
	Strategy any
	// Scale makes it the scale subresource, served by field paths.
	Scale *Scale
	// Create makes it take POSTs, which run CreateSubresource.
	Create *PostedKind
	// Unavailable, when not empty, is why the server refuses it.
	Unavailable string
}

// Scale names the fields (".spec.replicas") behind autoscaling/v1 Scale.
type Scale struct {
	SpecReplicasPath   string
	StatusReplicasPath string
	LabelSelectorPath  string // may be empty
}

// PostedKind is the kind that is POSTed to a subresource.
type PostedKind struct {
	Group   string
	Version string
	Kind    string
	// Delete deletes the parent, with the posted object's deleteOptions, when the hook agrees.
	Delete bool
}
