package main

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

const opaque = `{"apiVersion":"v1","data":{"a":"MQ=="},"kind":"Secret","metadata":{"name":"s","namespace":"default"},"type":"Opaque"}`

func encoded(text string) string { return `"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"` }

func TestSecretDefault(t *testing.T) {
	got := sdktest.New(Secret{}).Create(with(t, opaque, "type", ``, "stringData", `{"a":"é\n","b":""}`, "data/c", `"YWJ\nj"`, "data/d", `"MR=="`))
	sdktest.WantErrors(t, got)
	wantRaw(t, got.Object, map[string]string{
		"type": `"Opaque"`, "stringData": ``, "data/a": encoded("é\n"), "data/b": `""`, "data/c": encoded("abc"), "data/d": encoded("1"),
	})
	alone := sdktest.New(Secret{}).Create(with(t, opaque, "data", ``, "stringData", `{"x":"y"}`))
	wantRaw(t, alone.Object, map[string]string{"data": `{"x":"eQ=="}`})
}

func TestSecretValidate(t *testing.T) {
	run := sdktest.New(Secret{})
	for _, tc := range []struct {
		name, kind, data string
		want             []string
	}{
		{"opaque", "Opaque", `{}`, nil},
		{"any other type", "example.com/mine", `{"a":""}`, nil},
		{"bad key", "Opaque", `{"a/b":""}`, []string{`data[a/b]: Invalid value: "a/b": a valid config key`}},
		{"no base64", "Opaque", `{"a":"secret stuff"}`, []string{`data[a]: Invalid value: "<secret contents redacted>": illegal base64 data at input byte 6`}},
		{"too large", "Opaque", `{"a":` + encoded(strings.Repeat("x", 1<<20)) + `,"b":"MQ=="}`, []string{`data: Too long: may not be more than 1048576 bytes`}},
		{"as large as may be", "Opaque", `{"a":` + encoded(strings.Repeat("x", 1<<20)) + `}`, nil},
		{"token", "kubernetes.io/service-account-token", `{}`, []string{`metadata.annotations[kubernetes.io/service-account.name]: Required value`}},
		{"docker config", "kubernetes.io/dockerconfigjson", `{".dockerconfigjson":` + encoded(`{"auths":{}}`) + `}`, nil},
		{"no docker config", "kubernetes.io/dockerconfigjson", `{".dockercfg":"e30="}`, []string{`data[.dockerconfigjson]: Required value`}},
		{"no JSON", "kubernetes.io/dockerconfigjson", `{".dockerconfigjson":` + encoded(`pass: word`) + `}`, []string{`data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character 'p' looking for beginning of value`}},
		{"no object", "kubernetes.io/dockercfg", `{".dockercfg":` + encoded(`[]`) + `}`, []string{`data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}`}},
		{"a number", "kubernetes.io/dockercfg", `{".dockercfg":` + encoded(`1`) + `}`, []string{`data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal number into Go value of type map[string]interface {}`}},
		{"null", "kubernetes.io/dockercfg", `{".dockercfg":` + encoded(`null`) + `}`, nil},
		{"empty", "kubernetes.io/dockercfg", `{".dockercfg":""}`, []string{`data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input`}},
		{"docker config that is no base64", "kubernetes.io/dockercfg", `{".dockercfg":"!"}`, []string{`data[.dockercfg]: Invalid value: "<secret contents redacted>": illegal base64`}},
		{"basic auth", "kubernetes.io/basic-auth", `{"password":""}`, nil},
		{"no basic auth", "kubernetes.io/basic-auth", `{"passwd":""}`, []string{`data[username]: Required value`, `data[password]: Required value`}},
		{"ssh", "kubernetes.io/ssh-auth", `{"ssh-privatekey":"MQ=="}`, nil},
		{"empty key", "kubernetes.io/ssh-auth", `{"ssh-privatekey":""}`, []string{`data[ssh-privatekey]: Required value`}},
		{"tls", "kubernetes.io/tls", `{"tls.crt":"","tls.key":""}`, nil},
		{"no tls", "kubernetes.io/tls", `{"tls.crt":""}`, []string{`data[tls.key]: Required value`}},
	} {
		got := run.Create(with(t, opaque, "type", `"`+tc.kind+`"`, "data", tc.data))
		t.Run(tc.name, func(t *testing.T) {
			sdktest.WantErrors(t, got, tc.want...)
			if strings.Contains(got.Errors.Error(), "secret stuff") {
				t.Error("the secret is told")
			}
		})
	}
	token := with(t, opaque, "type", `"kubernetes.io/service-account-token"`, "metadata/annotations", `{"kubernetes.io/service-account.name":"default"}`)
	sdktest.WantErrors(t, run.Create(token))
}

func TestSecretUpdate(t *testing.T) {
	run := sdktest.New(Secret{})
	old, fixed := with(t, opaque), with(t, opaque, "immutable", `true`)
	sdktest.WantErrors(t, run.Update(with(t, opaque, "data/a", `"Mg=="`), old))
	sdktest.WantErrors(t, run.Update(with(t, opaque, "type", `""`), old))
	sdktest.WantErrors(t, run.Update(old, with(t, opaque, "type", ``)))
	sdktest.WantErrors(t, run.Update(with(t, opaque, "type", `"kubernetes.io/tls"`), old),
		`type: Invalid value: "kubernetes.io/tls": field is immutable`, `data[tls.crt]: Required value`, `data[tls.key]: Required value`)
	sdktest.WantErrors(t, run.Update(with(t, opaque, "stringData", `{"a":"2"}`, "immutable", `true`), fixed), "data: Forbidden: field is immutable when `immutable` is set")
	sdktest.WantErrors(t, run.Update(with(t, opaque), fixed), "immutable: Forbidden: field is immutable when `immutable` is set")
	sdktest.WantErrors(t, run.Update(with(t, opaque, "stringData", `{"a":"1"}`, "immutable", `true`), fixed))
}

func TestTLSWarnings(t *testing.T) {
	run := sdktest.New(Secret{})
	pem := encoded("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n")
	for data, want := range map[string][]string{
		`{"tls.crt":` + pem + `,"tls.key":` + pem + `}`: nil,
		`{"tls.crt":"","tls.key":` + pem + `}`:          {"tls: failed to find any PEM data in certificate input"},
		`{"tls.crt":` + pem + `,"tls.key":"AAAA"}`:      {"tls: failed to find any PEM data in key input"},
	} {
		secret := with(t, opaque, "type", `"kubernetes.io/tls"`, "data", data)
		wantWarnings(t, run.Create(secret), want...)
		wantWarnings(t, run.Update(secret, secret), want...)
	}
	wantWarnings(t, run.Create(with(t, opaque)))
}

func TestSecretTable(t *testing.T) {
	if got := sdktest.New(Secret{}).ConvertToTable(with(t, opaque)); got != `[[1]]` {
		t.Error(got)
	}
}
