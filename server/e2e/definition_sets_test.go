package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// installSet installs a file of definitions as users do, without any complaint, and takes them away after the test.
func installSet(t *testing.T, k kubectl, file string, names ...string) {
	t.Helper()
	path := filepath.Join("testdata", "definitions", file)
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		client := k.server.dynamic(t).Resource(definitions)
		for _, name := range names {
			_ = client.Delete(ctx, name, metav1.DeleteOptions{})
		}
	})
	got := k.try(t, "", "apply", "--server-side", "-f", path)
	if got.code != 0 || got.stderr != "" || strings.Count(got.stdout, "serverside-applied") != len(names) {
		t.Fatalf("apply of %s: %d\n%s%s", file, got.code, got.stdout, got.stderr)
	}
	for _, name := range names {
		contains(t, k.run(t, "wait", "--for=condition=Established", "crd/"+name), "condition met")
		obj, err := k.server.dynamic(t).Resource(definitions).Get(within(t), name, metav1.GetOptions{})
		must(t, err)
		equal(t, "NonStructuralSchema of "+name, condition(obj, "NonStructuralSchema"), "none")
	}
	contains(t, k.run(t, "apply", "--server-side", "-f", path), "serverside-applied")
}

// invalid applies a manifest that must be refused with these words.
func (k kubectl) invalid(t *testing.T, manifest string, want ...string) {
	t.Helper()
	text := k.refused(t, manifest, "apply", "-f", "-")
	for _, part := range want {
		contains(t, text, part)
	}
}

const entrance = `{apiVersion: gateway.shapes.test/v1, kind: Entrance, metadata: {name: web}, spec: {className: one, listeners: [%s]}}`

