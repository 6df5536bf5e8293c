package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

var volumeFieldPaths = []string{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"}

// downwardFile checks one file of a downwardAPI volume. Kubernetes names no index.
func (c *check) downwardFile(file tree.Node, path place) {
	c.present(file, "path", path)
	c.localPath(file.Get("path").String(), path.child("path"))
	ref, resource := file.Get("fieldRef"), file.Get("resourceFieldRef")
	switch {
	case ref.Exists():
		c.fieldRef(ref, volumeFieldPaths, path.child("fieldRef"))
		if resource.Exists() {
			c.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
		}
	case resource.Exists():
		c.resourceFieldRef(resource, true, path.child("resourceFieldRef"))
	default:
		c.required(path, "one of fieldRef and resourceFieldRef is required")
	}
	c.mode(file, "mode", path)
}

// projection is one projected volume while its sources are checked.
type projection struct {
	*check
	path  place
	taken []string // the paths of files
}

func (c *check) projected(source tree.Node, path place) {
	p := &projection{check: c, path: path}
	for i, s := range source.Get("sources").Items() {
		at := path.child("sources").index(i)
		kinds := 0
		for _, key := range []string{"secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"} {
			if part := s.Get(key); part.Exists() {
				kinds++
				p.part(key, part, at.child(key))
			}
		}
		if kinds > 1 {
			c.forbidden(at, "may not specify more than 1 volume type per source")
		}
	}
}

func (p *projection) part(key string, part tree.Node, path place) {
	switch key {
	case "secret", "configMap":
		p.present(part, "name", path)
		for i, item := range part.Get("items").Items() {
			p.keyToPath(item, path.child("items").index(i))
			p.take(item.Get("path").String(), part.Get("name").String())
		}
	case "downwardAPI":
		for _, file := range part.Get("items").Items() {
			p.downwardFile(file, path)
			p.take(file.Get("path").String(), file.Get("path").String())
		}
	case "serviceAccountToken":
		p.token(part, path)
	case "clusterTrustBundle":
		p.trustBundle(part, path)
	}
}

// take reports a file that another source makes too, as Kubernetes does: by the name of the source.
func (p *projection) take(file, value string) {
	switch {
	case file == "":
	case contains(p.taken, file):
		p.invalid(p.path, value, "conflicting duplicate paths")
	default:
		p.taken = append(p.taken, file)
	}
}

func (p *projection) token(token tree.Node, path place) {
	seconds := token.Get("expirationSeconds")
	if seconds.Int() < 10*60 {
		p.invalid(path.child("expirationSeconds"), seconds.Value(), "may not specify a duration less than 10 minutes")
	}
	if seconds.Int() > 1<<32 {
		p.invalid(path.child("expirationSeconds"), seconds.Value(), "may not specify a duration larger than 2^32 seconds")
	}
	if file := token.Get("path").String(); file == "" {
		p.required(p.path.child("path"), "")
	} else {
		p.localPath(file, p.path.child("path"))
	}
}

func (p *projection) trustBundle(bundle tree.Node, path place) {
	name, signer, selector := bundle.Get("name"), bundle.Get("signerName"), bundle.Get("labelSelector")
	switch {
	case name.Exists() && signer.Exists():
		p.invalid(path, bundle.Value(), "only one of name and signerName may be used")
	case name.Exists():
		if name.String() == "" {
			p.required(path.child("name"), "must be a valid object name")
		}
		for _, message := range subdomain(strings.ReplaceAll(name.String(), ":", ".")) {
			p.invalid(path.child("name"), name.String(), "not a valid clustertrustbundlename: "+message)
		}
		if selector.Exists() {
			p.invalid(path.child("labelSelector"), selector.Value(), "labelSelector must be unset if name is specified")
		}
	case signer.Exists():
		if signer.String() == "" {
			p.required(path.child("signerName"), "must be a valid signer name")
		}
		if selector.Exists() {
			p.selector(selector, path.child("labelSelector"))
		}
	default:
		p.required(path, "either name or signerName must be specified")
	}
	file := bundle.Get("path").String()
	p.present(bundle, "path", path)
	p.localPath(file, path.child("path"))
	p.take(file, file)
}
