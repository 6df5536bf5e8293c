package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/stratagem-dev/stratagem/engine"
)

// operatorDefinition is like the one that the plugin of testdata/bound.go has in mind, in another group.
const operatorDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: timers.operator.test}
spec:
  group: operator.test
  scope: Namespaced
  names: {plural: timers, kind: Timer}
  versions:
  - {name: v1beta1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {hostPort: {type: string}, status: {type: object, properties: {phase: {type: string}}}}}}}
  - {name: v1, served: true, storage: false, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {host: {type: string}, port: {type: string}, status: {type: object, properties: {phase: {type: string}}}}}}}`

// timers are the objects of operatorDefinition as a server shows them.
type timers struct {
	t *testing.T
	dynamic.ResourceInterface
	made int
}

func timersOf(t *testing.T, s *server, version string) *timers {
	gvr := schema.GroupVersionResource{Group: "operator.test", Version: version, Resource: "timers"}
	return &timers{t: t, ResourceInterface: s.dynamic(t).Resource(gvr).Namespace("default")}
}

// check creates an object and writes its status: what of the plugin's hooks ran?
func (c *timers) check(what string, main, status bool) {
	c.t.Helper()
	c.made++
	name := fmt.Sprintf("%s-%d", strings.ReplaceAll(what, " ", "-"), c.made)
	_, err := c.Create(within(c.t), parse(c.t, "{apiVersion: operator.test/v1, kind: Timer, metadata: {name: "+name+"}, host: h, port: '0'}"), metav1.CreateOptions{})
	if refused := err != nil && strings.Contains(err.Error(), `port: Invalid value: "0": is no port`); refused != main {
		c.t.Errorf("%s: the resource's hooks: got %v, want %v (%v)", what, refused, main, err)
	}
	got, err := c.Create(within(c.t), parse(c.t, "{apiVersion: operator.test/v1, kind: Timer, metadata: {name: "+name+"-b}, host: h, port: '1'}"), metav1.CreateOptions{})
	must(c.t, err)
	equal(c.t, what+": prepared", got.GetAnnotations()["prepared-by"] == "binder", main)
	_, err = c.Patch(within(c.t), name+"-b", types.MergePatchType, []byte(`{"status":{"phase":"Lost"}}`), metav1.PatchOptions{}, "status")
	if refused := err != nil && strings.Contains(err.Error(), "status.phase: Forbidden: nothing is lost"); refused != status {
		c.t.Errorf("%s: the hooks of the status: got %v, want %v (%v)", what, refused, status, err)
	}
}

// An operator binds a plugin to a definition's resource, to a part of it, to another part, and takes it off, while objects exist: the
// very next request on any server is served so.
func TestOperatorBindsAPlugin(t *testing.T) {
	db, file := startEtcd(t), buildBound(t)
	a, b := startReplica(t, db), startReplica(t, db)
	define(t, a, parse(t, operatorDefinition))
	a.push(t, "binder", file)
	onB, k := timersOf(t, b, "v1"), kubectl{a, ""}
	bind := func(resources string) {
		t.Helper()
		k.run(t, "patch", "strategyplugin", "binder", "--type=merge", "-p", `{"spec":{"bindings":`+resources+`}}`)
	}
	one := func(resources string) string { return `[{"group":"operator.test","resources":[` + resources + `]}]` }
	onB.check("unbound", false, false)
	bind(one(`"timers/status"`))
	onB.check("the status", false, true)
	bind(one(`"timers","timers/*"`))
	onB.check("all of it", true, true)
	contains(t, k.run(t, "get", "sp", "binder"), "timers.operator.test,crontabs.bound.test")
	contains(t, k.run(t, "get", "sp", "binder", "-o", "jsonpath={.spec}"), `"bindings":[{"group":"operator.test","resources":["timers","timers/*"]}]`, `"revision":1`)

	beta := timersOf(t, b, "v1beta1")
	got, err := beta.Get(within(t), "all-of-it-3-b", metav1.GetOptions{})
	must(t, err)
	equal(t, "converted", raw(got, "hostPort"), `"h:1"`)
	explained(t, b)

	b.stop()
	must(t, b.start())
	onB.check("after a restart", true, true)
	bind(one(`"timers"`))
	onB.check("the resource alone", true, false)
	bind("null")
	onB.check("taken off", false, false)
	equal(t, "resources", k.run(t, "get", "sp", "binder", "-o", "jsonpath={.status.resourceNames}"), "crontabs.bound.test")

	// What the plugin says of itself can be narrowed.
	bind(`[{"group":"bound.test","resources":["crontabs/status"]}]`)
	must(t, a.dynamic(t).Resource(plugins).Delete(within(t), "binder", metav1.DeleteOptions{}))
	onB.check("deleted", false, false)
	// An operator may say it before the module is there.
	k.feed(t, `{apiVersion: stratagem.dev/v1alpha1, kind: StrategyPlugin, metadata: {name: early}, spec: {bindings: [{group: operator.test, resources: [timers], strategy: crontabs.bound.test}]}}`, "apply", "-f", "-")
	onB.check("without a module", false, false)
	a.push(t, "early", file)
	onB.check("with it", true, false)
}

// explained looks at what the hooks of a bound plugin cost.
func explained(t *testing.T, s *server) {
	t.Helper()
	answer := s.curl(t).do(t, "POST", "/apis/operator.test/v1/namespaces/default/timers?dryRun=All&explain=true", `{"apiVersion":"operator.test/v1","kind":"Timer","metadata":{"name":"x"},"host":"h","port":"1"}`)
	var explanation struct {
		Steps []struct {
			Name   string
			Plugin string
			Cost   struct{ Fuel int64 }
		}
	}
	must(t, json.Unmarshal(answer.body, &explanation))
	found := false
	for _, step := range explanation.Steps {
		if step.Name == "Validate" {
			found = true
			contains(t, step.Plugin, "timers.operator.test", "with binder@1")
			if step.Cost.Fuel <= 0 {
				t.Errorf("Validate took no fuel: %s", answer.body)
			}
		}
	}
	equal(t, "Validate is explained", found, true)
}

func TestBindingsAreValidated(t *testing.T) {
	file := buildBound(t)
	shared.push(t, "binder", file)
	client := shared.dynamic(t).Resource(plugins)
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		_ = client.Delete(ctx, "binder", metav1.DeleteOptions{})
	})
	patch := func(name, bindings string) error {
		_, err := client.Patch(within(t), name, types.MergePatchType, []byte(`{"spec":{"bindings":`+bindings+`}}`), metav1.PatchOptions{})
		return err
	}
	for bindings, want := range map[string][]string{
		`[{}]`:                              {"spec.bindings[0].group: Required value: definitions have a group", "spec.bindings[0].resources: Required value: name what is to be bound"},
		`[{"group":"A","resources":["x"]}]`: {`spec.bindings[0].group: Invalid value: "A": a lowercase RFC 1123 subdomain`},
		`[{"group":"stratagem.dev","resources":["x"]}]`:                                      {"spec.bindings[0].group: Forbidden: group stratagem.dev is the server's own"},
		`[{"group":"a.test","resources":["x/","*"]}]`:                                        {`spec.bindings[0].resources[0]: Invalid value: "x/"`, `spec.bindings[0].resources[1]: Invalid value: "*"`},
		`[{"group":"a.test","resources":["x","x"]}]`:                                         {`spec.bindings[0].resources[1]: Duplicate value: "x"`},
		`[{"group":"a.test","resources":["x"]},{"group":"a.test","resources":["x/status"]}]`: {`spec.bindings[1].resources[0]: Duplicate value: "x/status"`},
		`[{"group":"a.test","resources":["x"],"strategy":"y.test"}]`:                         {`spec.bindings[0].strategy: Unsupported value: "y.test": supported values: "crontabs.bound.test"`},
		`[{"group":"a.test","resources":["x/scale"]}]`:                                       {`spec.bindings[0].resources[0]: Invalid value: "x/scale": the strategy crontabs.bound.test has no hooks for it`},
		`[{"group":"apps","resources":["deployments"]}]`:                                     {`spec.bindings[0].resources[0]: Invalid value: "deployments": resource deployments.apps is defined by plugin "deployments", not by a CustomResourceDefinition`},
	} {
		got := causes(t, patch("binder", bindings))
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("%s:\ngot  %q\nwant %q", bindings, got, want)
		}
	}
	contains(t, fmt.Sprint(patch("binder", `[{"group":"a.test","resources":"x"}]`)), "spec.bindings[0].resources")
	must(t, patch("binder", `[{"group":"a.test","resources":["x"]}]`))
	got := causes(t, patch("crontabs", `[{"group":"a.test","resources":["x/status"]}]`))
	want := `spec.bindings[0].resources[0]: Invalid value: "x/status": plugin "binder" is bound to x.a.test, plugin "crontabs" cannot be bound to it too`
	if !slices.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// What has been let go another may have.
	must(t, patch("binder", "[]"))
	must(t, patch("crontabs", `[{"group":"a.test","resources":["x"],"strategy":"crontabs.example.com"}]`))
	must(t, patch("crontabs", "null"))
	out, err := shared.stratagem(t, "plugin", "push", file, "--name", "other")
	if err == nil {
		t.Error("a second plugin was bound to the same resource")
	}
	contains(t, out, `"other" is invalid`, `plugin "binder" is bound to crontabs.bound.test, plugin "other" cannot be bound to it too`)
}

// Bindings that were written and not put in force, since the server ended in between, are in force once one is up again: those that
// came as those that went.
func TestBindingsSurviveACrash(t *testing.T) {
	db, file := startEtcd(t), buildBound(t)
	s := startReplica(t, db)
	define(t, s, parse(t, operatorDefinition))
	s.push(t, "binder", file)
	objects := timersOf(t, s, "v1")
	objects.check("unbound", false, false)
	for i, bindings := range []string{`[{"group":"operator.test","resources":["timers","timers/*"]}]`, "null"} {
		s.kill()
		// The write of the StrategyPlugin is the last that the server came to.
		key := "/stratagem.dev/strategyplugins/binder"
		item, err := db.Storage("/registry").Get(within(t), key)
		must(t, err)
		plugin := engine.Object(item.Data)
		spec := engine.ParseFields([]byte(plugin.Get("spec").Raw))
		spec.Set("bindings", json.RawMessage(bindings))
		_, err = db.Storage("/registry").Update(within(t), key, plugin.With("spec", spec.Raw()), item.Revision, engine.WriteOptions{})
		must(t, err)
		must(t, s.start())
		objects.check(fmt.Sprint("after a crash ", i), bindings != "null", bindings != "null")
	}
}
