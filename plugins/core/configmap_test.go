package main

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

const settings = `{"apiVersion":"v1","binaryData":{"b":"AAEC"},"data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"settings","namespace":"default"}}`

func TestConfigMapValidate(t *testing.T) {
	run := sdktest.New(ConfigMap{})
	mib := strings.Repeat("x", 1<<20)
	for _, tc := range []struct {
		name   string
		fields []string
		want   []string
	}{
		{"good", nil, nil},
		{"empty", []string{"data", ``, "binaryData", ``}, nil},
		{"bad key", []string{"data", `{"a b":""}`}, []string{`data[a b]: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.'`}},
		{"dots", []string{"binaryData", `{"..":""}`}, []string{`binaryData[..]: Invalid value: "..": must not be '..'`}},
		{"in both", []string{"data", `{"b":""}`}, []string{`data[b]: Invalid value: "b": duplicate of key present in binaryData`}},
		{"no base64", []string{"binaryData", `{"b":"a!"}`}, []string{`binaryData[b]: Invalid value: "<secret contents redacted>": illegal base64 data at input byte 1`}},
		{"a MiB", []string{"data", `{"a":"` + mib + `"}`, "binaryData", ``}, nil},
		{"more", []string{"data", `{"a":"` + mib + `"}`}, []string{`[]: Too long: may not be more than 1048576 bytes`}},
		{"escapes count once", []string{"data", `{"a":"` + strings.Repeat(`\n`, 1<<20) + `"}`, "binaryData", ``}, nil},
	} {
		got := run.Create(with(t, settings, tc.fields...))
		t.Run(tc.name, func(t *testing.T) { sdktest.WantErrors(t, got, tc.want...) })
	}
}

func TestConfigMapUpdate(t *testing.T) {
	run := sdktest.New(ConfigMap{})
	mutable, fixed := with(t, settings), with(t, settings, "immutable", `true`)
	const detail = ": Forbidden: field is immutable when `immutable` is set"
	for _, tc := range []struct {
		name   string
		fields []string
		want   []string
	}{
		{"labels", []string{"metadata/labels", `{"a":"b"}`}, nil},
		{"data", []string{"data/a", `"2"`}, []string{"data" + detail}},
		{"binaryData", []string{"binaryData/b", `"AAED"`}, []string{"binaryData" + detail}},
		{"the same bytes", []string{"binaryData/b", `"AA\nEC"`}, nil},
		{"immutable", []string{"immutable", `false`}, []string{"immutable" + detail}},
		{"all", []string{"immutable", ``, "data", ``, "binaryData", ``}, []string{"immutable" + detail, "data" + detail, "binaryData" + detail}},
	} {
		sdktest.WantErrors(t, run.Update(with(t, settings, tc.fields...), mutable))
		got := run.Update(with(t, fixed.Raw(), tc.fields...), fixed)
		t.Run(tc.name, func(t *testing.T) { sdktest.WantErrors(t, got, tc.want...) })
	}
	sdktest.WantErrors(t, run.Update(with(t, settings, "data", `{"/":""}`), mutable), `data[/]: Invalid value: "/"`)
}

func TestConfigMapTable(t *testing.T) {
	if got := sdktest.New(ConfigMap{}).ConvertToTable(with(t, settings), with(t, settings, "data", ``, "binaryData", ``)); got != `[[2],[0]]` {
		t.Error(got)
	}
}