func TestGatewayShapes(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	installSet(t, k, "gateway.yaml", "entranceclasses.gateway.shapes.test", "entrances.gateway.shapes.test", "routes.gateway.shapes.test")
	class := `{apiVersion: gateway.shapes.test/v1, kind: EntranceClass, metadata: {name: one}, spec: {controllerName: %s}}`
	k.feed(t, strings.Replace(class, "%s", "shapes.test/first", 1), "apply", "-f", "-")
	contains(t, k.run(t, "get", "ec", "one"), "CONTROLLER", "ACCEPTED", "shapes.test/first", "Unknown")
	k.invalid(t, strings.Replace(class, "%s", "shapes.test/second", 1), "spec.controllerName: Invalid value:", "Value is immutable")
	k.invalid(t, strings.Replace(strings.Replace(class, "name: one", "name: two", 1), "%s", "nowhere", 1), "spec.controllerName in body should match")

	with := func(listeners string) string { return strings.Replace(entrance, "%s", listeners, 1) }
	k.invalid(t, with("{name: a, port: 70000, protocol: HTTP}"), "spec.listeners[0].port in body should be less than or equal to 65535")
	k.invalid(t, with("{name: a, port: 80, protocol: HTTP, tls: {options: {a: b}}}"), "tls must not be specified for protocols HTTP TCP and UDP")
	k.invalid(t, with("{name: a, port: 80, protocol: HTTP}, {name: b, port: 80, protocol: HTTP}"), "port, protocol and hostname must be unique, also that of a")
	k.invalid(t, with("{name: a, port: 80, protocol: HTTP}, {name: a, port: 81, protocol: HTTP}"), `spec.listeners[1]: Duplicate value: `)
	k.invalid(t, with("{name: a, port: 443, protocol: HTTPS, tls: {}}"), "certificateRefs or options must be specified when mode is Terminate")
	k.feed(t, with("{name: a, port: 80, protocol: HTTP}, {name: b, port: 81, protocol: HTTP}, {name: c, port: 82, protocol: HTTP}, {name: d, port: 83, protocol: HTTP}"), "apply", "-f", "-")
	equal(t, "default", k.run(t, "get", "en", "web", "-o", "jsonpath={.spec.listeners[0].allowedRoutes}"), `{"namespaces":{"from":"Same"}}`)
	k.invalid(t, with("{name: a, port: 80, protocol: HTTP}"), "at most two listeners may go at once")
	k.invalid(t, strings.Replace(with("{name: a, port: 80, protocol: HTTP}, {name: b, port: 81, protocol: HTTP}"), "className: one", "className: two", 1), "spec.className: Forbidden: the class one cannot be changed")
	k.run(t, "patch", "en", "web", "--subresource=status", "--type=merge", "-p", `{"status":{"addresses":[{"value":"10.0.0.1"},{"value":"10.0.0.2"}],"conditions":[{"type":"Programmed","status":"True","reason":"Done","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`)
	contains(t, k.run(t, "get", "en"), "NAME", "CLASS", "ADDRESS", "PROGRAMMED", "web", "one", "10.0.0.1", "True")
	refused := k.try(t, "", "patch", "en", "web", "--subresource=status", "--type=merge", "-p", `{"status":{"conditions":[{"type":"Programmed","status":"Perhaps","reason":"Done","message":"","lastTransitionTime":"soon"}]}}`)
	contains(t, refused.stderr, "status.conditions[0].", `Unsupported value: "Perhaps"`)
	contains(t, k.try(t, "", "get", "entrances.v1beta1.gateway.shapes.test").stderr, "Warning: gateway.shapes.test/v1beta1 Entrance is deprecated, use v1")

	route := `{apiVersion: gateway.shapes.test/v1, kind: Route, metadata: {name: r}, spec: %s}`
	k.feed(t, strings.Replace(route, "%s", "{hostnames: [a.test], parentRefs: [{name: web}]}", 1), "apply", "-f", "-")
	equal(t, "defaults", k.run(t, "get", "routes", "r", "-o", "jsonpath={.spec.rules}{.spec.parentRefs}"),
		`[{"matches":[{"path":{"type":"PathPrefix","value":"/"}}]}][{"group":"gateway.shapes.test","kind":"Entrance","name":"web"}]`)
	for spec, want := range map[string]string{
		"{rules: [{matches: [{path: {value: a}}]}]}":                                       "value must be an absolute path and start with '/'",
		"{rules: [{backendRefs: [{name: a}]}]}":                                            "spec.rules[0].backendRefs[0]: Invalid value:",
		"{rules: [{filters: [{type: Redirect}]}]}":                                         "filter.redirect must be specified for Redirect filter.type",
		"{rules: [{timeouts: {request: 1s, backendRequest: 2s}}]}":                         "backendRequest timeout cannot be longer than request timeout",
		"{parentRefs: [{name: a}, {name: a}]}":                                             "sectionName must be unique",
		"{hostnames: ['-a']}":                                                              "spec.hostnames[0] in body should match",
		"{rules: [{matches: [{headers: [{name: a, value: b}, {name: a, value: c}]}]}]}":    "headers[1]: Duplicate value",
		"{rules: [{filters: [{type: HeaderModifier, headerModifier: {remove: [a, a]}}]}]}": "remove[1]: Duplicate value",
	} {
		k.invalid(t, strings.Replace(route, "%s", spec, 1), want)
	}
	contains(t, k.run(t, "explain", "entrances.spec", "--recursive"), "className\t<string> -required-", "listeners\t<[]Object> -required-", "enum: All, Selector, Same, None")
	contains(t, k.run(t, "get", "gateway-shapes"), "entranceclass.gateway.shapes.test/one", "entrance.gateway.shapes.test/web", "route.gateway.shapes.test/r")
}

