package server

import (
	"cmp"
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/util/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/protobuf"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// create serves POST of a new object.
func (r *request) create() error {
	obj, decoding, err := r.readObject()
	if err != nil {
		return err
	}
	if r.store.Resource.Namespaced && r.info.Namespace == "" {
		// Kubernetes takes a create without a namespace in its path only where the object has none either.
		return badRequest("an empty namespace may not be set during creation")
	}
	if r.trial != nil {
		r.choose(cmp.Or(obj.Name(), obj.Get("metadata", "generateName").Str))
	}
	create := r.store.Create
	if r.isPlugin() {
		create = func(ctx context.Context, req engine.CreateRequest) (engine.Result, error) {
			return r.server.plugins.Create(ctx, r.store, req)
		}
	}
	req := engine.CreateRequest{Info: r.info, Object: obj, Decoding: decoding}
	result, err := create(r.http.Context(), req)
	if r.chosen {
		r.shadow(rollout.Job{Create: &req}, result, err)
	}
	return r.answerWrite(result, err)
}

// answerWrite answers a create or an update.
func (r *request) answerWrite(result engine.Result, err error) error {
	if err == nil {
		result, err = r.settledResult(result)
	}
	if err != nil {
		return err
	}
	code := http.StatusOK
	if result.Created {
		code = http.StatusCreated
	}
	return r.writeResult(code, result)
}

// update serves PUT.
func (r *request) update() error {
	obj, decoding, err := r.readObject()
	if err != nil {
		return err
	}
	return r.change(engine.Replace{Object: obj}, decoding)
}

func (r *request) change(change engine.Change, decoding engine.Decoding) error {
	update := r.store.Update
	if r.isPlugin() {
		update = func(ctx context.Context, req engine.UpdateRequest) (engine.Result, error) {
			return r.server.plugins.Update(ctx, r.store, req)
		}
	}
	req := engine.UpdateRequest{Info: r.info, Change: change, Decoding: decoding}
	result, err := update(r.http.Context(), req)
	if r.chosen {
		r.shadow(rollout.Job{Update: &req}, result, err)
	}
	return r.answerWrite(result, err)
}

// runsLifecycle tells whether a request writes one object.
func (r *request) runsLifecycle() bool {
	switch r.info.Verb {
	case "create", "update", "patch", "delete":
		return true
	}
	return false
}

// isPlugin tells whether a request is for a StrategyPlugin.
func (r *request) isPlugin() bool {
	return r.store.Resource.GroupResource() == pluginGroupResource
}

// The patch formats.
const (
	jsonPatchType      = "application/json-patch+json"
	mergePatchType     = "application/merge-patch+json"
	strategicPatchType = "application/strategic-merge-patch+json"
)

// patch serves PATCH.
func (r *request) patch() error {
	body, err := r.body.of(r.http)
	if err != nil {
		return err
	}
	validation, err := fieldValidation(r.info.Verb, r.query.Get("fieldValidation"))
	if err != nil {
		return err
	}
	decoding := engine.Decoding{FieldValidation: validation}
	switch t := mediaType(r.http); t {
	case jsonPatchType:
		change, err := engine.NewJSONPatch(body)
		if err != nil {
			return err
		}
		return r.change(change, decoding)
	case mergePatchType, strategicPatchType:
		patch, duplicates, err := engine.ParseObject(body)
		if err != nil {
			return badRequest("error decoding patch: %v", err)
		}
		decoding.Duplicates = duplicates
		if t == mergePatchType {
			return r.change(engine.MergePatch{Patch: patch}, decoding)
		}
		if r.version.Schema == nil || !r.version.Schema.HasPatchMeta() {
			return &mediaTypeError{t, r.patchTypes()}
		}
		return r.change(engine.StrategicPatch{Patch: patch}, decoding)
	case applyPatchType:
		return r.apply(body, validation)
	default:
		return &mediaTypeError{t, r.patchTypes()}
	}
}

// patchTypes are the formats that the resource takes.
func (r *request) patchTypes() []string {
	types := []string{jsonPatchType, mergePatchType}
	if r.version.Schema != nil && r.version.Schema.HasPatchMeta() {
		types = append(types, strategicPatchType)
	}
	return append(types, applyPatchType)
}

// post serves POST to a subresource.
func (r *request) post() error {
	sub := r.store.Resource.Subresource(r.info.Subresource)
	if sub.Create == nil && sub.Unavailable == "" {
		return &engine.MethodNotSupportedError{Resource: r.store.Resource.GroupResource(), Verb: r.http.Method}
	}
	obj := engine.Object(`{}`)
	if sub.Unavailable == "" {
		var err error
		if obj, _, err = r.readObject(); err != nil {
			return err
		}
	}
	result, err := r.store.Post(r.http.Context(), engine.PostRequest{Info: r.info, Body: obj})
	if err != nil {
		return err
	}
	addWarnings(r.writer.Header(), result.Warnings)
	status := metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated, Message: result.Message}
	return r.writeStatus(http.StatusCreated, &status)
}

