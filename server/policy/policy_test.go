package policy

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/server/signing"
)

// signer is a key pair.
type signer struct {
	private signing.PrivateKey
	public  signing.PublicKey
}

func newSigner(t *testing.T) signer {
	t.Helper()
	private, err := signing.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	public, err := private.Public()
	if err != nil {
		t.Fatal(err)
	}
	return signer{private, public}
}

func (s signer) sign(t *testing.T, module string) signing.Signature {
	t.Helper()
	signed, err := signing.Sign(s.private, []byte(module))
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// inline is the key's PEM as a YAML flow scalar.
func (s signer) inline() string { return fmt.Sprintf("%q", s.public.PEM()) }

const pinned = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

func TestCheck(t *testing.T) {
	release, ops, stranger := newSigner(t), newSigner(t), newSigner(t)
	p, err := Parse(fmt.Appendf(nil, `
apiVersion: stratagem.dev/v1alpha1
kind: PluginPolicy
keys:
- {name: release, publicKey: %s}
- {name: ops, publicKey: %s}
rules:
- {name: payments, plugins: [payments, "payments-*"], keys: [release, ops]}
- {name: pinned, plugins: ["pin?"], digests: ["%s"]}
- {name: lab, plugins: ["lab-*"], required: false, keys: [ops]}
`, release.inline(), ops.inline(), pinned), "")
	if err != nil {
		t.Fatal(err)
	}
	sign := func(by ...signer) (all []signing.Signature) {
		for _, s := range by {
			all = append(all, s.sign(t, "module"))
		}
		return all
	}
	for name, c := range map[string]struct {
		module  Module
		verdict string // or refusal
		signers string
	}{
		"signed":              {Module{Plugin: "payments", Signatures: sign(release)}, "signed by release", "[release]"},
		"by two":              {Module{Plugin: "payments-eu", Signatures: sign(ops, stranger, release)}, "signed by ops,release", "[ops  release]"},
		"unsigned":            {Module{Plugin: "payments", Digest: "sha256:abc"}, `the plugin policy refuses plugin "payments": rule "payments": it must be signed by release or ops; module sha256:abc is not signed`, ""},
		"by a stranger":       {Module{Plugin: "payments", Signatures: sign(stranger)}, `has no signature of theirs, but: stratagem signature by key ` + stranger.public.ID, ""},
		"of another module":   {Module{Plugin: "payments", Signatures: []signing.Signature{release.sign(t, "other")}}, "has no signature of theirs", ""},
		"bundled":             {Module{Plugin: "pods", Bundled: true}, "bundled with the server", "[]"},
		"no rule":             {Module{Plugin: "pods", Digest: "sha256:abc", Signatures: sign(release)}, `the plugin policy refuses plugin "pods": no rule is for it; the module's digest is sha256:abc`, ""},
		"pinned":              {Module{Plugin: "pin1", Digest: pinned}, "its digest is allowed", "[]"},
		"not the pinned one":  {Module{Plugin: "pin1", Digest: "sha256:abc", Signatures: sign(release)}, `rule "pinned": no key may sign it, and its digest sha256:abc is not allowed`, ""},
		"not the pattern":     {Module{Plugin: "pin10", Digest: pinned}, "no rule is for it", ""},
		"not required":        {Module{Plugin: "lab-1"}, "no signature is required", "[]"},
		"signed all the same": {Module{Plugin: "lab-1", Signatures: sign(release, ops)}, "signed by ops", "[ ops]"},
	} {
		t.Run(name, func(t *testing.T) {
			c.module.Wasm = []byte("module")
			v, err := p.Check(c.module)
			got := v.Reason
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.verdict) || (err != nil) != (c.signers == "") {
				t.Errorf("got %q, want %q", got, c.verdict)
			}
			if err == nil && fmt.Sprint(v.Signers) != c.signers {
				t.Errorf("signers %v, want %s", v.Signers, c.signers)
			}
		})
	}
	if v, err := (*Policy)(nil).Check(Module{Signatures: sign(stranger)}); err != nil || v.SignedBy() != "" {
		t.Errorf("without a policy: %v, %v", v, err)
	}
}

