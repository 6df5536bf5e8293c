package engine

import (
	"context"
	"fmt"
)

// convert brings an object to another version of its resource: by the strategy's Convert hook where it has one,
// else by changing apiVersion alone (Kubernetes' conversion strategy None).
func (s *Store) convert(ctx context.Context, info *RequestInfo, obj Object, version string) (Object, error) {
	wanted := s.Resource.APIVersion(version)
	if obj.APIVersion() == wanted {
		return obj, nil
	}
	if s.Resource.Strategy == nil || !s.Resource.Strategy.Hooks().Has(Convert) {
		return obj.With("apiVersion", quoted(wanted)), nil
	}
	options := Fields{{"desiredAPIVersion", quoted(wanted)}}
	reply, err := s.Resource.Strategy.Run(ctx, HooksOf(Convert), &Call{Request: info, Options: options.Raw(), Items: []Object{obj}})
	if err != nil {
		return nil, err
	}
	if len(reply.Errors) > 0 {
		return nil, fmt.Errorf("conversion of %s %q to %s failed: %w", s.Resource.Kind, obj.Name(), wanted, reply.Errors.ToAggregate())
	}
	return s.converted(obj, reply.Items[0], wanted)
}

// converted enforces what a conversion may change: of metadata labels and annotations only.
func (s *Store) converted(obj, out Object, wanted string) (Object, error) {
	if out.APIVersion() != wanted || out.Kind() != s.Resource.Kind {
		return nil, fmt.Errorf("conversion of %s %q to %s returned %s %s", s.Resource.Kind, obj.Name(), wanted, out.APIVersion(), out.Kind())
	}
	for _, key := range []string{"name", "namespace", "uid"} {
		if was, is := obj.meta(key), out.meta(key); was != is {
			return nil, fmt.Errorf("conversion of %s %q to %s changed metadata.%s from %q to %q", s.Resource.Kind, obj.Name(), wanted, key, was, is)
		}
	}
	meta, returned := obj.Meta(), out.Meta()
	meta.Set("labels", returned.Get("labels"))
	meta.Set("annotations", returned.Get("annotations"))
	return out.WithMeta(meta), nil
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
