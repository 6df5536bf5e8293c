package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// The names of the flags that DialConfig comes from, for messages.
const (
	ServersFlag  = "--etcd-servers"
	CAFileFlag   = "--etcd-cafile"
	CertFileFlag = "--etcd-certfile"
	KeyFileFlag  = "--etcd-keyfile"
)

const (
	keepAliveTime    = 30 * time.Second
	keepAliveTimeout = 10 * time.Second

	// An external etcd may take larger requests than the embedded one: let it decide.
	mostSendBytes = 16 << 20
)

// DialConfig says where an external etcd is and how to be trusted by it. Endpoints is required.
type DialConfig struct {
	Endpoints []string // http://HOST:PORT, https://HOST:PORT, unix:///PATH or unixs:///PATH
	CAFile    string   // the authority of etcd's certificate; empty: the system's
	CertFile  string   // the client's certificate, with KeyFile
	KeyFile   string
	// Log takes the client's warnings, a line each; nil discards them.
	Log io.Writer
}

// Dial makes a client for an external etcd.
//
//   - It connects in the background: etcd may be started later, or come back.
//   - Errors name the flag that is wrong.
func Dial(cfg DialConfig) (*clientv3.Client, error) {
	secure, err := checkEndpoints(cfg.Endpoints)
	if err != nil {
		return nil, err
	}
	config := clientv3.Config{
		Endpoints:            cfg.Endpoints,
		DialKeepAliveTime:    keepAliveTime,
		DialKeepAliveTimeout: keepAliveTimeout,
		MaxCallSendMsgSize:   mostSendBytes,
		Logger:               newLogger(cfg.Log),
	}
	if config.TLS, err = cfg.tls(secure); err != nil {
		return nil, err
	}
	client, err := clientv3.New(config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ServersFlag, err)
	}
	return client, nil
}

// checkEndpoints tells whether the endpoints speak TLS. They all do or none does.
func checkEndpoints(endpoints []string) (secure bool, err error) {
	if len(endpoints) == 0 {
		return false, fmt.Errorf("%s: no URL given", ServersFlag)
	}
	for i, endpoint := range endpoints {
		tls, err := checkEndpoint(endpoint)
		if err != nil {
			return false, fmt.Errorf("%s: %q %w", ServersFlag, withoutUser(endpoint), err)
		}
		if i > 0 && tls != secure {
			return false, fmt.Errorf("%s: %q and %q: either all speak TLS or none", ServersFlag, endpoints[0], endpoint)
		}
		secure = tls
	}
	return secure, nil
}

// withoutUser takes out of a URL, or of what was meant to be one, the name and password in it.
func withoutUser(endpoint string) string {
	scheme, rest, found := strings.Cut(endpoint, "://")
	if !found {
		scheme, rest = "", endpoint
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	if !found {
		return rest
	}
	return scheme + "://" + rest
}

func checkEndpoint(endpoint string) (secure bool, err error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false, errors.New("is no URL: want http://HOST:PORT or https://HOST:PORT")
	}
	switch u.Scheme {
	case "unix", "unixs":
		if u.Host+u.Path == "" {
			return false, errors.New("has no path")
		}
		return u.Scheme == "unixs", nil
	case "http", "https":
	default:
		return false, errors.New("has no scheme that etcd serves: want http, https, unix or unixs")
	}
	switch {
	case u.Hostname() == "":
		return false, errors.New("has no host")
	case u.User != nil:
		return false, errors.New("names a user: etcd clients are known by their certificates")
	case (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "":
		return false, errors.New("has more than host and port")
	}
	return u.Scheme == "https", nil
}

// tls is the TLS configuration; nil without TLS.
func (cfg *DialConfig) tls(secure bool) (*tls.Config, error) {
	if !secure {
		for _, file := range []struct{ flag, path string }{{CAFileFlag, cfg.CAFile}, {CertFileFlag, cfg.CertFile}, {KeyFileFlag, cfg.KeyFile}} {
			if file.path != "" {
				return nil, fmt.Errorf("%s is given, but %s speak no TLS", file.flag, ServersFlag)
			}
		}
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if cfg.CAFile != "" {
		pem, err := os.ReadFile(cfg.CAFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", CAFileFlag, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s holds no certificate", CAFileFlag, cfg.CAFile)
		}
	}
	if cfg.CertFile == "" && cfg.KeyFile == "" {
		return config, nil
	}
	load := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", CertFileFlag, KeyFileFlag, err)
		}
		return &pair, nil
	}
	if _, err := load(); err != nil {
		return nil, err
	}
	// Read anew for every connection, so that a certificate may be renewed while we run.
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return load() }
	return config, nil
}
