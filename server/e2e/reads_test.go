package e2e

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// grant sets the reads of a plugin.
func grant(t *testing.T, reads string) error {
	t.Helper()
	_, err := shared.dynamic(t).Resource(plugins).Patch(within(t), "reading", types.MergePatchType, []byte(`{"spec":{"reads":`+reads+`}}`), metav1.PatchOptions{})
	return err
}

// Hooks read what the operator grants to their plugin, as it is at that moment, and nothing else.
func TestHooksReadWhatIsGranted(t *testing.T) {
	shared.push(t, "reading", buildOver(t, "crontabs", "main.go", "reading.go"))
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		must(t, shared.dynamic(t).Resource(plugins).Delete(ctx, "reading", metav1.DeleteOptions{}))
	})
	ns := namespace(t, shared)
	other := ns + "-other"
	_, err := shared.dynamic(t).Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Patch(within(t), ns, types.MergePatchType, []byte(`{"metadata":{"labels":{"parcels":"yes"}}}`), metav1.PatchOptions{})
	must(t, err)
	k := kubectl{server: shared, namespace: ns}
	k.run(t, "create", "namespace", other)
	create := func(name, spec string) string {
		t.Helper()
		r := k.try(t, `{"apiVersion":"reads.test/v1","kind":"Parcel","metadata":{"name":"`+name+`","labels":{"sender":"ann"}},"spec":`+spec+`}`, "create", "-f", "-")
		return r.stdout + r.stderr
	}
	for _, in := range []string{ns, other} {
		kubectl{server: shared, namespace: in}.run(t, "create", "configmap", "rules", "--from-literal=most=1")
	}

	contains(t, create("a", `{"rules":"rules"}`),
		`spec.rules: Invalid value: "rules": plugin "reading" may not read configmaps in namespace "`+ns+`": spec.reads of its StrategyPlugin does not grant it`)
	must(t, grant(t, `[{"group":"","resources":["configmaps"]},{"group":"reads.test","resources":["parcels"]}]`))
	contains(t, create("a", `{"rules":"absent"}`), `configmaps "absent" not found`)
	contains(t, create("a", `{"rules":"rules"}`), "parcel.reads.test/a created", `Warning: plugin "reading" may not read namespaces at the cluster scope`)
	contains(t, create("b", `{"rules":"rules"}`), "spec: Forbidden: ann has 1 of 1 parcels")
	contains(t, create("b", `{"rules":"rules","from":"`+other+`"}`), `may not read configmaps in namespace "`+other+`"`)
	k.run(t, "patch", "configmap", "rules", "--type=merge", "-p", `{"data":{"most":"2"}}`)
	must(t, grant(t, `[{"group":"","resources":["configmaps","namespaces"],"namespaces":["`+other+`"]},{"group":"","resources":["configmaps"]},{"group":"reads.test","resources":["parcels"],"namespaces":["*"]}]`))
	contains(t, create("b", `{"rules":"rules"}`), "parcel.reads.test/b created", "Warning: 1 namespaces take parcels")
	contains(t, create("c", `{"rules":"rules","from":"`+other+`"}`), "spec: Forbidden: ann has 2 of 1 parcels")
	must(t, grant(t, `null`))
	contains(t, create("c", `{"rules":"rules"}`), "may not read configmaps")
	k.run(t, "delete", "parcels.reads.test", "--all")
	k.run(t, "delete", "namespace", other, "--wait=false")
}

// What is no grant is refused, field by field.
func TestGrantsAreChecked(t *testing.T) {
	shared.push(t, "reading", buildOver(t, "crontabs", "main.go", "reading.go"))
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		must(t, shared.dynamic(t).Resource(plugins).Delete(ctx, "reading", metav1.DeleteOptions{}))
	})
	got := causes(t, grant(t, `[{"group":"No_Group","resources":["*"],"namespaces":["a","*"]},{"group":"","resources":[]},{"group":"","resources":["pods/status"],"namespaces":["N"]}]`))
	slices.Sort(got)
	want := []string{
		`spec.reads[0].group: Invalid value: "No_Group"`, `spec.reads[0].namespaces[1]: Invalid value: "*": stands alone`, `spec.reads[0].resources[0]: Invalid value: "*"`,
		`spec.reads[1].resources: Required value: name what may be read`, `spec.reads[2].namespaces[0]: Invalid value: "N"`, `spec.reads[2].resources[0]: Invalid value: "pods/status"`,
	}
	equal(t, "causes", len(got), len(want))
	for i := range want {
		contains(t, got[i], want[i])
	}
}
