package policy

import (
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/server/signing"
)

const (
	apiVersion = "stratagem.dev/v1alpha1"
	kind       = "PluginPolicy"
)

// Policy is a policy that has been found valid.
type Policy struct {
	allowBundled bool
	rules        []Rule
}

// Rule is what is asked of the plugins whose names it matches.
type Rule struct {
	Name     string
	Plugins  []string
	Required bool
	Keys     []Key
	Digests  map[string]bool
}

// Key is a public key under the name that the policy gives it.
type Key struct {
	Name string
	signing.PublicKey
}

// document is a policy file.
type document struct {
	APIVersion   string         `json:"apiVersion"`
	Kind         string         `json:"kind"`
	AllowBundled *bool          `json:"allowBundled"`
	Keys         []keyDocument  `json:"keys"`
	Rules        []ruleDocument `json:"rules"`
}

type keyDocument struct {
	Name          string `json:"name"`
	PublicKey     string `json:"publicKey"`
	PublicKeyFile string `json:"publicKeyFile"`
}

type ruleDocument struct {
	Name     string   `json:"name"`
	Plugins  []string `json:"plugins"`
	Required *bool    `json:"required"`
	Keys     []string `json:"keys"`
	Digests  []string `json:"digests"`
}

// Parse reads a policy; key files are looked for in folder. What is wrong is named by its field.
func Parse(text []byte, folder string) (*Policy, error) {
	var d document
	if err := yaml.UnmarshalStrict(text, &d); err != nil {
		return nil, err
	}
	var errs field.ErrorList
	if d.APIVersion != apiVersion {
		errs = append(errs, field.NotSupported(field.NewPath("apiVersion"), d.APIVersion, []string{apiVersion}))
	}
	if d.Kind != kind {
		errs = append(errs, field.NotSupported(field.NewPath("kind"), d.Kind, []string{kind}))
	}
	keys, wrong := parseKeys(d.Keys, folder)
	errs = append(errs, wrong...)
	p := &Policy{allowBundled: d.AllowBundled == nil || *d.AllowBundled}
	names := map[string]bool{}
	for i, r := range d.Rules {
		at := field.NewPath("rules").Index(i)
		rule, wrong := r.parse(at, keys)
		errs = append(errs, wrong...)
		errs = append(errs, checkName(at.Child("name"), r.Name, names)...)
		p.rules = append(p.rules, rule)
	}
	return p, errs.ToAggregate()
}

func checkName(at *field.Path, name string, names map[string]bool) field.ErrorList {
	switch {
	case name == "":
		return field.ErrorList{field.Required(at, "")}
	case names[name]:
		return field.ErrorList{field.Duplicate(at, name)}
	}
	names[name] = true
	return nil
}

// parseKeys reads the keys, by name. A key under two names could not be told from itself.
func parseKeys(list []keyDocument, folder string) (map[string]Key, field.ErrorList) {
	var errs field.ErrorList
	keys, names, ids := map[string]Key{}, map[string]bool{}, map[string]string{}
	for i, d := range list {
		at := field.NewPath("keys").Index(i)
		errs = append(errs, checkName(at.Child("name"), d.Name, names)...)
		key, wrong := d.parse(at, folder)
		if wrong != nil {
			errs = append(errs, wrong)
		} else if other, there := ids[key.ID]; there {
			errs = append(errs, field.Invalid(at, d.Name, fmt.Sprintf("is the same key as %q", other)))
		} else {
			ids[key.ID] = d.Name
		}
		keys[d.Name] = Key{d.Name, key}
	}
	return keys, errs
}

func (d *keyDocument) parse(at *field.Path, folder string) (signing.PublicKey, *field.Error) {
	if (d.PublicKey == "") == (d.PublicKeyFile == "") {
		return signing.PublicKey{}, field.Invalid(at, d.Name, "exactly one of publicKey and publicKeyFile must be set")
	}
	if d.PublicKeyFile == "" {
		key, err := signing.ParsePublicKey([]byte(d.PublicKey))
		if err != nil {
			return key, field.Invalid(at.Child("publicKey"), field.OmitValueType{}, err.Error())
		}
		return key, nil
	}
	file := d.PublicKeyFile
	if !filepath.IsAbs(file) {
		file = filepath.Join(folder, file)
	}
	text, err := os.ReadFile(file)
	var key signing.PublicKey
	if err == nil {
		key, err = signing.ParsePublicKey(text)
	}
	if err != nil {
		return key, field.Invalid(at.Child("publicKeyFile"), d.PublicKeyFile, err.Error())
	}
	return key, nil
}

func (d *ruleDocument) parse(at *field.Path, keys map[string]Key) (Rule, field.ErrorList) {
	var errs field.ErrorList
	rule := Rule{Name: d.Name, Plugins: d.Plugins, Required: d.Required == nil || *d.Required, Digests: map[string]bool{}}
	if len(d.Plugins) == 0 {
		errs = append(errs, field.Required(at.Child("plugins"), "names of plugins, or patterns"))
	}
	for i, pattern := range d.Plugins {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			errs = append(errs, field.Invalid(at.Child("plugins").Index(i), pattern, "must be a name, or a pattern with *, ? and [a-z]"))
		}
	}
	used := map[string]bool{}
	for i, name := range d.Keys {
		key, known := keys[name]
		switch {
		case !known:
			errs = append(errs, field.NotFound(at.Child("keys").Index(i), name))
		case used[name]:
			errs = append(errs, field.Duplicate(at.Child("keys").Index(i), name))
		}
		used[name] = true
		rule.Keys = append(rule.Keys, key)
	}
	for i, digest := range d.Digests {
		text, found := strings.CutPrefix(digest, "sha256:")
		if raw, err := hex.DecodeString(text); !found || err != nil || len(raw) != 32 || strings.ToLower(text) != text {
			errs = append(errs, field.Invalid(at.Child("digests").Index(i), digest, "must be sha256: and 64 lower-case hexadecimal digits"))
		}
		rule.Digests[digest] = true
	}
	return rule, errs
}

func (r *Rule) matches(plugin string) bool {
	for _, pattern := range r.Plugins {
		if ok, err := path.Match(pattern, plugin); ok && err == nil {
			return true
		}
	}
	return false
}
