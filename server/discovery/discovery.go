// Package discovery tells clients what is served: the documents under /api and /apis.
//
// The nouns: Discovery (all documents of one snapshot of resources), Document (the bytes of one of them).
// The legacy documents (one for each group version) are in legacy.go, the aggregated ones (everything in
// one) in aggregated.go; both are drawn from the same groups, ordered in groups.go.
package discovery

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/negotiate"
)

// Document is one answer, ready to be written.
//
//   - Where there is an ETag the answer also carries Vary: Accept and Cache-Control: public.
type Document struct {
	ContentType string
	ETag        string // quoted; empty for legacy documents
	Body        []byte
}

// Unchanged tells whether the client's If-None-Match already names the document: 304.
func (d Document) Unchanged(ifNoneMatch string) bool {
	return d.ETag != "" && d.ETag == ifNoneMatch
}

// Discovery holds the documents of one snapshot. It is immutable.
type Discovery struct {
	legacy     map[string][]byte              // by path
	aggregated map[string]map[string]Document // by path ("/api", "/apis"), then version ("v2")
}

// New renders the documents for a list of resources.
//
//   - serverAddress ("10.0.0.1:6443") is what /api names as the server's own.
func New(resources []*engine.Resource, serverAddress string) (*Discovery, error) {
	groups := groupsOf(resources)
	d := &Discovery{legacy: map[string][]byte{}, aggregated: map[string]map[string]Document{}}
	if err := d.addLegacy(groups, serverAddress); err != nil {
		return nil, err
	}
	if err := d.addAggregated(groups); err != nil {
		return nil, err
	}
	return d, nil
}

// Document returns what is served under a path ("/apis/apps/v1") to a client with this Accept header.
//
//   - found is false where the path is no discovery document of this snapshot: 404.
//   - err is a *negotiate.NotAcceptableError: 406.
func (d *Discovery) Document(path, accept string) (doc Document, found bool, err error) {
	path = strings.TrimSuffix(path, "/")
	body, found := d.legacy[path]
	if !found {
		return Document{}, false, nil
	}
	if views, ok := d.aggregated[path]; ok {
		if answer, err := aggregatedEndpoint.Accept(accept); err == nil {
			doc, err := views[answer.As.Version].encoded(answer.MediaType)
			return doc, true, err
		}
	}
	answer, err := negotiate.Plain.Accept(accept)
	if err != nil {
		return Document{}, true, err
	}
	doc, err = Document{ContentType: negotiate.JSON, Body: body}.encoded(answer.MediaType)
	return doc, true, err
}

// encoded is the document in another encoding. The ETag stays: Vary: Accept tells the encodings apart.
func (d Document) encoded(mediaType string) (Document, error) {
	if mediaType != negotiate.YAML {
		return d, nil
	}
	body, err := yaml.JSONToYAML(d.Body)
	if err != nil {
		return Document{}, fmt.Errorf("discovery as YAML: %w", err)
	}
	d.Body = body
	d.ContentType = strings.Replace(d.ContentType, negotiate.JSON, negotiate.YAML, 1)
	return d, nil
}

func (d *Discovery) put(path string, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("discovery of %s: %w", path, err)
	}
	d.legacy[path] = append(body, '\n')
	return nil
}

func (d *Discovery) putAggregated(path string, as schema.GroupVersionKind, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("aggregated discovery of %s: %w", path, err)
	}
	if d.aggregated[path] == nil {
		d.aggregated[path] = map[string]Document{}
	}
	d.aggregated[path][as.Version] = Document{
		ContentType: fmt.Sprintf("%s;g=%s;v=%s;as=%s", negotiate.JSON, as.Group, as.Version, as.Kind),
		ETag:        fmt.Sprintf(`"%X"`, sha512.Sum512(body)),
		Body:        append(body, '\n'),
	}
	return nil
}
