package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	pluginPath = "/apis/stratagem.dev/v1alpha1/strategyplugins/crontabs"
	cronPath   = "/apis/example.com/v1/namespaces/default/crontabs"
)

// newSupplier makes keys, and a policy by which the key release must sign crontabs.
func newSupplier(t *testing.T) *supplier {
	t.Helper()
	s := &supplier{t: t, dir: t.TempDir(), server: shared}
	for _, key := range []string{"release", "other"} {
		s.must("plugin", "keygen", "-o", key)
	}
	s.policy("release.pub")
	return s
}

// policy writes the policy: key is the file of the key that must sign.
func (s *supplier) policy(key string) {
	s.t.Helper()
	text := "apiVersion: stratagem.dev/v1alpha1\nkind: PluginPolicy\nallowBundled: false\nkeys: [{name: " + strings.TrimSuffix(key, ".pub") + ", publicKeyFile: " + key + "}]\n" +
		"rules:\n- {name: ours, plugins: [\"cron*\"], keys: [" + strings.TrimSuffix(key, ".pub") + "]}\n"
	must(s.t, os.WriteFile(s.policyFile()+".new", []byte(text), 0o600))
	must(s.t, os.Rename(s.policyFile()+".new", s.policyFile()))
}

func (s *supplier) policyFile() string { return filepath.Join(s.dir, "policy.yaml") }

// show prints a field of the StrategyPlugin.
func (s *supplier) show(path string) string {
	s.t.Helper()
	return kubectl{server: s.server}.run(s.t, "get", "strategyplugin", "crontabs", "-o", "jsonpath={"+path+"}")
}

const allowed = `.status.conditions[?(@.type=="PolicyAllowed")].status`

// A module that the policy does not take is refused when it is pushed, by rule and reason.
func TestPolicyAtPush(t *testing.T) {
	s := newSupplier(t)
	s.server = startServer(t, "--plugin-policy", s.policyFile())
	c := s.server.curl(t)
	equal(t, "bundled plugins that the policy does not take", kubectl{server: s.server}.run(t, "get", "strategyplugins", "-o", "name"), "")

	wasm := s.module("crontabs.wasm", "")
	message := fmt.Sprintf(`rule "ours": it must be signed by release; module sha256:%x is not signed`, sha256.Sum256(wasm))
	s.refused([]string{`strategyplugins.stratagem.dev "crontabs" is forbidden: the plugin policy refuses plugin "crontabs": ` + message}, "plugin", "push", "crontabs.wasm")
	status := c.do(t, "PUT", pluginPath+"/module", string(wasm)).refused(t, 403, "Forbidden",
		`strategyplugins.stratagem.dev "crontabs" is forbidden: the plugin policy refuses plugin "crontabs": `+message)
	equal(t, "type of the cause", string(status.Details.Causes[0].Type), "PluginPolicy")
	equal(t, "rule of the cause", status.Details.Causes[0].Field, "ours")
	s.refused([]string{`plugin "pods": no rule is for it`}, "plugin", "push", "pods", "crontabs.wasm")

	s.must("plugin", "sign", "crontabs.wasm", "--key", "other.key")
	s.refused([]string{"has no signature of theirs, but: stratagem signature by key sha256:"}, "plugin", "push", "crontabs.wasm", "--dry-run")
	s.refused([]string{"has no signature of theirs"}, "plugin", "verify", "crontabs.wasm", "--policy", "policy.yaml")
	s.module("another.wasm", "another")
	s.must("plugin", "sign", "another.wasm", "--key", "release.key")
	s.refused([]string{`StrategyPlugin.stratagem.dev "crontabs" is invalid: module.signature: Invalid value: the signature is of sha256:`},
		"plugin", "push", "crontabs.wasm", "--signature", "another.wasm.sig")
	for value, want := range map[string]string{
		"%": "must be base64", base64.StdEncoding.EncodeToString([]byte("{}")): "a signature must have kind", base64.StdEncoding.EncodeToString([]byte(`{"kind":"stratagem.dev/signature/v1"`)): "must be JSON",
	} {
		answer := c.do(t, "PUT", pluginPath+"/module", string(wasm), "Stratagem-Signature: "+value)
		equal(t, "code", answer.code, 422)
		contains(t, answer.status(t).Message, "module.signature: Invalid value: header Stratagem-Signature: ", want)
	}
	equal(t, "after all that", c.do(t, "GET", pluginPath, "").code, 404)

	s.must("plugin", "sign", "crontabs.wasm", "--key", "release.key")
	contains(t, s.must("plugin", "verify", "crontabs.wasm", "--policy", "policy.yaml"), "signed by release")
	contains(t, s.must("plugin", "push", "crontabs.wasm"), "revision 1 is active")
	contains(t, s.must("plugin", "list"), "SIGNED-BY", "crontabs", "release")
	equal(t, "signers", s.show(".status.revisions[0].signatures[*].signedBy"), "release")
	contains(t, s.must("plugin", "pull", "crontabs", "-o", "pulled.wasm"), "2 signatures")
	contains(t, s.must("plugin", "verify", "pulled.wasm", "--policy", "policy.yaml", "--name", "crontabs"), "signed by release")
}

