package crd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/google/uuid"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// webhookReply is how large the reply of a webhook may be.
const webhookReply = 256 << 20

// webhook converts custom resources by asking a server of their author's.
type webhook struct {
	url     string
	review  string // the version of ConversionReview: "v1", "v1beta1"
	kind    schema.GroupKind
	client  *http.Client
	refusal error // why the server cannot be asked
}

// Convert asks the webhook once for all objects.
func (w *webhook) Convert(ctx context.Context, _ *engine.RequestInfo, objects []engine.Object, apiVersion string) ([]engine.Object, error) {
	from, err := schema.ParseGroupVersion(objects[0].APIVersion())
	if err != nil {
		return nil, err
	}
	gvk := from.WithKind(w.kind.Kind)
	converted, err := w.ask(ctx, objects, apiVersion)
	var failed *failure
	if errors.As(err, &failed) && len(objects) > 1 {
		err = w.culprit(ctx, objects, apiVersion, failed)
	}
	if err != nil {
		return nil, &engine.ConversionError{Message: fmt.Sprintf("conversion webhook for %v failed: %v", gvk, err)}
	}
	if len(converted) != len(objects) {
		return nil, &engine.ConversionError{Message: fmt.Sprintf("conversion webhook for %v returned %d objects, expected %d", gvk, len(converted), len(objects))}
	}
	out := make([]engine.Object, len(objects))
	for i, raw := range converted {
		if out[i], err = checkConverted(raw, objects[i], apiVersion); err != nil {
			return nil, &engine.ConversionError{Message: fmt.Sprintf("conversion webhook for %v returned invalid converted object at index %d: %v", gvk, i, err)}
		}
	}
	return out, nil
}

// failure is what a webhook says of objects that it cannot convert.
type failure struct{ message string }

func (e *failure) Error() string { return e.message }

// culprit finds out by halves which of several objects the webhook cannot convert, and names it.
func (w *webhook) culprit(ctx context.Context, objects []engine.Object, apiVersion string, failed *failure) error {
	for len(objects) > 1 {
		half := objects[:len(objects)/2]
		_, err := w.ask(ctx, half, apiVersion)
		var theirs *failure
		switch {
		case err == nil:
			objects = objects[len(half):]
		case errors.As(err, &theirs):
			objects, failed = half, theirs
		default:
			return failed
		}
	}
	name := objects[0].Name()
	if ns := objects[0].Namespace(); ns != "" {
		name = ns + "/" + name
	}
	return fmt.Errorf("%w (object %q)", failed, name)
}

// checkConverted makes sure that an answer is the object it was asked for.
func checkConverted(raw json.RawMessage, asked engine.Object, apiVersion string) (engine.Object, error) {
	obj, _, err := engine.ParseObject(raw)
	if err != nil {
		return nil, err
	}
	if got := obj.APIVersion(); got != apiVersion {
		return nil, fmt.Errorf("invalid groupVersion (expected %s, received %s)", apiVersion, got)
	}
	if got := obj.Kind(); got != asked.Kind() {
		return nil, fmt.Errorf("invalid kind (expected %s, received %s)", asked.Kind(), got)
	}
	if !obj.Fields().Has("metadata") {
		return nil, errors.New("missing metadata in converted object")
	}
	for _, f := range []struct {
		name string
		want string
		got  string
	}{
		{"name", asked.Name(), obj.Name()}, {"namespace", asked.Namespace(), obj.Namespace()}, {"UID", asked.UID(), obj.UID()},
	} {
		if f.want != f.got {
			return nil, fmt.Errorf("must have the same %s: %v != %v", f.name, f.want, f.got)
		}
	}
	return obj, nil
}

// ask sends one ConversionReview.
func (w *webhook) ask(ctx context.Context, objects []engine.Object, apiVersion string) ([]json.RawMessage, error) {
	if w.refusal != nil {
		return nil, w.refusal
	}
	uid := uuid.NewString()
	body := w.request(uid, objects, apiVersion)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, */*")
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, webhookReply))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 206 {
		return nil, apierrors.NewGenericServerResponse(resp.StatusCode, "POST", schema.GroupResource{}, "", string(reply), 0, true)
	}
	return w.objectsIn(reply, uid)
}

// request is a ConversionReview as it is sent. The objects go in as they stand: they are JSON in canonical form.
func (w *webhook) request(uid string, objects []engine.Object, apiVersion string) []byte {
	size := 256
	for _, obj := range objects {
		size += len(obj) + 1
	}
	body := fmt.Appendf(make([]byte, 0, size), `{"apiVersion":%q,"kind":"ConversionReview","request":{"uid":%q,"desiredAPIVersion":%q,"objects":[`, Group+"/"+w.review, uid, apiVersion)
	for i, obj := range objects {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, obj...)
	}
	return append(body, "]}}"...)
}

// reviewResponse is a ConversionReview as it comes back.
type reviewResponse struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Response   *struct {
		UID              string            `json:"uid"`
		ConvertedObjects []json.RawMessage `json:"convertedObjects"`
		Result           metav1.Status     `json:"result"`
	} `json:"response"`
}

// objectsIn takes the objects out of a reply. Of v1beta1 neither kind nor uid are looked at, as in Kubernetes.
func (w *webhook) objectsIn(reply []byte, uid string) ([]json.RawMessage, error) {
	var review reviewResponse
	if err := json.Unmarshal(reply, &review); err != nil {
		return nil, err
	}
	if w.review == "v1" {
		want := schema.GroupVersionKind{Group: Group, Version: "v1", Kind: "ConversionReview"}
		if got := schema.FromAPIVersionAndKind(review.APIVersion, review.Kind); got != want {
			return nil, fmt.Errorf("expected webhook response of %v, got %v", want, got)
		}
	}
	if review.Response == nil {
		return nil, errors.New("no response provided")
	}
	if w.review == "v1" && review.Response.UID != uid {
		return nil, fmt.Errorf("expected response.uid=%q, got %q", uid, review.Response.UID)
	}
	if result := review.Response.Result; result.Status != metav1.StatusSuccess {
		if result.Message != "" {
			return nil, &failure{result.Message}
		}
		return nil, &failure{fmt.Sprintf("response.result.status was '%s', not 'Success'", result.Status)}
	}
	return review.Response.ConvertedObjects, nil
}

var _ engine.Converter = (*webhook)(nil)
