package engine

import (
	"context"
	"errors"
	"fmt"
)

// Converter brings the objects of a resource to another of its versions, in place of the strategy's Convert hook.
type Converter interface {
	// Convert returns the objects, none of which is in that version yet, in the version and in their order. What it may
	// change of metadata is labels and annotations; the Store holds it to that.
	Convert(ctx context.Context, info *RequestInfo, objects []Object, apiVersion string) ([]Object, error)
}

// ConversionError reports objects that could not be brought to another version: 500, in its own words.
type ConversionError struct{ Message string }

func (e *ConversionError) Error() string { return e.Message }

func conversionError(format string, args ...any) error {
	return &ConversionError{fmt.Sprintf(format, args...)}
}

// The most that one call of the Convert hook gets, so that a long list stays within the budget of a call.
const (
	convertBatchItems = 50
	convertBatchBytes = 1 << 20
)

// convert brings an object to another version of its resource: by its Converter or by the strategy's Convert hook where
// it has one, else by changing apiVersion alone (Kubernetes' conversion strategy None).
func (s *Store) convert(ctx context.Context, info *RequestInfo, obj Object, version string) (Object, error) {
	return s.convertTo(ctx, info, obj, s.Resource.APIVersion(version))
}

// encode brings an object to the version that it is stored in.
func (s *Store) encode(ctx context.Context, info *RequestInfo, obj Object) (Object, error) {
	return s.convertTo(ctx, info, obj, s.Resource.StoredAPIVersion())
}

// convertTo is convert for an apiVersion, which may be that of a cohabiting resource.
func (s *Store) convertTo(ctx context.Context, info *RequestInfo, obj Object, apiVersion string) (Object, error) {
	objects := [1]Object{obj}
	if err := s.convertAllTo(ctx, info, objects[:], apiVersion); err != nil {
		return nil, err
	}
	return objects[0], nil
}

// convertAll converts those of the objects that are not in the version yet, in place and in as few calls as may be.
func (s *Store) convertAll(ctx context.Context, info *RequestInfo, objects []Object, version string) error {
	return s.convertAllTo(ctx, info, objects, s.Resource.APIVersion(version))
}

func (s *Store) convertAllTo(ctx context.Context, info *RequestInfo, objects []Object, wanted string) error {
	version := s.Resource.versionOf(wanted)
	var pending []Object
	var at []int
	for i, obj := range objects {
		if obj.APIVersion() != wanted {
			pending, at = append(pending, obj), append(at, i)
		}
	}
	converted := pending
	var err error
	switch {
	case len(pending) == 0:
		return nil
	case s.Resource.Converter != nil:
		converted, err = s.Resource.Converter.Convert(ctx, info, pending, wanted)
	case hooked(s.Resource.Strategy).Has(Convert):
		converted, err = s.convertByHook(ctx, info, pending, wanted)
	default:
		for i, obj := range pending {
			objects[at[i]] = s.prune(obj.With("apiVersion", quoted(wanted)), version)
		}
		return nil
	}
	if err == nil && len(converted) != len(pending) {
		err = conversionError("conversion of %s to %s returned %d objects, expected %d", s.Resource.Kind, wanted, len(converted), len(pending))
	}
	if err != nil {
		return err
	}
	for i, obj := range pending {
		out, err := s.converted(obj, converted[i], wanted)
		if err != nil {
			return err
		}
		objects[at[i]] = s.prune(out, version)
	}
	return nil
}

// convertByHook converts by the strategy's Convert hook, a batch at a time.
func (s *Store) convertByHook(ctx context.Context, info *RequestInfo, objects []Object, wanted string) ([]Object, error) {
	main := *info
	main.Subresource = "" // it is the resource that has versions
	var out []Object
	for len(objects) > 0 {
		n := batch(objects, convertBatchItems, convertBatchBytes)
		converted, err := s.convertBatch(ctx, &main, objects[:n], wanted)
		if err != nil {
			return nil, err
		}
		out, objects = append(out, converted...), objects[n:]
	}
	return out, nil
}

// convertBatch runs the Convert hook once; where an object is refused, once more for each to find out which.
func (s *Store) convertBatch(ctx context.Context, info *RequestInfo, objects []Object, wanted string) ([]Object, error) {
	options := Fields{{"desiredAPIVersion", quoted(wanted)}}.Raw()
	reply, err := s.Resource.Strategy.Run(ctx, HooksOf(Convert), &Call{Request: info, Options: options, Items: objects})
	var failed *HookError
	switch {
	case errors.As(err, &failed) && failed.Kind != FailedError:
		return nil, err
	case err == nil && len(reply.Errors) > 0:
		err = reply.Errors.ToAggregate()
	case err == nil && len(reply.Items) != len(objects):
		return nil, conversionError("conversion of %s to %s returned %d objects, expected %d", s.Resource.Kind, wanted, len(reply.Items), len(objects))
	case err == nil:
		return reply.Items, nil
	}
	for i := range objects {
		if len(objects) == 1 {
			break
		}
		if _, err := s.convertBatch(ctx, info, objects[i:i+1], wanted); err != nil {
			return nil, err
		}
	}
	return nil, conversionError("conversion of %s %q to %s failed: %v", s.Resource.Kind, objects[0].Name(), wanted, err)
}

// batch is how many of the objects go into one call of a hook.
func batch(objects []Object, items, bytes int) int {
	size := 0
	for i, obj := range objects {
		if size += len(obj); i > 0 && (i == items || size > bytes) {
			return i
		}
	}
	return len(objects)
}

// converted enforces what a conversion may change: of metadata labels and annotations only.
func (s *Store) converted(obj, out Object, wanted string) (Object, error) {
	if out.APIVersion() != wanted || out.Kind() != s.Resource.Kind {
		return nil, conversionError("conversion of %s %q to %s returned %s %s", s.Resource.Kind, obj.Name(), wanted, out.APIVersion(), out.Kind())
	}
	for _, key := range []string{"name", "namespace", "uid"} {
		if was, is := obj.meta(key), out.meta(key); was != is {
			return nil, conversionError("conversion of %s %q to %s changed metadata.%s from %q to %q", s.Resource.Kind, obj.Name(), wanted, key, was, is)
		}
	}
	meta, returned := obj.Meta(), out.Meta()
	meta.Set("labels", returned.Get("labels"))
	meta.Set("annotations", returned.Get("annotations"))
	return out.WithMeta(meta), nil
}

// prune drops what the schema of a version does not know from an object that was stored or converted, where the
// resource asks for that. One whose types do not agree with the schema stays as it is: reading must not fail for it.
func (s *Store) prune(obj Object, version string) Object {
	v := s.Resource.Version(version)
	if !s.Resource.Traits.PruneStored || v == nil || v.Schema == nil {
		return obj
	}
	decoded, err := v.Schema.Decode(obj)
	if err != nil {
		return obj
	}
	return decoded.Object
}

// hookVersion is the version in which the hooks take an object of the request: the request's own where they
// take that, else the first that they take.
func (s *Store) hookVersion(requested string) string {
	first := ""
	for _, v := range s.Resource.Versions {
		if v.Hooks && v.Name == requested {
			return requested
		}
		if v.Hooks && first == "" {
			first = v.Name
		}
	}
	if first == "" {
		return s.Resource.StorageVersion().Name
	}
	return first
}