func TestCertificateShapes(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	installSet(t, k, "certificates.yaml", "issuances.certificates.shapes.test", "clusterissuers.certificates.shapes.test")
	issuance := `{apiVersion: certificates.shapes.test/v1, kind: Issuance, metadata: {name: %n}, spec: {secretName: s, issuerRef: {name: ca}, %s}}`
	with := func(name, spec string) string {
		return strings.NewReplacer("%n", name, "%s", spec).Replace(issuance)
	}
	k.feed(t, with("a", "dnsNames: [a.test, b.test], keystores: {jks: {create: true, password: x}}"), "apply", "-f", "-")
	var spec map[string]any
	must(t, json.Unmarshal([]byte(k.run(t, "get", "iss", "a", "-o", "jsonpath={.spec}")), &spec))
	equal(t, "spec", raw(&unstructured.Unstructured{Object: spec}), `{"dnsNames":["a.test","b.test"],"duration":"2160h","isCA":false,"issuerRef":{"group":"certificates.shapes.test","kind":"Issuer","name":"ca"},`+
		`"keystores":{"jks":{"create":true,"password":"x"}},"privateKey":{"algorithm":"RSA","encoding":"PKCS1","rotationPolicy":"Always"},"revisionHistoryLimit":1,"secretName":"s","usages":["digital signature","key encipherment"]}`)
	for bad, want := range map[string]string{
		"isCA: true":                                      `"spec" must validate at least one schema (anyOf)`,
		"commonName: a, literalSubject: b":                `"spec" must not validate the schema (not)`,
		"commonName: a, privateKey: {algorithm: DSA}":     `spec.privateKey.algorithm: Unsupported value: "DSA": supported values: "RSA", "ECDSA", "Ed25519"`,
		"commonName: a, duration: soon":                   `spec.duration in body must be of type duration: "soon"`,
		"commonName: a, dnsNames: [a, a]":                 `spec.dnsNames[1]: Duplicate value: "a"`,
		"commonName: a, keystores: {jks: {create: true}}": `must validate one and only one schema (oneOf)`,
		"commonName: a, keystores: {jks: {create: true, password: a, passwordSecretRef: {name: b}}}": `must validate one and only one schema (oneOf). Found 2 valid alternatives`,
		"commonName: a, keystores: {}":                                  `spec.keystores in body should have at least 1 properties`,
		"commonName: a, usages: [magic]":                                `spec.usages[0]: Unsupported value: "magic"`,
		"commonName: a, privateKey: {size: 1024}":                       `spec.privateKey.size: Unsupported value: 1024`,
		"commonName: a, keystores: {jks: {create: 'yes', password: a}}": `spec.keystores.jks.create in body must be of type boolean: "string"`,
	} {
		k.invalid(t, with("bad", bad), want)
	}
	k.run(t, "patch", "iss", "a", "--subresource=status", "--type=merge", "-p", `{"status":{"conditions":[{"type":"Ready","status":"True","message":"it is up to date"}]}}`)
	contains(t, k.run(t, "get", "iss", "-o", "wide"), "NAME", "READY", "SECRET", "ISSUER", "STATUS", "AGE", "a", "True", "s", "ca", "it is up to date")
	contains(t, k.run(t, "get", "iss", "--field-selector", "spec.issuerRef.name=ca", "-o", "name"), "issuance.certificates.shapes.test/a")
	equal(t, "others", k.run(t, "get", "iss", "--field-selector", "spec.issuerRef.name=other", "-o", "name"), "")

	issuer := `{apiVersion: certificates.shapes.test/v1, kind: ClusterIssuer, metadata: {name: ca}, spec: %s}`
	k.feed(t, strings.Replace(issuer, "%s", `{acme: {server: "https://a.test", email: a@b.test, privateKeySecretRef: {name: k}, solvers: [{dns01: {webhook: {groupName: g, solverName: s, config: {a: [1, {b: c}]}}}}, {http01: {ingress: {port: http}}}]}}`, 1), "apply", "-f", "-")
	equal(t, "kept", k.run(t, "get", "clusterissuer", "ca", "-o", "jsonpath={.spec.acme.solvers[0].dns01.webhook.config}{.spec.acme.privateKeySecretRef.key}"), `{"a":[1,{"b":"c"}]}tls.key`)
	k.invalid(t, strings.Replace(issuer, "%s", "{ca: {secretName: a}, selfSigned: {}}", 1), "must validate one and only one schema (oneOf). Found 2 valid alternatives")
	k.invalid(t, strings.Replace(issuer, "%s", `{acme: {server: "http://a.test", privateKeySecretRef: {name: k}}}`, 1), "spec.acme.server in body should match '^https://'")
	contains(t, k.run(t, "explain", "issuance", "--recursive"), "enum: RSA, ECDSA, Ed25519", "secretName\t<string> -required-")
}

