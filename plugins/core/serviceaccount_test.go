package main

import (
	"testing"

	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

const account = `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"builder","namespace":"default"},"secrets":[{"name":"a","namespace":"x","uid":"1"},{"kind":"Secret"}]}`

func TestServiceAccountKeepsNamesOfSecrets(t *testing.T) {
	run := sdktest.New(ServiceAccount{})
	got := run.Create(with(t, account))
	wantRaw(t, got.Object, map[string]string{"secrets": `[{"name":"a"},{}]`})
	wantRaw(t, run.Update(with(t, account), got.Object).Object, map[string]string{"secrets": `[{"name":"a"},{}]`})
}

func TestServiceAccountWarnings(t *testing.T) {
	run := sdktest.New(ServiceAccount{})
	plain, marked := with(t, account), with(t, account, "metadata/annotations", `{"kubernetes.io/enforce-mountable-secrets":"true"}`)
	const want = "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
	wantWarnings(t, run.Create(plain))
	wantWarnings(t, run.Create(marked), want)
	wantWarnings(t, run.Update(marked, plain), want)
	wantWarnings(t, run.Update(marked, marked))
}

func TestServiceAccountTable(t *testing.T) {
	if got := sdktest.New(ServiceAccount{}).ConvertToTable(with(t, account), with(t, account, "secrets", ``)); got != `[[2],[0]]` {
		t.Error(got)
	}
}