// cosigned signs a module as cosign does with a P-256 key, and writes the key and the bundle.
func (s *supplier) cosigned(file string) {
	s.t.Helper()
	wasm, err := os.ReadFile(filepath.Join(s.dir, file))
	must(s.t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(s.t, err)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	must(s.t, err)
	must(s.t, os.WriteFile(filepath.Join(s.dir, "cosign.pub"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600))
	sum, id := sha256.Sum256(wasm), sha256.Sum256(der)
	signature, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	must(s.t, err)
	encode := base64.StdEncoding.EncodeToString
	bundle := fmt.Sprintf(`{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{"hint":%q}},"messageSignature":{"messageDigest":{"algorithm":"SHA2_256","digest":%q},"signature":%q}}`,
		encode(id[:]), encode(sum[:]), encode(signature))
	must(s.t, os.WriteFile(filepath.Join(s.dir, file+".sig"), []byte(bundle), 0o600))
}

// A cosign bundle goes through a registry as a referrer of cosign's own type, and satisfies a policy.
func TestPolicyWithCosignBundle(t *testing.T) {
	s := newSupplier(t)
	s.registry = startRegistry(t, false, false)
	s.module("crontabs.wasm", "")
	s.cosigned("crontabs.wasm")
	s.policy("cosign.pub")
	s.server = startServer(t, "--plugin-policy", s.policyFile())
	pinned := s.must("plugin", "publish", "crontabs.wasm", s.registry.ref("crontabs:1"))
	digest := strings.SplitN(strings.SplitN(pinned, "@sha256:", 2)[1], ":", 2)[0]
	contains(t, string(s.registry.do(t, "GET", "/v2/crontabs/manifests/sha256-"+digest, "application/vnd.oci.image.index.v1+json", "")), `"artifactType":"application/vnd.dev.sigstore.bundle.v0.3+json"`)
	contains(t, s.must("plugin", "push", s.registry.ref("crontabs:1")), "revision 1 is active")
	equal(t, "signers", s.show(".status.signedBy"), "cosign")
	equal(t, "format", s.show(".status.revisions[0].signatures[0].format"), "sigstore")
}

// A new policy is followed: what is served stays and is told of, what is pushed or rolled back to is held against the new one.
func TestPolicyChanges(t *testing.T) {
	s := newSupplier(t)
	s.server = startServer(t, "--plugin-policy", s.policyFile())
	c := s.server.curl(t)
	s.module("first.wasm", "first")
	s.must("plugin", "sign", "first.wasm", "--key", "release.key")
	s.must("plugin", "push", "crontabs", "first.wasm")

	s.policy("other.pub")
	eventually(t, "the condition", func() bool { return s.show(allowed) == "False" })
	contains(t, s.show(`.status.conditions[?(@.type=="PolicyAllowed")].message`), `revision 1: plugin "crontabs": rule "ours": it must be signed by other`)
	equal(t, "what was served is served", c.do(t, "GET", cronPath, "").code, 200)

	s.module("second.wasm", "second")
	s.must("plugin", "sign", "second.wasm", "--key", "other.key")
	s.must("plugin", "push", "crontabs", "second.wasm", "--shadow")
	equal(t, "the condition, whatever is tried beside it", s.show(allowed), "False")
	contains(t, s.must("plugin", "push", "crontabs", "second.wasm"), "revision 3 is active")
	s.refused([]string{`is forbidden: the plugin policy refuses plugin "crontabs": rule "ours": it must be signed by other`}, "plugin", "rollback", "crontabs", "--to-revision", "1")
	equal(t, "the active revision", s.show(".status.activeRevision"), "3")
	eventually(t, "the condition", func() bool { return s.show(allowed) != "False" })

	// A server that starts under a policy that refuses what is active serves everything else, and what the policy takes as soon as it does.
	s.server.stop()
	s.policy("release.pub")
	must(t, s.server.start())
	c = s.server.curl(t)
	equal(t, "what the policy refuses", c.do(t, "GET", cronPath, "").code, 404)
	eventually(t, "the condition", func() bool { return s.show(allowed) == "False" })
	s.server.stop()
	s.policy("other.pub")
	must(t, s.server.start())
	c = s.server.curl(t)
	equal(t, "what the policy takes", c.do(t, "GET", cronPath, "").code, 200)
	eventually(t, "the condition", func() bool { return s.show(allowed) == "True" })
	s.server.stop()
	s.policy("release.pub")
	must(t, s.server.start())
	c = s.server.curl(t)
	eventually(t, "the condition", func() bool { return s.show(allowed) == "False" })
	s.policy("other.pub")
	eventually(t, "the resource", func() bool { return c.do(t, "GET", cronPath, "").code == 200 })
	eventually(t, "the condition", func() bool { return s.show(allowed) == "True" })

	// A further signature, on what is active already, makes it fit for the other policy.
	s.must("plugin", "sign", "second.wasm", "--key", "release.key")
	s.must("plugin", "push", "crontabs", "second.wasm")
	s.policy("release.pub")
	eventually(t, "the rollback", func() bool {
		_, err := s.run("plugin", "rollback", "crontabs", "--to-revision", "1")
		return err == nil
	})
	contains(t, s.must("plugin", "rollback", "crontabs", "--to-revision", "3"), "revision 3 is active")
	equal(t, "signers", s.show(".status.signedBy"), "release")
}

// A revision that another server takes does not come in force on one whose policy refuses it: the former stays.
func TestPolicyOfOneReplica(t *testing.T) {
	db, s := startEtcd(t), newSupplier(t)
	lax := startReplica(t, db, "--bundled-plugins=false")
	strict := startReplica(t, db, "--bundled-plugins=false", "--plugin-policy", s.policyFile())
	s.module("first.wasm", "first")
	s.must("plugin", "sign", "first.wasm", "--key", "release.key")
	s.module("second.wasm", "second")

	s.server = lax
	s.must("plugin", "push", "crontabs", "first.wasm")
	onStrict := strict.curl(t)
	eventually(t, "the signed revision on both", func() bool { return onStrict.do(t, "GET", cronPath, "").code == 200 })
	s.must("plugin", "push", "crontabs", "second.wasm")
	eventually(t, "the condition", func() bool { return s.show(allowed) == "False" })
	contains(t, s.show(`.status.conditions[?(@.type=="PolicyAllowed")].message`), `revision 2: plugin "crontabs": rule "ours": it must be signed by release`)
	equal(t, "the former serves reads", onStrict.do(t, "GET", cronPath, "").code, 200)
	object := `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"one"},"spec":{"cronSpec":"* * * * *","image":"i"}}`
	equal(t, "a write by a revision that is not active", onStrict.do(t, "POST", cronPath, object, "Content-Type: application/json").code, 503)
	equal(t, "a write on the other server", lax.curl(t).do(t, "POST", cronPath, object, "Content-Type: application/json").code, 201)
	contains(t, strict.log.tail(), "a plugin is not put in force", "it must be signed by release")
	contains(t, s.must("plugin", "rollback", "crontabs", "--to-revision", "1"), "revision 1 is active")
	eventually(t, "a write on the strict server", func() bool {
		return onStrict.do(t, "POST", cronPath, strings.Replace(object, "one", "two", 1), "Content-Type: application/json").code == 201
	})
}

// A policy that is not valid keeps the server from starting, by the field's name.
func TestInvalidPolicy(t *testing.T) {
	s := newSupplier(t)
	must(t, os.WriteFile(s.policyFile(), []byte("apiVersion: stratagem.dev/v1alpha1\nkind: PluginPolicy\nrules: [{name: a, plugins: [a], keys: [nobody]}]\n"), 0o600))
	s.refused([]string{"--plugin-policy: ", "policy.yaml: rules[0].keys[0]: Not found: \"nobody\""}, "serve", "--listen", "127.0.0.1:0", "--data-dir", filepath.Join(s.dir, "data"), "--plugin-policy", s.policyFile())
	s.refused([]string{"--plugin-policy: ", "no such file"}, "serve", "--listen", "127.0.0.1:0", "--data-dir", filepath.Join(s.dir, "data"), "--plugin-policy", "none.yaml")
}
