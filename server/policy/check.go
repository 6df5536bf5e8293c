package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratagem-dev/stratagem/server/signing"
)

// Module is what a policy decides about.
type Module struct {
	Plugin     string
	Digest     string // "sha256:…"
	Wasm       []byte
	Signatures []signing.Signature
	Bundled    bool // built into this server under this name
}

// Verdict is why a module is taken.
type Verdict struct {
	// Reason in words: "signed by release", "bundled with the server", …
	Reason string
	// Signers are, for each of the module's signatures, the name of the rule's key that made it, or "".
	Signers []string
}

// Refusal is why a module is not taken.
type Refusal struct {
	Plugin string
	Rule   string // "" where none matches
	Reason string
}

func (e *Refusal) Error() string {
	if e.Rule == "" {
		return fmt.Sprintf("the plugin policy refuses plugin %q: %s", e.Plugin, e.Reason)
	}
	return fmt.Sprintf("the plugin policy refuses plugin %q: rule %q: %s", e.Plugin, e.Rule, e.Reason)
}

// Check decides about a module: a Verdict, or a *Refusal. No Policy takes everything.
func (p *Policy) Check(m Module) (Verdict, error) {
	if p == nil {
		return Verdict{Reason: "no policy", Signers: make([]string, len(m.Signatures))}, nil
	}
	rule := p.rule(m.Plugin)
	verdict := Verdict{Signers: rule.signers(m)}
	by := verdict.SignedBy()
	switch {
	case by != "":
		verdict.Reason = "signed by " + by
	case p.allowBundled && m.Bundled:
		verdict.Reason = "bundled with the server"
	case rule == nil:
		return Verdict{}, &Refusal{Plugin: m.Plugin, Reason: "no rule is for it; the module's digest is " + m.Digest}
	case rule.Digests[m.Digest]:
		verdict.Reason = "its digest is allowed"
	case !rule.Required:
		verdict.Reason = "no signature is required"
	default:
		return Verdict{}, &Refusal{m.Plugin, rule.Name, rule.explain(m)}
	}
	return verdict, nil
}

// rule is the first that matches.
func (p *Policy) rule(plugin string) *Rule {
	for i := range p.rules {
		if p.rules[i].matches(plugin) {
			return &p.rules[i]
		}
	}
	return nil
}

// signers are, for each signature, the name of the key that made it over this module.
func (r *Rule) signers(m Module) []string {
	names := make([]string, len(m.Signatures))
	if r == nil {
		return names
	}
	for i, s := range m.Signatures {
		for _, key := range r.Keys {
			if s.Verify(key.PublicKey, m.Wasm) == nil {
				names[i] = key.Name
				break
			}
		}
	}
	return names
}

// explain says what is missing.
func (r *Rule) explain(m Module) string {
	var keys []string
	for _, key := range r.Keys {
		keys = append(keys, key.Name)
	}
	asked := "no key may sign it, and its digest " + m.Digest + " is not allowed"
	if len(keys) > 0 {
		asked = "it must be signed by " + strings.Join(keys, " or ")
	}
	if len(m.Signatures) == 0 {
		return asked + "; module " + m.Digest + " is not signed"
	}
	var have []string
	for _, s := range m.Signatures {
		name := s.Format + " signature"
		if s.KeyID != "" {
			name += " by key " + s.KeyID
		}
		have = append(have, name)
	}
	return fmt.Sprintf("%s; module %s has no signature of theirs, but: %s", asked, m.Digest, strings.Join(have, ", "))
}

// SignedBy names the keys that have signed the module, once each.
func (v Verdict) SignedBy() string {
	var names []string
	for _, name := range v.Signers {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}
