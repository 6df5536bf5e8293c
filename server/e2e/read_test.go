package e2e

import (
	"fmt"
	"strings"
	"testing"
)

func TestKubectlSelectorsAndChunks(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	var names []string
	for i := range 7 {
		name := fmt.Sprintf("p%d", i)
		pod := strings.Replace(podJSON(name), `"metadata":{`, fmt.Sprintf(`"metadata":{"labels":{"odd":"%t","n":"%d"},`, i%2 == 1, i), 1)
		k.feed(t, pod, "create", "-f", "-")
		names = append(names, "pod/"+name)
	}
	all := strings.Join(names, "\n") + "\n"
	for _, size := range []string{"1", "3", "7", "500", "0"} {
		equal(t, "chunks of "+size, k.run(t, "get", "pods", "-o", "name", "--chunk-size="+size), all)
	}
	for selector, want := range map[string]string{
		"odd=true":                "pod/p1\npod/p3\npod/p5\n",
		"odd!=true,n notin (0,2)": "pod/p4\npod/p6\n",
		"n in (1,6)":              "pod/p1\npod/p6\n",
		"!odd":                    "",
	} {
		equal(t, selector, k.run(t, "get", "pods", "-o", "name", "-l", selector), want)
		equal(t, selector+" in chunks", k.run(t, "get", "pods", "-o", "name", "--chunk-size=2", "-l", selector), want)
	}
	equal(t, "field selector", k.run(t, "get", "pods", "-o", "name", "--field-selector=metadata.name=p3"), "pod/p3\n")
	equal(t, "selectable field", k.run(t, "get", "pods", "-o", "name", "--field-selector=status.phase!=Pending"), "")
	contains(t, k.refused(t, "", "get", "pods", "--field-selector=spec.foo=bar"), "field label not supported: spec.foo")
	contains(t, k.run(t, "get", "pods", "-A", "--show-labels", "-l", "n=4"), "NAMESPACE", k.namespace, "p4", "n=4,odd=false")
	equal(t, "sorted", k.run(t, "get", "pods", "-o", "jsonpath={.items[*].metadata.name}", "--sort-by=.metadata.labels.odd", "-l", "n in (0,1)"), "p0 p1")
	equal(t, "delete by label", strings.Count(k.run(t, "delete", "pods", "-l", "odd=true"), "deleted"), 3)
	equal(t, "delete all", strings.Count(k.run(t, "delete", "pods", "--all"), "deleted"), 4)
}

func TestKubectlWatch(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	out := k.start(t, "get", "pods", "--watch", "--output-watch-events")
	k.feed(t, podJSON("first"), "create", "-f", "-")
	eventually(t, "ADDED", func() bool { return strings.Contains(out.String(), "ADDED      first   0/1     Pending   0          ") })
	k.run(t, "label", "pod", "first", "a=b")
	eventually(t, "MODIFIED", func() bool { return strings.Contains(out.String(), "MODIFIED   first   0/1     Pending   0          ") })
	k.run(t, "delete", "pod", "first")
	eventually(t, "DELETED", func() bool { return strings.Contains(out.String(), "DELETED    first   0/1     Pending   0          ") })
	equal(t, "lines", strings.Count(out.String(), "first"), 3)
	equal(t, "headings", strings.Count(out.String(), "NAME"), 1)
}

func TestKubectlWait(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	k.run(t, "create", "-f", nginx)
	out := k.start(t, "wait", "deployment/nginx-deployment", "--for=jsonpath={.spec.replicas}=5", "--timeout=60s")
	k.run(t, "scale", "deployment/nginx-deployment", "--replicas=5")
	eventually(t, "wait", func() bool { return out.String() == "deployment.apps/nginx-deployment condition met\n" })
	// Whether kubectl begins before the deletion or after it, it ends well.
	gone := k.command(t, "wait", "deployment/nginx-deployment", "--for=delete", "--timeout=60s")
	must(t, gone.Start())
	k.run(t, "delete", "deployment", "nginx-deployment")
	must(t, gone.Wait())
	contains(t, k.refused(t, "", "wait", "deployment/nginx-deployment", "--for=condition=Available", "--timeout=1s"), "deployments.apps \"nginx-deployment\" not found")
}

func TestKubectlDiscovery(t *testing.T) {
	k := kubectl{shared, ""}
	resources := strings.Join(strings.Fields(k.run(t, "api-resources", "-o", "wide", "--no-headers", "--sort-by=name")), " ")
	contains(t, resources,
		"crontabs ct example.com/v1 true CronTab create,delete,deletecollection,get,list,patch,update,watch",
		"deployments deploy apps/v1 true Deployment create,delete,deletecollection,get,list,patch,update,watch all",
		"namespaces ns v1 false Namespace create,delete,get,list,patch,update,watch ",
		"pods po v1 true Pod create,delete,deletecollection,get,list,patch,update,watch all",
		"strategyplugins sp stratagem.dev/v1alpha1 false StrategyPlugin")
	contains(t, k.run(t, "api-versions"), "apps/v1\n", "example.com/v1\n", "stratagem.dev/v1alpha1\n", "v1\n")
	contains(t, k.run(t, "version"), "Client Version: v1.37.2\n", "Server Version: v1.37.")
	contains(t, k.run(t, "get", "namespaces", "default", "kube-system"), "NAME          STATUS   AGE\n", "default       Active   ", "kube-system   Active   ")
	contains(t, k.run(t, "get", "strategyplugins"), "NAME          REVISION   VERSION   DIGEST", "ABI   RESOURCES ", "STATE", "AGE\n",
		"core          1          1.0.0     sha256:", "configmaps,secrets,", "crontabs      1          1.0.0     sha256:", "1     crontabs.example.com ", "Active", "deployments.apps", "pods")
	contains(t, k.refused(t, "", "get", "services"), `error: the server doesn't have a resource type "services"`)
	contains(t, k.refused(t, "", "get", "--raw", "/apis/none.example.com/v1/things"), "Error from server (NotFound): the server could not find the requested resource")
}
