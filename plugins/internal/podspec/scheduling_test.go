package podspec

import (
	"testing"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

func TestScheduling(t *testing.T) {
	runErrors(t, []errorCase{
		{"tolerations", []string{"tolerations", `[{"operator":"Exists"},{"key":"a","operator":"Equal","value":"b","effect":"NoSchedule"}]`}, nil},
		{"toleration without key", []string{"tolerations", `[{"operator":"Equal","value":"x"}]`}, []string{"spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when `key` is empty, which means \"match all values and all keys\""}},
		{"toleration of a time", []string{"tolerations", `[{"key":"a","operator":"Exists","value":"v","tolerationSeconds":1}]`}, []string{
			`spec.tolerations[0].effect: Invalid value: "": effect must be 'NoExecute' when ` + "`tolerationSeconds` is set",
			`spec.tolerations[0].operator: Invalid value: "v": value must be empty when ` + "`operator` is 'Exists'"}},
		{"toleration operator and effect", []string{"tolerations", `[{"key":"a","operator":"In","effect":"Never"}]`}, []string{
			`spec.tolerations[0].operator: Unsupported value: "In": supported values: "Equal", "Exists"`,
			`spec.tolerations[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`}},
		{"node selector", []string{"nodeSelector", `{"-":"x"}`}, []string{`spec.nodeSelector: Invalid value: "-": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`}},
		{"gates", []string{"schedulingGates", `[{"name":"a"},{"name":"a"}]`, "nodeName", `"n"`}, []string{`spec.schedulingGates[1]: Duplicate value: "a"`, `spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared`}},
		{"spread", []string{"topologySpreadConstraints", `[{"maxSkew":0,"topologyKey":"zone","whenUnsatisfiable":"Ask","minDomains":1},{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"Ask"}]`}, []string{
			`spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero`,
			`spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Ask": supported values: "DoNotSchedule", "ScheduleAnyway"`,
			`spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not Ask`,
			`spec.topologySpreadConstraints[1].whenUnsatisfiable: Unsupported value: "Ask": supported values: "DoNotSchedule", "ScheduleAnyway"`,
			`spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, Ask}"`}},
		{"node affinity", []string{"affinity", `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In"},{"key":"b","operator":"Near"}]}]},"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":0,"preference":{}}]}}`}, []string{
			`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when ` + "`operator` is 'In' or 'NotIn'",
			`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].operator: Invalid value: "Near": not a valid selector operator`,
			`spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100`}},
		{"no node terms", []string{"affinity", `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}}}`}, []string{
			`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term`}},
		{"pod affinity", []string{"affinity", `{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone","matchLabelKeys":["a"]}]}}`}, []string{
			`spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`}},
	})
}

func TestSpecFields(t *testing.T) {
	const subdomainText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	runErrors(t, []errorCase{
		{"policies", []string{"restartPolicy", `"Maybe"`, "dnsPolicy", `"X"`}, []string{
			`spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"`,
			`spec.dnsPolicy: Unsupported value: "X": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"`}},
		{"names", []string{"serviceAccountName", `"A"`, "nodeName", `"_"`, "hostname", `"a.b"`, "priorityClassName", `"P"`}, []string{
			`spec.serviceAccountName: Invalid value: "A": ` + subdomainText, `spec.nodeName: Invalid value: "_": ` + subdomainText,
			`spec.hostname: Invalid value: "a.b": must not contain dots`, `spec.priorityClassName: Invalid value: "P": ` + subdomainText}},
		{"deadline", []string{"activeDeadlineSeconds", `0`}, []string{`spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive`}},
		{"dns", []string{"dnsPolicy", `"None"`}, []string{"spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"}},
		{"dns servers", []string{"dnsConfig", `{"nameservers":["1.2.3.4","x"],"searches":["_a.b",".","-"],"options":[{}]}`}, []string{
			`spec.dnsConfig.nameservers[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
			`spec.dnsConfig.searches[2]: Invalid value: "-": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')`,
			`spec.dnsConfig.options[0]: Required value: must not be empty`}},
		{"host aliases", []string{"hostAliases", `[{"ip":"300.1.1.1","hostnames":["A"]}]`}, []string{
			`spec.hostAliases[0].ip: Invalid value: "300.1.1.1": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`, `spec.hostAliases[0].hostnames[0]: Invalid value: "A": ` + subdomainText}},
		{"pull secrets", []string{"imagePullSecrets", `[{"name":"a","key":"b"}]`}, []string{`spec.imagePullSecrets[0]: Invalid value: {"name":"a","key":"b"}: only name may be set`}},
		{"preemption", []string{"preemptionPolicy", `"Always"`}, []string{`spec.preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"`}},
		{"claims", []string{"resourceClaims", `[{"name":"a","resourceClaimName":"x"},{"name":"a"}]`}, []string{
			`spec.resourceClaims[1].name: Duplicate value: "a"`, "spec.resourceClaims[1]: Invalid value: {\"name\":\"a\"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"}},
		{"readiness gate", []string{"readinessGates", `[{"conditionType":""}]`}, []string{`spec.readinessGates[0].conditionType: Invalid value: "": name part must be non-empty`,
			`spec.readinessGates[0].conditionType: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`}},
		{"users", []string{"hostUsers", "false", "hostPID", "true"}, []string{"spec.HostPID: Forbidden: when `hostUsers` is false"}},
		{"windows", []string{"os", `{"name":"windows"}`, "securityContext", `{"fsGroup":1}`, "c.securityContext", `{"privileged":true}`}, []string{
			`spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod`, `spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod`}},
	})
}

func TestSecurity(t *testing.T) {
	runErrors(t, []errorCase{
		{"ids", []string{"securityContext", `{"runAsUser":-1,"supplementalGroups":[-2]}`}, []string{
			`spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive`, `spec.securityContext.supplementalGroups[0]: Invalid value: -2: must be between 0 and 2147483647, inclusive`}},
		{"escalation", []string{"c.securityContext", `{"allowPrivilegeEscalation":false,"privileged":true}`}, []string{
			"spec.containers[0].securityContext: Invalid value: {\"allowPrivilegeEscalation\":false,\"privileged\":true}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true"}},
		{"seccomp", []string{"c.securityContext", `{"seccompProfile":{"type":"Localhost"}}`}, []string{`spec.containers[0].securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`}},
		{"app armor", []string{"securityContext", `{"appArmorProfile":{"type":"Strict"}}`}, []string{`spec.securityContext.appArmorProfile.type: Unsupported value: "Strict": supported values: "Localhost", "RuntimeDefault", "Unconfined"`}},
		{"sysctls", []string{"securityContext", `{"sysctls":[{"name":"net.core.somaxconn","value":"1"},{"name":"A","value":"1"},{"name":"net.core.somaxconn"}]}`}, []string{
			`spec.securityContext.sysctls[1].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`,
			`spec.securityContext.sysctls[2].name: Duplicate value: "net.core.somaxconn"`}},
		{"namespaces", []string{"shareProcessNamespace", "true", "hostPID", "true", "securityContext", `{"runAsNonRoot":true}`}, []string{`spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled`}},
		{"proc mount", []string{"c.securityContext", `{"procMount":"Unmasked"}`}, []string{"spec.containers[0].securityContext.procMount: Invalid value: \"Unmasked\": `hostUsers` must be false to use `Unmasked`"}},
	})
}

func TestAnnotations(t *testing.T) {
	annotations := tree.Parse(`{"controller.kubernetes.io/pod-deletion-cost":"+1","kubernetes.io/config.mirror":"x","seccomp.security.alpha.kubernetes.io/pod":"odd","container.apparmor.security.beta.kubernetes.io/x":"odd"}`)
	var got []string
	for _, err := range ValidateCreate("p", annotations, defaulted(specWith(t), true)) {
		got = append(got, err.Error())
	}
	wantTexts(t, "annotations", got, []string{
		`metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer`,
		`metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
		`metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "odd": must be a valid seccomp profile`,
		`metadata.annotations[container.apparmor.security.beta.kubernetes.io/x]: Invalid value: "x": container not found`,
		`metadata.annotations[container.apparmor.security.beta.kubernetes.io/x]: Invalid value: "odd": invalid AppArmor profile name: "odd"`,
	})
}

func TestParseIP(t *testing.T) {
	for text, want := range map[string]int{
		"1.2.3.4": 4, "010.0.0.1": 4, "1.2.3": 0, "1.2.3.256": 0, "1.2.3.+4": 0, "": 0, "::": 6, "::1": 6, "2001:db8::ffff": 6, "1:2:3:4:5:6:7:8": 6,
		"1:2:3:4:5:6:7": 0, "1::2::3": 0, "::ffff:1.2.3.4": 6, "fe80::1%eth0": 0, "12345::": 0, "1:2:3:4:5:6:7:8:9": 0, "1:2:3:4:5:6:7:1.2.3.4": 0, ":1": 0,
	} {
		if got := ParseIP(text).Family; got != want {
			t.Errorf("ParseIP(%q) = %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]string{"1.2.3.4": "", "01.2.3.4": "must not have leading 0s", "::ffff:1.2.3.4": "must not be an IPv4-mapped IPv6 address", "::ffff:102:304": "must not be an IPv4-mapped IPv6 address", "::1": ""} {
		if got := ParseIP(text).Problem(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"::": "::", "0:0:0:0:0:0:0:1": "::1", "1:0:0:2:0:0:0:3": "1:0:0:2::3", "FE80::0ABC": "fe80::abc", "1:2:3:4:5:6:7:8": "1:2:3:4:5:6:7:8", "1:0:2::": "1:0:2::", "::ffff:1.2.3.4": "1.2.3.4", "1::": "1::", "1:0:3:4:5:6:7:8": "1:0:3:4:5:6:7:8",
	} {
		if got := ParseIP(text).String(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
