package artifact

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// Options bound a Client. Those without a stated default are required.
type Options struct {
	// MaxBytes is how large a module may be.
	MaxBytes int64
	// Timeout is what one fetch or publication may take: 5 minutes.
	Timeout time.Duration
	// PlainHTTP allows HTTP without TLS; to this machine it is always allowed.
	PlainHTTP bool
	// CAFile holds certificates of authorities, in PEM, that are trusted besides the system's.
	CAFile string
}

// Client talks to registries, with the credentials that docker's config file holds or names, and to HTTPS servers.
type Client struct {
	options Options
	http    *http.Client
	auth    *auth.Client
}

// NewClient makes a client. Docker's config file is $DOCKER_CONFIG/config.json, else ~/.docker/config.json.
func NewClient(options Options) (*Client, error) {
	if options.Timeout <= 0 {
		options.Timeout = 5 * time.Minute
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if options.CAFile != "" {
		text, err := os.ReadFile(options.CAFile)
		if err != nil {
			return nil, fmt.Errorf("certificates of authorities: %w", err)
		}
		if config.RootCAs, err = x509.SystemCertPool(); err != nil {
			return nil, err
		}
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: holds no certificate in PEM", options.CAFile)
		}
	}
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return nil, fmt.Errorf("docker's config file: %w", err)
	}
	c := &Client{options: options}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second}
	c.http = &http.Client{Transport: transport, CheckRedirect: c.checkRedirect}
	c.auth = &auth.Client{Client: c.http, Cache: auth.NewCache(), Credential: credentials.Credential(store)}
	c.auth.SetUserAgent("stratagem")
	return c, nil
}

// maxRedirects is how many redirects are followed.
const maxRedirects = 10

// checkRedirect lets no one lead the client from HTTPS to HTTP.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if req.URL.Scheme != "https" && !c.plainAllowed(req.URL.Host) {
		return fmt.Errorf("a redirect leads to %s without TLS", req.URL.Host)
	}
	return nil
}

func (c *Client) plainAllowed(host string) bool { return c.options.PlainHTTP || isLoopback(host) }

// repository finds out how a registry is to be spoken to.
func (c *Client) repository(ctx context.Context, ref Reference) (*remote.Repository, error) {
	repo, err := remote.NewRepository(ref.Registry + "/" + ref.Repository)
	if err != nil {
		return nil, err
	}
	repo.Client = c.auth
	repo.PlainHTTP = c.plainAllowed(ref.Registry) && c.speaksPlain(ctx, ref.Registry)
	return repo, nil
}

// speaksPlain tells whether a host answers HTTPS with HTTP.
func (c *Client) speaksPlain(ctx context.Context, host string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+"/v2/", nil)
	if err != nil {
		return false
	}
	resp, err := c.http.Do(req)
	if err == nil {
		resp.Body.Close()
	}
	return errors.Is(err, http.ErrSchemeMismatch)
}

// bounded is a context that ends when a fetch has taken too long.
func (c *Client) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.options.Timeout, fmt.Errorf("it took longer than %s", c.options.Timeout))
}
