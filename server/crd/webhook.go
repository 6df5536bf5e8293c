package crd

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"
	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// webhookTimeout is how long a webhook may take for one request, and webhookReply how large its reply may be.
const (
	webhookTimeout = 30 * time.Second
	webhookReply   = 256 << 20
)

// webhook converts custom resources by asking a server of their author's.
type webhook struct {
	url     string
	review  string // the version of ConversionReview: "v1", "v1beta1"
	kind    schema.GroupKind
	client  *http.Client
	refusal error // why the server cannot be asked
}

// converterOf is what converts the objects of a definition; nil: only their apiVersion changes.
func converterOf(crd *apiv1.CustomResourceDefinition, kind string) (engine.Converter, error) {
	c := crd.Spec.Conversion
	if c == nil || c.Strategy != apiv1.WebhookConverter || c.Webhook == nil || c.Webhook.ClientConfig == nil {
		return nil, nil
	}
	w := &webhook{kind: schema.GroupKind{Group: crd.Spec.Group, Kind: kind}}
	for _, version := range c.Webhook.ConversionReviewVersions {
		if version == "v1" || version == "v1beta1" {
			w.review = version
			break
		}
	}
	config := c.Webhook.ClientConfig
	switch {
	case w.review == "":
		w.refusal = errors.New("no supported conversion review versions")
	case config.URL != nil:
		w.url = *config.URL
	case config.Service != nil:
		w.refusal = fmt.Errorf("service %q in namespace %q cannot be resolved: this server has no cluster network, give the webhook by its url", config.Service.Name, config.Service.Namespace)
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if bundle := bytes.TrimSpace(config.CABundle); len(bundle) > 0 {
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM(bundle) {
			w.refusal = errors.New("unable to load root certificates: unable to parse bytes as PEM block")
		}
	}
	w.client = &http.Client{
		Transport: &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true, Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 25, IdleConnTimeout: 90 * time.Second},
		Timeout:   webhookTimeout,
	}
	return w, nil
}

// Convert asks the webhook once for all objects.
func (w *webhook) Convert(ctx context.Context, _ *engine.RequestInfo, objects []engine.Object, apiVersion string) ([]engine.Object, error) {
	from, err := schema.ParseGroupVersion(objects[0].APIVersion())
	if err != nil {
		return nil, err
	}
	gvk := from.WithKind(w.kind.Kind)
	converted, err := w.ask(ctx, objects, apiVersion)
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
	ctx, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
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
			return nil, errors.New(result.Message)
		}
		return nil, fmt.Errorf("response.result.status was '%s', not 'Success'", result.Status)
	}
	return review.Response.ConvertedObjects, nil
}

var _ engine.Converter = (*webhook)(nil)