func TestCompositionShapes(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	installSet(t, k, "composition.yaml", "compositions.platform.shapes.test", "databases.platform.shapes.test")
	composition := `{apiVersion: platform.shapes.test/v1, kind: Composition, metadata: {name: c}, spec: {compositeTypeRef: {apiVersion: a/v1, kind: %k}, %s}}`
	with := func(kind, spec string) string {
		return strings.NewReplacer("%k", kind, "%s", spec).Replace(composition)
	}
	k.feed(t, with("X", `mode: Resources, resources: [{name: a, base: {apiVersion: v1, kind: Thing, metadata: {labels: {a: b}}, spec: {deep: {er: [1]}}}, patches: [{transforms: [{type: match, match: {patterns: [{type: literal, literal: x, result: {any: thing}}]}}]}]}]`), "apply", "-f", "-")
	equal(t, "kept and defaulted", k.run(t, "get", "comp", "c", "-o", "jsonpath={.spec.resources[0].base.spec}{.spec.resources[0].patches[0]}{.spec.resources[0].readinessChecks}"),
		`{"deep":{"er":[1]}}{"transforms":[{"match":{"fallbackTo":"Value","patterns":[{"literal":"x","result":{"any":"thing"},"type":"literal"}]},"type":"match"}],"type":"FromCompositeFieldPath"}[{"matchCondition":{"status":"True","type":"Ready"},"type":"MatchCondition"}]`)
	for _, bad := range [][]string{
		{"Other", "mode: Pipeline", "Value is immutable"},
		{"X", "mode: Resources", "an array of resources is required in Resources mode"},
		{"X", "resources: [{name: a, base: {spec: {}}}]", "spec.resources[0].base.apiVersion: Required value", "spec.resources[0].base.kind: Required value"},
		{"X", "resources: [{name: a, base: {apiVersion: v1, kind: Thing, metadata: {name: a/b}}}]", "spec.resources[0].base.metadata.name: Invalid value"},
		{"X", "pipeline: [{step: a, functionRef: {name: f}, credentials: [{name: a, source: Secret}]}]", "the Secret source requires a secretRef"},
		{"X", "pipeline: []", "spec.pipeline in body should have at least 1 items"},
		{"X", "patchSets: [{name: a, patches: [{type: PatchSet}]}]", "patchSetName is required for type PatchSet"},
		{"X", "overrides: {levels: [{weight: 1}]}", "spec.overrides.levels[0].weight in body should be less than 1"},
		{"X", "overrides: {levels: [{step: 0.3}]}", "spec.overrides.levels[0].step in body should be a multiple of 0.5"},
		{"X", "overrides: {levels: [{quantity: many}]}", "spec.overrides.levels[0].quantity in body should match"},
		{"X", "overrides: {levels: [{nested: {a: [{patches: [{transforms: [{type: none}]}]}]}}]}", `spec.overrides.levels[0].nested.a[0].patches[0].transforms[0].type: Unsupported value: "none"`},
	} {
		k.invalid(t, with(bad[0], bad[1]), bad[2:]...)
	}
	contains(t, k.run(t, "get", "comp"), "XR-KIND", "RESOURCES", "c", "X", "a")
	recursive := k.run(t, "explain", "composition", "--recursive")
	if n := strings.Count(recursive, "<"); n < 300 {
		t.Errorf("explain shows %d fields", n)
	}

	database := `{apiVersion: platform.shapes.test/v1alpha1, kind: Database, metadata: {name: d, annotations: {platform.shapes.test/external-name: outside}}, spec: {forProvider: %s}}`
	k.feed(t, strings.Replace(database, "%s", "{region: here, engine: postgres, raw: {known: 1, unknown: {a: b}}, parameters: [{name: a, value: b}]}", 1), "apply", "-f", "-")
	k.invalid(t, strings.Replace(database, "%s", "{region: there}", 1), "region cannot be changed")
	k.invalid(t, strings.Replace(strings.Replace(database, "name: d", "name: e", 1), "%s", "{engine: mysql}", 1), "spec.forProvider.region is a required parameter")
	contains(t, k.run(t, "scale", "database", "d", "--replicas=3"), "scaled")
	k.run(t, "patch", "database", "d", "--subresource=status", "--type=merge", "-p", `{"status":{"atProvider":{"replicas":3,"selector":"a=b"},"conditions":[{"type":"Ready","status":"True","reason":"Available","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`)
	contains(t, k.run(t, "get", "db"), "READY", "EXTERNAL-NAME", "REPLICAS", "d", "True", "outside", "3")
	equal(t, "scale", k.run(t, "get", "database", "d", "--subresource=scale", "-o", "jsonpath={.spec.replicas}{.status}"), `3{"replicas":3,"selector":"a=b"}`)
	equal(t, "defaults", k.run(t, "get", "db", "d", "-o", "jsonpath={.spec.managementPolicies}{.spec.providerConfigRef}{.spec.forProvider.raw}{.spec.forProvider.parameters}"),
		`["*"]{"name":"default"}{"known":1,"unknown":{"a":"b"}}[{"applyMethod":"immediate","name":"a","value":"b"}]`)
}

