package engine

import (
	"context"
	"errors"
)

// CreateRequest asks for a new object.
type CreateRequest struct {
	Info     *RequestInfo
	Object   Object // the body, in the version of the request
	Decoding Decoding

	owned    bool  // the managedFields of the object are final
	admitted Guard // what its admission rests on
}

// nameAttempts is how often a generated name is tried before the client hears of the collision.
const nameAttempts = 8

// Create makes a new object: the lifecycle of every kind, in order.
func (s *Store) Create(ctx context.Context, req CreateRequest) (Result, error) {
	obj, warnings, err := s.decode(req.Info, req.Object, req.Decoding)
	if err != nil {
		return Result{}, err
	}
	if req.admitted, err = s.admitCreate(ctx, req.Info, obj, Guard{}); err != nil {
		return Result{}, err
	}
	if obj, err = s.applyDefaults(obj, req.Info.Version); err != nil {
		return Result{}, err
	}
	if req.Object.ResourceVersion() != "" {
		return Result{}, badRequest("resourceVersion should not be set on objects to be created")
	}
	for attempt := 1; ; attempt++ {
		result, err := s.create(ctx, req, obj)
		var taken *AlreadyExistsError
		if errors.As(err, &taken) && taken.Generated && attempt < nameAttempts {
			continue
		}
		result.Warnings = append(warnings, result.Warnings...)
		return result, err
	}
}

// create is the lifecycle of one attempt.
func (s *Store) create(ctx context.Context, req CreateRequest, obj Object) (Result, error) {
	info := req.Info
	obj, owners, generated, err := s.beginCreate(info, obj)
	if err != nil {
		return Result{}, err
	}
	books, err := begin(ctx, s.around.beginCreate, &Call{Request: info, Object: obj})
	if err != nil {
		return Result{}, err
	}
	defer books.revert(ctx)
	obj, reviewed, err := s.prepare(ctx, s.Resource.Strategy, prepareCreate, reviewCreate, &Call{Request: info, Object: obj})
	if err != nil {
		return Result{}, err
	}
	if !req.owned {
		if owners, err = s.own(ctx, info, nil, obj, owners, nil); err != nil {
			return Result{}, err
		}
	}
	obj, warnings, err := s.reviewCreate(ctx, info, obj, reviewed)
	if err != nil {
		return Result{}, err
	}
	stored, err := s.encode(ctx, info, obj)
	if err != nil {
		return Result{}, err
	}
	shown, err := s.decorated(ctx, info, obj)
	if err != nil {
		return Result{}, err
	}
	ttl, err := s.ttl(ctx, info, obj, nil)
	if err != nil {
		return Result{}, err
	}
	revision, err := s.put(ctx, req, stored, owners, ttl)
	if isTooLarge(err) && !req.owned {
		owners = nil
		revision, err = s.put(ctx, req, stored, owners, ttl)
	}
	if err != nil {
		var taken *AlreadyExistsError
		if errors.As(err, &taken) {
			taken.Generated = generated
		}
		return Result{}, err
	}
	books.commit(ctx)
	after(ctx, s.around.afterCreate, info, obj, nil)
	return Result{Object: shown.answer(owners, revision), Warnings: warnings, Created: true}, nil
}

// beginCreate fills in what the server decides: system fields, the name, the namespace, the first generation. It takes off the
// managedFields that the client sent.
func (s *Store) beginCreate(info *RequestInfo, obj Object) (_ Object, sent []byte, generated bool, err error) {
	p := obj.parts()
	sent = p.take("managedFields")
	fillSystemFields(&p.meta, info.Time)
	if prefix := p.meta.String("generateName"); prefix != "" && p.meta.String("name") == "" {
		p.meta.SetString("name", generateName(prefix))
		generated = true
	}
	if err := s.agreeOnName(&p.meta, info.Name); err != nil {
		return nil, nil, false, err
	}
	if err := s.agreeOnNamespace(&p.meta, info.Namespace); err != nil {
		return nil, nil, false, err
	}
	p.take("generation")
	if s.Resource.Traits.GenerationOnSpecChange {
		p.meta.SetInt("generation", 1)
	}
	if s.Resource.ownStatus(info.Version) {
		p.top.Set("status", nil)
	}
	return p.object(), sent, generated, nil
}

// agreeOnName gives a request's name (an update that creates has one) to the object.
func (s *Store) agreeOnName(meta *Fields, name string) error {
	if own := meta.String("name"); name != "" && own != "" && own != name {
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", own, name)
	}
	if name != "" {
		meta.SetString("name", name)
	}
	return nil
}

// reviewCreate runs Validate, the common validation (when Validate found nothing), WarningsOnCreate and Canonicalize.
// The hooks are one call: they are pure, so what follows a rejection has no effect.
func (s *Store) reviewCreate(ctx context.Context, info *RequestInfo, obj Object, reviewed *Reply) (Object, []string, error) {
	reply, err := s.review(ctx, s.Resource.Strategy, reviewCreate, &Call{Request: info, Object: obj}, reviewed)
	if err != nil {
		return nil, nil, err
	}
	errs := append(s.validateSchema(obj, info.Version), reply.Errors...)
	if len(errs) == 0 {
		if errs, err = s.validateMeta(obj); err != nil {
			return nil, nil, err
		}
	}
	if len(errs) > 0 {
		return nil, nil, &InvalidError{s.Resource.GroupKind(), obj.Name(), errs}
	}
	if err := s.canonicalized(obj, reply.Object); err != nil {
		return nil, nil, err
	}
	return reply.Object, reply.Warnings, nil
}

// put stores a new object, with its managedFields, if its name is free. A dry run only looks.
func (s *Store) put(ctx context.Context, req CreateRequest, obj Object, owners []byte, ttl int64) (revision int64, err error) {
	name := obj.Name()
	key := s.key(obj.Namespace(), name)
	if req.Info.DryRun {
		item, err := s.storage.Get(ctx, key)
		if err == nil {
			return 0, s.taken(item, name)
		}
		var missing *KeyNotFoundError
		if errors.As(err, &missing) {
			return 0, nil
		}
		return 0, err
	}
	revision, err = s.createAdmitted(ctx, req.Info, key, obj.Owned(owners), ttl, req.admitted)
	var exists *KeyExistsError
	if errors.As(err, &exists) {
		return 0, s.taken(exists.Existing, name)
	}
	if err != nil {
		return 0, s.storageFailure(err, name)
	}
	return revision, nil
}

// taken is the error for a name that item has.
func (s *Store) taken(item Item, name string) error {
	existing, err := s.load(item)
	return &AlreadyExistsError{Resource: s.Resource.GroupResource(), Name: name, Deleting: err == nil && existing.Deleting()}
}
