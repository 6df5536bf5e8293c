package engine

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Store serves one resource: the lifecycle over a Strategy and a Storage. It is immutable; a change of the
// resource's definition makes a new Store.
type Store struct {
	Resource  *Resource
	storage   Storage
	options   Options
	holder    Holder // nil: only finalizers hold objects
	around    around
	ownership ownership
	shown     *tableMemo
}

// Options are what all stores share. The zero value serves without admission.
type Options struct {
	// Admission runs before the strategy of every write; nil admits all.
	Admission Admission
	// NoGarbageCollection says that nobody serves the finalizers of propagation policies, so that none are put on.
	NoGarbageCollection bool
	// TTL is how many seconds objects of a resource live, where the operator and not the strategy's TTL hook says so.
	TTL map[schema.GroupResource]int64
	// Transcode turns stored bytes in another encoding than JSON into JSON; nil refuses them.
	Transcode func(data []byte) ([]byte, error)
}

// NewStore returns the store of a resource.
func NewStore(resource *Resource, storage Storage, options Options) *Store {
	holder, _ := Ability[Holder](resource.Strategy)
	s := &Store{Resource: resource, storage: storage, options: options, holder: holder, ownership: newOwnership(resource), shown: &tableMemo{}}
	if native, ok := Ability[interface{ around() around }](resource.Strategy); ok {
		s.around = native.around()
	}
	return s
}

// Result is what a write answers with.
type Result struct {
	// Object as it is now (or was, when deleted), in the version of the request, with its resourceVersion.
	Object   Object
	Warnings []string
	Created  bool   // by a create, or an update that created
	Deleted  bool   // the object is gone
	Message  string // of a posted subresource

	revision int64 // at which the object is, or was
	settled  bool  // the storage was asked to write, and what came of it stands
}

// FieldValidation is what to do about unknown and duplicate fields.
type FieldValidation string

// The values of the query parameter fieldValidation.
const (
	IgnoreFields FieldValidation = "Ignore"
	WarnFields   FieldValidation = "Warn"
	StrictFields FieldValidation = "Strict"
)

// key is the storage key of one object.
func (s *Store) key(namespace, name string) string {
	if s.Resource.Namespaced {
		return s.Resource.KeyRoot + "/" + namespace + "/" + name
	}
	return s.Resource.KeyRoot + "/" + name
}

// prefix is what the keys of a namespace, or of all, have in common.
func (s *Store) prefix(namespace string) string {
	if s.Resource.Namespaced && namespace != "" {
		return s.Resource.KeyRoot + "/" + namespace + "/"
	}
	return s.Resource.KeyRoot + "/"
}

// writeOptions guards a write by the activation of the resource's definition, and by what it was admitted on. What is written
// lives for ttl seconds, or for ever.
func (s *Store) writeOptions(ttl int64, admitted Guard) WriteOptions {
	options := WriteOptions{TTL: ttl}
	for _, guard := range [...]Guard{s.Resource.Activation, s.Resource.Bound, admitted} {
		if guard.Key != "" {
			options.Guards = append(options.Guards, guard)
		}
	}
	return options
}

// load makes an object of a stored item: in the storage version, without resourceVersion.
func (s *Store) load(item Item) (Object, error) {
	data := item.Data
	if len(data) == 0 || data[0] != '{' {
		if s.options.Transcode == nil {
			return nil, &StoredValueError{item.Key, errors.New("it is not JSON")}
		}
		transcoded, err := s.options.Transcode(data)
		if err != nil {
			return nil, &StoredValueError{item.Key, err}
		}
		data = transcoded
	}
	obj, _, err := ParseObject(data)
	if err != nil {
		return nil, &StoredValueError{item.Key, err}
	}
	return obj.Stored(), nil
}

// read makes of a stored item the object that clients of a version see: converted, defaulted, without resourceVersion.
// A request without a version gets it as it is stored.
func (s *Store) read(ctx context.Context, item Item, info *RequestInfo) (Object, error) {
	if known, _ := item.Memo.get(s.Resource, info.Version); known != nil {
		return known, nil
	}
	fresh := item // what is known already is not to cost an allocation
	objects, err := s.readAll(ctx, []*Item{&fresh}, info)
	if err != nil {
		return nil, err
	}
	return objects[0], nil
}

// readPlaced is read, and where the object's resourceVersion goes in; 0 where that is not known.
func (s *Store) readPlaced(ctx context.Context, item Item, info *RequestInfo) (Object, int32, error) {
	if known, place := item.Memo.get(s.Resource, info.Version); known != nil {
		return known, place, nil
	}
	obj, err := s.read(ctx, item, info)
	return obj, 0, err
}

// readAll reads many items. Those that have to be converted are converted together.
func (s *Store) readAll(ctx context.Context, items []*Item, info *RequestInfo) ([]Object, error) {
	objects := make([]Object, len(items))
	var fresh []Object // those that nobody has read before, in the order of the items
	var at []int
	for i, item := range items {
		if objects[i], _ = item.Memo.get(s.Resource, info.Version); objects[i] != nil {
			continue
		}
		obj, err := s.load(*item)
		if err != nil {
			return nil, err
		}
		objects[i] = obj
		if info.Version != "" {
			fresh, at = append(fresh, s.pruneIn(obj, info.Version)), append(at, i)
		}
	}
	if len(fresh) == 0 {
		return objects, nil
	}
	if err := s.convertAll(ctx, info, fresh, info.Version); err != nil {
		return nil, err
	}
	for n, obj := range fresh {
		obj, err := s.applyDefaults(obj, info.Version)
		if err != nil {
			return nil, err
		}
		items[at[n]].Memo.put(s.Resource, info.Version, obj)
		objects[at[n]] = obj
	}
	return objects, nil
}

// pruneIn prunes an object that is in the version already.
func (s *Store) pruneIn(obj Object, version string) Object {
	if !s.Resource.Traits.PruneStored || obj.APIVersion() != s.Resource.APIVersion(version) {
		return obj
	}
	return s.prune(obj, version)
}

// storageFailure turns a storage error into the error that clients get.
func (s *Store) storageFailure(err error, name string) error {
	var missing *KeyNotFoundError
	var exists *KeyExistsError
	var revision *RevisionError
	var guard *GuardError
	switch {
	case errors.As(err, &missing):
		return &NotFoundError{s.Resource.GroupResource(), name}
	case errors.As(err, &exists):
		return &AlreadyExistsError{Resource: s.Resource.GroupResource(), Name: name}
	case errors.As(err, &revision) && revision.Current == nil:
		return &NotFoundError{s.Resource.GroupResource(), name}
	case errors.As(err, &revision):
		return &ConflictError{s.Resource.GroupResource(), name, ModifiedMessage}
	case errors.As(err, &guard):
		return &StaleError{s.Resource.GroupResource()}
	}
	return err
}
