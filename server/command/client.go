package command

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// apiClient talks to a server with the credentials of a kubeconfig.
type apiClient struct {
	server string
	token  string
	http   *http.Client
}

// kubeconfig is the part of a kubeconfig that apiClient reads.
type kubeconfig struct {
	CurrentContext string `json:"current-context"`
	Contexts       []struct {
		Name    string `json:"name"`
		Context struct {
			Cluster string `json:"cluster"`
			User    string `json:"user"`
		} `json:"context"`
	} `json:"contexts"`
	Clusters []struct {
		Name    string `json:"name"`
		Cluster struct {
			Server string `json:"server"`
			CA     []byte `json:"certificate-authority-data"`
		} `json:"cluster"`
	} `json:"clusters"`
	Users []struct {
		Name string `json:"name"`
		User struct {
			Token string `json:"token"`
			Cert  []byte `json:"client-certificate-data"`
			Key   []byte `json:"client-key-data"`
		} `json:"user"`
	} `json:"users"`
}

// newClient reads a kubeconfig: the file named, else $KUBECONFIG, else ~/.kube/config.
func newClient(path string) (*apiClient, error) {
	if path == "" {
		path = os.Getenv("KUBECONFIG")
	}
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(home, ".kube", "config")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig: %w", err)
	}
	var config kubeconfig
	if err := yaml.Unmarshal(raw, &config); err != nil {
		return nil, fmt.Errorf("--kubeconfig %s: %w", path, err)
	}
	client, err := config.client()
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig %s: %w", path, err)
	}
	return client, nil
}

// client makes a client of the current context.
func (k *kubeconfig) client() (*apiClient, error) {
	c := &apiClient{}
	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool()}
	for _, context := range k.Contexts {
		if context.Name != k.CurrentContext {
			continue
		}
		for _, cluster := range k.Clusters {
			if cluster.Name == context.Context.Cluster {
				c.server = cluster.Cluster.Server
				tlsConfig.RootCAs.AppendCertsFromPEM(cluster.Cluster.CA)
			}
		}
		for _, user := range k.Users {
			if user.Name != context.Context.User {
				continue
			}
			c.token = user.User.Token
			if len(user.User.Cert) > 0 {
				cert, err := tls.X509KeyPair(user.User.Cert, user.User.Key)
				if err != nil {
					return nil, err
				}
				tlsConfig.Certificates = []tls.Certificate{cert}
			}
		}
	}
	if c.server == "" {
		return nil, fmt.Errorf("context %q names no cluster with a server", k.CurrentContext)
	}
	c.http = &http.Client{Transport: &http.Transport{TLSClientConfig: tlsConfig, ForceAttemptHTTP2: true}}
	return c, nil
}

// answerError is an answer that says no.
type answerError struct {
	code    int
	message string
}

func (e *answerError) Error() string { return e.message }

// do sends a request and returns the answer's body. A failure is the Status' message.
func (c *apiClient) do(ctx context.Context, method, path, accept, contentType string, body []byte) ([]byte, error) {
	header := http.Header{"Accept": {accept}}
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	answer, _, err := c.exchange(ctx, method, path, header, body)
	return answer, err
}

// exchange sends a request with headers and returns the answer's body and headers. A failure is the Status' message.
func (c *apiClient) exchange(ctx context.Context, method, path string, header http.Header, body []byte) ([]byte, http.Header, error) {
	resp, err := c.open(ctx, method, path, header, body)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return answer, resp.Header, err
}

// open sends a request with headers and returns the answer, whose body has to be closed. A failure is the Status' message.
func (c *apiClient) open(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil || resp.StatusCode < 300 {
		return resp, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var status metav1.Status
	if json.Unmarshal(answer, &status) == nil && status.Message != "" {
		return nil, &answerError{resp.StatusCode, status.Message}
	}
	return nil, &answerError{resp.StatusCode, fmt.Sprintf("%s %s: %s", method, path, resp.Status)}
}
