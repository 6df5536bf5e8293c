package server

import (
	"net/url"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratagem-dev/stratagem/engine"
)

// get serves GET of one object.
func (r *request) get() error {
	obj, err := r.store.Get(r.http.Context(), engine.GetRequest{Info: r.info, ResourceVersion: r.query.Get("resourceVersion")})
	if err != nil {
		return err
	}
	return r.writeObject(200, obj)
}

// list serves GET of many.
func (r *request) list() error {
	req, err := r.listRequest()
	if err != nil {
		return err
	}
	list, err := r.store.List(r.http.Context(), req)
	if err != nil {
		return err
	}
	return r.writeList(list)
}

// listRequest reads the parameters of a list.
func (r *request) listRequest() (engine.ListRequest, error) {
	req := engine.ListRequest{
		Info: r.info, ResourceVersion: r.query.Get("resourceVersion"), Continue: r.query.Get("continue"),
		Match: engine.ResourceVersionMatch(r.query.Get("resourceVersionMatch")),
	}
	var err error
	if req.Limit, err = integer(r.query, "limit"); err != nil {
		return req, err
	}
	req.Selector, err = r.selector()
	return req, err
}

func (r *request) selector() (engine.Selector, error) {
	return r.store.Resource.ParseSelector(r.query.Get("labelSelector"), r.query.Get("fieldSelector"))
}

// integer reads a parameter that is a number of at least 0; absent is 0.
func integer(query url.Values, key string) (int64, error) {
	text := query.Get(key)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, badRequest("%s: Invalid value: %q: must be a number of at least 0", key, text)
	}
	return n, nil
}

// deleteParameters reads DeleteOptions from the query.
func deleteParameters(query url.Values, options *metav1.DeleteOptions) error {
	if text := query.Get("gracePeriodSeconds"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return badRequest("gracePeriodSeconds: Invalid value: %q: must be a number", text)
		}
		options.GracePeriodSeconds = &n
	}
	if text := query.Get("orphanDependents"); text != "" {
		orphan := isTrue(query, "orphanDependents")
		options.OrphanDependents = &orphan //nolint:staticcheck // old clients still send it
	}
	if text := query.Get("propagationPolicy"); text != "" {
		policy := metav1.DeletionPropagation(text)
		options.PropagationPolicy = &policy
	}
	options.DryRun = query["dryRun"]
	return nil
}