func TestBundledByRule(t *testing.T) {
	p, err := Parse([]byte("apiVersion: stratagem.dev/v1alpha1\nkind: PluginPolicy\nallowBundled: false\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Check(Module{Plugin: "pods", Bundled: true}); err == nil {
		t.Error("bundled modules are taken though the policy says no")
	}
}

func TestInvalidPolicies(t *testing.T) {
	key := newSigner(t)
	const head = "apiVersion: stratagem.dev/v1alpha1\nkind: PluginPolicy\n"
	rule := func(text string) string { return head + "rules:\n- {name: a, plugins: [a], " + text + "}\n" }
	keys := func(text string) string { return head + "keys:\n- " + text + "\n" }
	for text, want := range map[string]string{
		"":                                `apiVersion: Unsupported value: ""`,
		"{":                               "yaml",
		head + "kinds: 1":                 `unknown field "kinds"`,
		head + "kind: Other":              "already set",
		"kind: Other\napiVersion: v1":     `kind: Unsupported value: "Other"`,
		head + "rules:\n- {name: a}":      "rules[0].plugins: Required value",
		head + "rules:\n- {plugins: [a]}": "rules[0].name: Required value",
		rule(`plugins: []`):               "already set",
		rule(`required: maybe`):           "bool",
		rule(`keys: [nobody]`):            `rules[0].keys[0]: Not found: "nobody"`,
		rule(`digests: ["sha256:abc"]`):   `rules[0].digests[0]: Invalid value: "sha256:abc"`,
		rule(`digests: ["` + strings.ToUpper(strings.Replace(pinned, "0", "a", 1)) + `"]`): "rules[0].digests[0]: Invalid value",
		head + `rules: [{name: a, plugins: ["["]}]`:                                        `rules[0].plugins[0]: Invalid value: "["`,
		head + `rules: [{name: a, plugins: [""]}]`:                                         `rules[0].plugins[0]: Invalid value: ""`,
		rule(`keys: []`) + "- {name: a, plugins: [b]}":                                     `rules[1].name: Duplicate value: "a"`,
		keys(`{name: a}`):                                        "keys[0]: Invalid value: \"a\": exactly one of publicKey and publicKeyFile",
		keys(`{publicKey: x}`):                                   "keys[0].name: Required value",
		keys(`{name: a, publicKey: x}`):                          "keys[0].publicKey: Invalid value: no PEM block",
		keys(`{name: a, publicKeyFile: none.pub}`):               `keys[0].publicKeyFile: Invalid value: "none.pub": open `,
		keys(`{name: a, publicKeyFile: none.pub, publicKey: x}`): "exactly one of",
		keys("{name: a, publicKey: " + key.inline() + "}\n- {name: b, publicKey: " + key.inline() + "}"):          `keys[1]: Invalid value: "b": is the same key as "a"`,
		keys("{name: a, publicKey: " + key.inline() + "}\n- {name: a, publicKey: " + newSigner(t).inline() + "}"): `keys[1].name: Duplicate value: "a"`,
	} {
		p, err := Parse([]byte(text), t.TempDir())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v (%v), want %q", text, err, p, want)
		}
	}
}

// A file is followed: what is valid comes in force, what is not changes nothing, and a key file counts as well.
func TestFileReload(t *testing.T) {
	dir, first, second := t.TempDir(), newSigner(t), newSigner(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const text = "apiVersion: stratagem.dev/v1alpha1\nkind: PluginPolicy\nkeys: [{name: k, publicKeyFile: k.pub}]\nrules: [{name: r, plugins: [a], keys: [k]}]\n"
	write("policy.yaml", text)
	write("k.pub", string(first.public.PEM()))
	f, err := Open(filepath.Join(dir, "policy.yaml"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, changed bool, generation int64, by signer) {
		t.Helper()
		if got := f.reload(); got != changed {
			t.Errorf("%s: reload says %t", what, got)
		}
		p, n := f.Current()
		if _, err := p.Check(Module{Plugin: "a", Wasm: []byte("m"), Signatures: []signing.Signature{by.sign(t, "m")}}); err != nil || n != generation {
			t.Errorf("%s: generation %d: %v", what, n, err)
		}
	}
	check("nothing has changed", false, 1, first)
	write("policy.yaml", "kind: Nonsense")
	check("an invalid file", false, 1, first)
	check("the same invalid file", false, 1, first)
	write("policy.yaml", text)
	check("valid again", true, 2, first)
	write("k.pub", string(second.public.PEM()))
	check("another key", true, 3, second)
	if err := os.Remove(filepath.Join(dir, "policy.yaml")); err != nil {
		t.Fatal(err)
	}
	check("no file", false, 3, second)
	if _, err := Open(filepath.Join(dir, "policy.yaml"), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a file that is not there is opened")
	}
}