// A definition of more than a megabyte is stored, with what server-side apply remembers of it, and served like any other.
func TestWorkflowShapes(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	installSet(t, k, "workflows.yaml", "flows.workflows.shapes.test")
	if text := k.run(t, "get", "crd", "flows.workflows.shapes.test", "-o", "json"); len(text) < 1<<20 {
		t.Errorf("the definition has %d bytes", len(text))
	}
	flow := `{apiVersion: workflows.shapes.test/v1alpha1, kind: Flow, metadata: {name: %n}, spec: {entrypoint: a, templates: [%s]}}`
	with := func(name, template string) string {
		return strings.NewReplacer("%n", name, "%s", template).Replace(flow)
	}
	k.feed(t, with("f", "{name: a, container: {image: x, ports: [{containerPort: 1}], resources: {limits: {cpu: 1, memory: 1Gi}}}, sidecars: [{image: z}], unknown: 1}"), "apply", "--validate=false", "-f", "-")
	equal(t, "pruned and defaulted", k.run(t, "get", "flow", "f", "-o", "jsonpath={.spec.templates}"),
		`[{"container":{"image":"x","ports":[{"containerPort":1,"protocol":"TCP"}],"resources":{"limits":{"cpu":1,"memory":"1Gi"}}},"name":"a","sidecars":[{"image":"z"}]}]`)
	k.invalid(t, with("g", "{name: main}"), "spec.templates[0].name: Invalid value:", "main is reserved")
	k.invalid(t, with("g", "{name: a, container: {}}"), "spec.templates[0].container.image: Required value")
	k.invalid(t, with("g", "{name: a, pod: {containers: [{image: a, resources: {limits: {cpu: lots}}}]}}"), "spec.templates[0].pod.containers[0].resources.limits.cpu in body should match")
	k.invalid(t, with("g", "{name: a, unknown: 1}"), `unknown field "spec.templates[0].unknown"`)
	lines := strings.Split(k.run(t, "explain", "flow", "--recursive"), "\n")
	if len(lines) < 3000 {
		t.Errorf("explain --recursive has %d lines", len(lines))
	}
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "storedTemplates\t<map[string]Object>") }) {
		t.Error("explain does not know storedTemplates")
	}
	k.run(t, "delete", "flow", "f")
}