// delete serves DELETE of one object.
func (r *request) delete() error {
	options, err := r.deleteOptions()
	if err != nil {
		return err
	}
	req := engine.DeleteRequest{Info: r.info, Options: *options}
	remove := r.store.Delete
	if r.isPlugin() {
		remove = func(ctx context.Context, req engine.DeleteRequest) (engine.Result, error) {
			return r.server.plugins.Delete(ctx, r.store, req)
		}
	}
	result, err := remove(r.http.Context(), req)
	if r.chosen {
		r.shadow(rollout.Job{Delete: &req}, result, err)
	}
	if err == nil {
		result, err = r.settledResult(result)
	}
	if err != nil {
		return err
	}
	code := http.StatusOK
	if orphan := options.OrphanDependents; !result.Deleted && orphan != nil && !*orphan { //nolint:staticcheck // old clients still send it
		code = http.StatusAccepted
	}
	if !result.Deleted || r.store.Resource.Traits.ReturnDeletedObject {
		return r.writeResult(code, result)
	}
	resource := r.store.Resource
	return r.writeStatus(code, &metav1.Status{Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{
		Name: r.info.Name, Group: resource.Group, Kind: resource.Plural, UID: uidOf(result.Object),
	}})
}

// deleteCollection serves DELETE of a list.
func (r *request) deleteCollection() error {
	if r.isPlugin() {
		return &engine.MethodNotSupportedError{Resource: pluginGroupResource, Verb: r.info.Verb}
	}
	options, err := r.deleteOptions()
	if err != nil {
		return err
	}
	req, err := r.listRequest()
	if err != nil {
		return err
	}
	list, err := r.store.DeleteCollection(r.http.Context(), req, *options)
	if err != nil {
		return err
	}
	return r.writeList(list)
}

// deleteOptions reads the options of a deletion: from the body, or without one from the query.
func (r *request) deleteOptions() (*metav1.DeleteOptions, error) {
	body, err := r.body.of(r.http)
	if err != nil {
		return nil, err
	}
	options := &metav1.DeleteOptions{}
	if len(body) == 0 {
		err = deleteParameters(r.query, options)
	} else {
		err = decodeOptions(mediaType(r.http), body, options)
	}
	if err != nil {
		return nil, err
	}
	dry, err := dryRun(r.info.Verb, options.DryRun)
	r.info.DryRun = r.info.DryRun || dry
	return options, err
}

// decodeOptions reads DeleteOptions; of any group, as old clients send their resource's own.
func decodeOptions(mediaType string, body []byte, into *metav1.DeleteOptions) error {
	if mediaType == protobuf.ContentType {
		converted, gvk, err := protobuf.Decode(body)
		if err != nil {
			return protobufFailure(err)
		}
		if gvk.Kind != "DeleteOptions" {
			return badRequest("decoded object cannot be converted to DeleteOptions")
		}
		body, mediaType = converted, "application/json"
	}
	obj, _, err := parseBody(mediaType, body)
	if err != nil {
		return err
	}
	if kind := obj.Kind(); kind != "" && kind != "DeleteOptions" {
		return badRequest("decoded object cannot be converted to DeleteOptions")
	}
	if err := json.Unmarshal(obj, into); err != nil {
		return badRequest("DeleteOptions: %v", err)
	}
	return nil
}
