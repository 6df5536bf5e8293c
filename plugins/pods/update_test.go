package main

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

// changed is a stored pod with fields set, each a path and a JSON text; an empty text deletes.
func changed(t testing.TB, old *sdk.Object, fields ...string) *sdk.Object {
	t.Helper()
	pod := sdktest.Object(t, old.Raw())
	for i := 0; i < len(fields); i += 2 {
		path := strings.Split(fields[i], ".")
		if fields[i+1] == "" {
			pod.Delete(path...)
		} else {
			pod.SetRaw(fields[i+1], path...)
		}
	}
	return pod
}

const forbidden = "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"

func TestUpdateOfSpec(t *testing.T) {
	old := stored(t, "activeDeadlineSeconds", `100`, "tolerations", `[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":5}]`)
	for _, tc := range []struct {
		name   string
		fields []string
		want   []string
	}{
		{"nothing", nil, nil},
		{"image", []string{"spec.containers.0.image", `"nginx:2"`}, nil},
		{"no image", []string{"spec.containers.0.image", `""`}, []string{"spec.containers[0].image: Required value", "spec.containers[0].image: Required value"}},
		{"earlier deadline", []string{"spec.activeDeadlineSeconds", `50`}, nil},
		{"later deadline", []string{"spec.activeDeadlineSeconds", `500`}, []string{"spec.activeDeadlineSeconds: Invalid value: 500: must be less than or equal to previous value"}},
		{"no deadline", []string{"spec.activeDeadlineSeconds", ``}, []string{"spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value"}},
		{"another toleration", []string{"spec.tolerations", `[{"key":"b","operator":"Exists"},{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":9}]`}, nil},
		{"no toleration", []string{"spec.tolerations", `[]`}, []string{"spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"}},
		{"zero values", []string{"spec.hostNetwork", `false`, "spec.nodeSelector", `{}`, "spec.initContainers", `[]`, "spec.subdomain", `""`}, nil},
		{"policy", []string{"spec.restartPolicy", `"Never"`}, []string{forbidden + "- spec.restartPolicy: \"Always\"\n+ spec.restartPolicy: \"Never\"\n"}},
		{"grace", []string{"spec.terminationGracePeriodSeconds", `1`}, []string{forbidden + "- spec.terminationGracePeriodSeconds: 30\n+ spec.terminationGracePeriodSeconds: 1\n"}},
		{"another container", []string{"spec.containers.1", `{"name":"x","image":"x"}`}, []string{"spec.containers: Forbidden: pod updates may not add or remove containers"}},
		{"node", []string{"spec.nodeName", `"n"`}, []string{forbidden + "+ spec.nodeName: \"n\"\n"}},
		{"gate", []string{"spec.schedulingGates", `[{"name":"g"}]`}, []string{"spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"}},
	} {
		got := sdktest.New(Strategy{}).Update(changed(t, old, tc.fields...), old)
		if strings.Join(errorTexts(got), "\n") != strings.Join(tc.want, "\n") {
			t.Errorf("%s:\n  %s\nwant\n  %s", tc.name, strings.Join(errorTexts(got), "\n  "), strings.Join(tc.want, "\n  "))
		}
	}
}

func errorTexts(got sdktest.Result) (texts []string) {
	for _, err := range got.Errors {
		texts = append(texts, err.Error())
	}
	return texts
}

func TestUpdateOfGatedPod(t *testing.T) {
	const term = `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}`
	old := stored(t, "schedulingGates", `[{"name":"g"},{"name":"h"}]`, "nodeSelector", `{"a":"b"}`, "affinity", term+`]}]}}}`)
	for _, tc := range []struct {
		name   string
		fields []string
		want   []string
	}{
		{"fewer gates", []string{"spec.schedulingGates", `[{"name":"h"}]`}, nil},
		{"another node label", []string{"spec.nodeSelector.c", `"d"`}, nil},
		{"other node label", []string{"spec.nodeSelector.a", `"c"`}, []string{`spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)`}},
		{"more affinity", []string{"spec.affinity", term + `,{"key":"b","operator":"Exists"}]}]}}}`}, nil},
		{"less affinity", []string{"spec.affinity", ``}, []string{`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid value: null: no additions/deletions to non-empty NodeSelectorTerms list are allowed`}},
	} {
		got := sdktest.New(Strategy{}).Update(changed(t, old, tc.fields...), old)
		if strings.Join(errorTexts(got), "\n") != strings.Join(tc.want, "\n") {
			t.Errorf("%s:\n  %s\nwant\n  %s", tc.name, strings.Join(errorTexts(got), "\n  "), strings.Join(tc.want, "\n  "))
		}
	}
}

func TestUpdateKeepsStatusAndCountsGenerations(t *testing.T) {
	old := stored(t)
	run := sdktest.New(Strategy{})
	same := run.Update(changed(t, old, "status", `{"phase":"Running"}`, "metadata.labels", `{"a":"b"}`, "spec.subdomain", `""`), old)
	if same.Object.Get("status").Raw() != old.Get("status").Raw() || same.Object.Generation() != 1 {
		t.Errorf("status %s, generation %d", same.Object.Get("status").Raw(), same.Object.Generation())
	}
	if got := run.Update(changed(t, old, "spec.containers.0.image", `"x"`), old); got.Object.Generation() != 2 {
		t.Errorf("generation %d after a change of the spec", got.Object.Generation())
	}
}

func TestUpdateOfAnnotations(t *testing.T) {
	old := stored(t)
	got := sdktest.New(Strategy{}).Update(changed(t, old, "spec.nodeName", ``, "metadata.annotations",
		`{"kubernetes.io/config.mirror":"x","container.apparmor.security.beta.kubernetes.io/web":"unconfined"}`), old)
	sdktest.WantErrors(t, got,
		`metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
		`metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation`,
		`metadata.annotations[container.apparmor.security.beta.kubernetes.io/web]: Forbidden: may not add AppArmor annotations`)
}
