package podspec

import (
	"testing"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

func TestWarnings(t *testing.T) {
	for _, tc := range []struct {
		name   string
		fields []string
		want   []string
	}{
		{"none", nil, nil},
		{"env twice", []string{"c.env", `[{"name":"A","value":"1"},{"name":"A","value":"2"}]`}, []string{`spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply`}},
		{"env with a reference", []string{"c.env", `[{"name":"A","value":"1"},{"name":"A","value":"$(A)2"}]`}, nil},
		{"ports twice", []string{"c.ports", `[{"containerPort":1},{"containerPort":1}]`}, []string{`spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]`}},
		{"overlapping ports", []string{"c.ports", `[{"containerPort":1},{"containerPort":1,"hostPort":2}]`}, []string{`spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]`}},
		{"ambiguous ports", []string{"c.ports", `[{"containerPort":1,"hostPort":2},{"containerPort":1,"hostPort":2,"hostIP":"1.2.3.4"}]`}, []string{`spec.containers[0].ports[1]: dangerously ambiguous port definition with spec.containers[0].ports[0]`}},
		{"host IP alone", []string{"c.ports", `[{"containerPort":1,"hostIP":"1.2.3.4"}]`}, []string{`spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:1 Protocol:TCP HostIP:1.2.3.4}`}},
		{"fraction of a byte", []string{"c.resources", `{"limits":{"memory":"1500m"},"requests":{"memory":"1"}}`}, []string{`spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer`}},
		{"negative grace", []string{"terminationGracePeriodSeconds", `-1`}, []string{`spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`}},
		{"old node label", []string{"nodeSelector", `{"beta.kubernetes.io/os":"linux"}`}, []string{`spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`}},
		{"pull secrets", []string{"imagePullSecrets", `[{"name":"a"},{"name":"a"},{"name":""}]`}, []string{`spec.imagePullSecrets[1].name: duplicate name "a"`, `spec.imagePullSecrets[2].name: invalid empty name ""`}},
		{"host aliases", []string{"hostAliases", `[{"ip":"1.1.1.1"},{"ip":"1.1.1.1"}]`}, []string{`spec.hostAliases[1].ip: duplicate ip "1.1.1.1"`}},
		{"old volume", []string{"volumes", `[{"name":"g","glusterfs":{"endpoints":"e","path":"p"}}]`}, []string{`spec.volumes[0].glusterfs: deprecated in v1.25, non-functional in v1.26+`}},
		{"no selector", []string{"topologySpreadConstraints", `[{"topologyKey":"failure-domain.beta.kubernetes.io/zone"}]`}, []string{
			`spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
			`spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod`}},
		{"affinity without selector", []string{"affinity", `{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z"}]}}`}, []string{
			`spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod`}},
		{"hidden token", []string{"volumes", `[{"name":"a","projected":{"sources":[{"serviceAccountToken":{"path":"t"}},{"secret":{"name":"s","items":[{"key":"k","path":"t/x"}]}},{}]}}]`}, []string{
			`volume "a" (Projected) has no sources provided`, `volume "a" (Projected): overlapping paths: "t/x" (Secret "s") with "t" (ServiceAccountToken)`}},
		{"files twice", []string{"volumes", `[{"name":"a","configMap":{"name":"c","items":[{"key":"k","path":"f"},{"key":"l","path":"f/"}]}}]`}, []string{`volume "a" (ConfigMap "c"): overlapping paths: "f" with "f"`}},
		{"port name twice", []string{"containers", `[{"name":"a","image":"a","ports":[{"containerPort":1,"name":"p"}]},{"name":"b","image":"b","ports":[{"containerPort":2,"name":"p"}]}]`}, []string{
			`spec.containers[1].ports[0]: duplicate port name "p" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]`}},
		{"preferred value", []string{"affinity", `{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[{"key":"a","operator":"In","values":["-"]}]}}]}}`}, []string{
			`spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: - is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`}},
		{"addresses", []string{"hostAliases", `[{"ip":"::0001"}]`, "dnsConfig", `{"nameservers":["01.2.3.4"]}`}, []string{
			`spec.dnsConfig.nameservers[0]: non-standard IP address "01.2.3.4" is invalid: use "1.2.3.4"`, `spec.hostAliases[0].ip: IPv6 address "::0001" should be in RFC 5952 canonical format ("::1")`}},
	} {
		wantTexts(t, tc.name, Warnings(defaulted(specWith(t, tc.fields...), true), tree.Node{}, ""), tc.want)
	}
}

func TestWarningsOfTemplates(t *testing.T) {
	annotations := tree.Parse(`{"scheduler.alpha.kubernetes.io/critical-pod":"","container.apparmor.security.beta.kubernetes.io/c":"unconfined","seccomp.security.alpha.kubernetes.io/pod":"unconfined"}`)
	wantTexts(t, "template", Warnings(defaulted(specWith(t, "terminationGracePeriodSeconds", `-1`), false), annotations, "spec.template"), []string{
		`spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead`,
		`spec.template.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead`,
		`spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead`,
		`spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
	})
}
