package crd

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// Webhooks is how the servers of conversion webhooks are reached. The zero value is good.
type Webhooks struct {
	// Timeout is how long one may take for a request; 0 is 30 s.
	Timeout time.Duration
	// Endpoints are the addresses of services, "10.0.0.7:9443" by "NAME.NAMESPACE.svc:PORT". Those that are not there are looked up by that name.
	Endpoints map[string]string
}

// webhookTimeout is how long a webhook may take where nothing is said.
const webhookTimeout = 30 * time.Second

// converterOf is what converts the objects of a definition; nil: only their apiVersion changes.
func (h Webhooks) converterOf(crd *apiv1.CustomResourceDefinition, kind string) engine.Converter {
	c := crd.Spec.Conversion
	if c == nil || c.Strategy != apiv1.WebhookConverter || c.Webhook == nil || c.Webhook.ClientConfig == nil {
		return nil
	}
	w := &webhook{kind: schema.GroupKind{Group: crd.Spec.Group, Kind: kind}}
	for _, version := range c.Webhook.ConversionReviewVersions {
		if version == "v1" || version == "v1beta1" {
			w.review = version
			break
		}
	}
	if w.review == "" {
		w.refusal = errors.New("no supported conversion review versions")
		return w
	}
	if err := h.reach(w, c.Webhook.ClientConfig); err != nil {
		w.refusal = err
	}
	return w
}

// reach makes a webhook's client.
func (h Webhooks) reach(w *webhook, config *apiv1.WebhookClientConfig) error {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 25, IdleConnTimeout: 90 * time.Second,
		Proxy: http.ProxyFromEnvironment,
	}
	switch {
	case config.URL != nil:
		w.url = *config.URL
	case config.Service != nil:
		host, address, err := h.resolve(config.Service)
		if err != nil {
			return err
		}
		u := url.URL{Scheme: "https", Host: host, Path: "/"}
		if config.Service.Path != nil {
			u.Path = *config.Service.Path
		}
		w.url = u.String()
		transport.Proxy = nil // no proxy knows the services of a cluster
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	default:
		return errors.New("webhook configuration must have either service or URL")
	}
	if bundle := bytes.TrimSpace(config.CABundle); len(bundle) > 0 {
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(bundle) {
			return errors.New("unable to load root certificates: unable to parse bytes as PEM block")
		}
	}
	w.client = &http.Client{Transport: transport, Timeout: h.Timeout}
	if h.Timeout == 0 {
		w.client.Timeout = webhookTimeout
	}
	return nil
}

// resolve is the host of a service, which its certificate has to be for, and the address to dial.
//
//   - The host is NAME.NAMESPACE.svc, as with Kubernetes' own resolver where it cannot look at Services: the DNS of the cluster knows it.
func (h Webhooks) resolve(s *apiv1.ServiceReference) (host, address string, err error) {
	port := int32(443)
	if s.Port != nil {
		port = *s.Port
	}
	if s.Name == "" || s.Namespace == "" || port == 0 {
		return "", "", errors.New("cannot resolve an empty service name or namespace or port")
	}
	name := s.Name + "." + s.Namespace + ".svc"
	host = net.JoinHostPort(name, strconv.Itoa(int(port)))
	if address = h.Endpoints[host]; address == "" {
		return host, host, nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return "", "", fmt.Errorf("endpoint of service %s: %w", host, err)
	}
	return host, address, nil
}
