package sdk

// APIVersion is the object's apiVersion: "apps/v1".
func (o *Object) APIVersion() string { return o.Get("apiVersion").String() }

// Kind is the object's kind.
func (o *Object) Kind() string { return o.Get("kind").String() }

// Name is metadata.name.
func (o *Object) Name() string { return o.Get("metadata", "name").String() }

// GenerateName is metadata.generateName.
func (o *Object) GenerateName() string { return o.Get("metadata", "generateName").String() }

// Namespace is metadata.namespace.
func (o *Object) Namespace() string { return o.Get("metadata", "namespace").String() }

// UID is metadata.uid.
func (o *Object) UID() string { return o.Get("metadata", "uid").String() }

// ResourceVersion is metadata.resourceVersion.
func (o *Object) ResourceVersion() string { return o.Get("metadata", "resourceVersion").String() }

// Generation is metadata.generation.
func (o *Object) Generation() int64 { return o.Get("metadata", "generation").Int() }

// BeingDeleted tells whether metadata.deletionTimestamp is set.
func (o *Object) BeingDeleted() bool { return !o.Get("metadata", "deletionTimestamp").IsNull() }

// Labels are metadata.labels; nil when there are none.
func (o *Object) Labels() map[string]string { return o.Get("metadata", "labels").StringMap() }

// Annotations are metadata.annotations; nil when there are none.
func (o *Object) Annotations() map[string]string { return o.Get("metadata", "annotations").StringMap() }

// Label is one label; empty when it is not set.
func (o *Object) Label(key string) string { return o.Get("metadata", "labels", key).String() }

// Annotation is one annotation; empty when it is not set.
func (o *Object) Annotation(key string) string { return o.Get("metadata", "annotations", key).String() }
