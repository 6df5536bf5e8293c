package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/labels"
)

var volumeFieldPaths = []string{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"}

// downwardFile checks one file of a downwardAPI volume. Kubernetes names no index.
func (c *check) downwardFile(file tree.Node, path *field.Path) {
	c.present(file, "path", path)
	c.localPath(file.Get("path").String(), path.Child("path"))
	ref, resource := file.Get("fieldRef"), file.Get("resourceFieldRef")
	switch {
	case ref.Exists():
		c.fieldRef(ref, volumeFieldPaths, path.Child("fieldRef"))
		if resource.Exists() {
			c.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
		}
	case resource.Exists():
		c.resourceFieldRef(resource, true, path.Child("resourceFieldRef"))
	default:
		c.required(path, "one of fieldRef and resourceFieldRef is required")
	}
	c.mode(file, "mode", path)
}

// projection is one projected volume while its sources are checked.
type projection struct {
	*check
	path  *field.Path
	taken []string // the paths of files
}

func (c *check) projected(source tree.Node, path *field.Path) {
	p := &projection{check: c, path: path}
	for i, s := range source.Get("sources").Items() {
		at := path.Child("sources").Index(i)
		kinds := 0
		for _, key := range []string{"secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"} {
			if part := s.Get(key); part.Exists() {
				kinds++
				p.part(key, part, at.Child(key))
			}
		}
		if kinds > 1 {
			c.forbidden(at, "may not specify more than 1 volume type per source")
		}
	}
}

func (p *projection) part(key string, part tree.Node, path *field.Path) {
	switch key {
	case "secret", "configMap":
		p.present(part, "name", path)
		for i, item := range part.Get("items").Items() {
			p.keyToPath(item, path.Child("items").Index(i))
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

func (p *projection) token(token tree.Node, path *field.Path) {
	seconds := token.Get("expirationSeconds")
	if seconds.Int() < 10*60 {
		p.invalid(path.Child("expirationSeconds"), seconds.Value(), "may not specify a duration less than 10 minutes")
	}
	if seconds.Int() > 1<<32 {
		p.invalid(path.Child("expirationSeconds"), seconds.Value(), "may not specify a duration larger than 2^32 seconds")
	}
	if file := token.Get("path").String(); file == "" {
		p.required(p.path.Child("path"), "")
	} else {
		p.localPath(file, p.path.Child("path"))
	}
}

func (p *projection) trustBundle(bundle tree.Node, path *field.Path) {
	name, signer, selector := bundle.Get("name"), bundle.Get("signerName"), bundle.Get("labelSelector")
	switch {
	case name.Exists() && signer.Exists():
		p.invalid(path, bundle.Value(), "only one of name and signerName may be used")
	case name.Exists():
		if name.String() == "" {
			p.required(path.Child("name"), "must be a valid object name")
		}
		for _, message := range subdomain(strings.ReplaceAll(name.String(), ":", ".")) {
			p.invalid(path.Child("name"), name.String(), "not a valid clustertrustbundlename: "+message)
		}
		if selector.Exists() {
			p.invalid(path.Child("labelSelector"), selector.Value(), "labelSelector must be unset if name is specified")
		}
	case signer.Exists():
		if signer.String() == "" {
			p.required(path.Child("signerName"), "must be a valid signer name")
		}
		if selector.Exists() {
			p.errs = append(p.errs, labels.Validate(selector.Value(), path.Child("labelSelector"))...)
		}
	default:
		p.required(path, "either name or signerName must be specified")
	}
	file := bundle.Get("path").String()
	p.present(bundle, "path", path)
	p.localPath(file, path.Child("path"))
	p.take(file, file)
}
