package server

import (
	"net/url"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/negotiate"
)

// get serves GET of one object.
func (r *request) get() error {
	if err := r.acceptsView(false); err != nil {
		return err
	}
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
	if err := r.acceptsView(true); err != nil {
		return err
	}
	if r.answer.As.Kind != "Table" && r.answer.MediaType == negotiate.JSON {
		list, err := r.store.Stream(r.http.Context(), req)
		if err != nil {
			return err
		}
		return r.streamList(list)
	}
	list, err := r.store.List(r.http.Context(), req)
	if err != nil {
		return err
	}
	return r.writeList(list)
}

// listRequest reads the parameters of a list.
func (r *request) listRequest() (engine.ListRequest, error) {
	options, selector, err := r.listOptions()
	return engine.ListRequest{
		Info: r.info, Selector: selector, ResourceVersion: options.ResourceVersion, Match: engine.ResourceVersionMatch(options.ResourceVersionMatch),
		Limit: options.Limit, Continue: options.Continue,
	}, err
}

// listOptions reads the parameters of a list or watch, by the rules and in the words of Kubernetes.
func (r *request) listOptions() (*internalversion.ListOptions, engine.Selector, error) {
	options := &internalversion.ListOptions{}
	if len(r.query) == 0 && r.info.Name == "" {
		return options, engine.Selector{}, nil
	}
	if err := scheme.ParameterCodec.DecodeParameters(r.query, metav1.SchemeGroupVersion, options); err != nil {
		return options, engine.Selector{}, badRequest("%v", err)
	}
	options.Watch = r.info.Verb == "watch"
	internalversion.SetListOptionsDefaults(options, true)
	if errs := validation.ValidateListOptions(options, true); len(errs) > 0 {
		return options, engine.Selector{}, &optionError{"ListOptions", errs}
	}
	if r.query.Get("shardSelector") != "" {
		return options, engine.Selector{}, forbiddenOption("shardSelector", "sharded lists and watches are not served")
	}
	if err := r.selectName(options); err != nil {
		return options, engine.Selector{}, err
	}
	selector, err := r.store.Resource.NewSelector(r.info.Version, options.LabelSelector, options.FieldSelector)
	return options, selector, err
}

// selectName makes of a watch of one object by its path one by its name.
func (r *request) selectName(options *internalversion.ListOptions) error {
	if r.info.Name == "" {
		return nil
	}
	if options.FieldSelector == nil || options.FieldSelector.Empty() {
		options.FieldSelector = fields.OneTermEqualSelector("metadata.name", r.info.Name)
		return nil
	}
	if name, ok := options.FieldSelector.RequiresExactMatch("metadata.name"); !ok || name != r.info.Name {
		return badRequest("fieldSelector metadata.name doesn't match requested name")
	}
	return nil
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
	if query.Has("ignoreStoreReadErrorWithClusterBreakingPotential") {
		unread := isTrue(query, "ignoreStoreReadErrorWithClusterBreakingPotential")
		options.IgnoreStoreReadErrorWithClusterBreakingPotential = &unread
	}
	options.DryRun = query["dryRun"]
	return nil
}
