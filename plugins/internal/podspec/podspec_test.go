package podspec

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

// minimal has a container "c", which the tables change through the path "c", and a volume "v".
const minimal = `{"containers":[{"name":"c","image":"nginx:1"}],"volumes":[{"name":"v","emptyDir":{}}]}`

// specWith is the minimal spec with fields set: a path, where "c" is the container, and a JSON text; an empty
// text deletes.
func specWith(t testing.TB, fields ...string) tree.Node {
	t.Helper()
	spec := sdktest.Object(t, minimal)
	for i := 0; i < len(fields); i += 2 {
		path := strings.Split(fields[i], ".")
		if path[0] == "c" {
			path = append([]string{"containers", "0"}, path[1:]...)
		}
		if fields[i+1] == "" {
			spec.Delete(path...)
		} else {
			spec.SetRaw(fields[i+1], path...)
		}
	}
	return tree.Parse(spec.Raw())
}

// defaulted is a pod's spec after Default.
func defaulted(spec tree.Node, pod bool) tree.Node {
	e := tree.NewEdits(spec)
	Default(e, spec, pod)
	return tree.Parse(e.Text())
}

type errorCase struct {
	name   string
	fields []string
	want   []string
}

// runErrors validates every case as a new pod's spec; the errors must be exactly these.
func runErrors(t *testing.T, cases []errorCase) {
	t.Helper()
	for _, tc := range cases {
		spec := defaulted(specWith(t, tc.fields...), true)
		wantTexts(t, tc.name, texts(spec), tc.want)
	}
}

func texts(spec tree.Node) (list []string) {
	for _, err := range ValidateCreate("p", tree.Node{}, spec) {
		list = append(list, err.Error())
	}
	return list
}

func wantTexts(t *testing.T, name string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n  %s\nwant:\n  %s", name, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

const (
	labelText = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`
	portRange = `must be between 1 and 65535, inclusive`
)

func TestContainers(t *testing.T) {
	runErrors(t, []errorCase{
		{"valid", nil, nil},
		{"none", []string{"containers", `[]`}, []string{`spec.containers: Required value`}},
		{"no name", []string{"c.name", ""}, []string{`spec.containers[0].name: Required value`}},
		{"bad name", []string{"c.name", `"A_b"`}, []string{`spec.containers[0].name: Invalid value: "A_b": ` + labelText}},
		{"dotted name", []string{"c.name", `"a.b"`}, []string{`spec.containers[0].name: Invalid value: "a.b": must not contain dots`}},
		{"no image", []string{"c.image", ""}, []string{`spec.containers[0].image: Required value`}},
		{"padded image", []string{"c.image", `" a "`}, []string{`spec.containers[0].image: Invalid value: " a ": must not have leading or trailing whitespace`}},
		{"twice", []string{"containers", `[{"name":"a","image":"a"},{"name":"a","image":"a"}]`}, []string{`spec.containers[1].name: Duplicate value: "a"`}},
		{"in both lists", []string{"initContainers", `[{"name":"c","image":"a"}]`}, []string{`spec.initContainers[0].name: Duplicate value: "c"`}},
		{"pull policy", []string{"c.imagePullPolicy", `"Sometimes"`}, []string{`spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`}},
		{"message policy", []string{"c.terminationMessagePolicy", `"X"`}, []string{`spec.containers[0].terminationMessagePolicy: Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"`}},
		{"probe of an init container", []string{"initContainers", `[{"name":"i","image":"a","readinessProbe":{"tcpSocket":{"port":1}},"lifecycle":{}}]`}, []string{
			`spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always`,
			`spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always`}},
		{"sidecar", []string{"initContainers", `[{"name":"i","image":"a","restartPolicy":"Always","readinessProbe":{"tcpSocket":{"port":1}}}]`}, nil},
		{"ephemeral at creation", []string{"ephemeralContainers", `[{"name":"e","image":"a"}]`}, []string{`spec.ephemeralContainers: Forbidden: cannot be set on create`}},
	})
}

func TestPorts(t *testing.T) {
	runErrors(t, []errorCase{
		{"valid", []string{"c.ports", `[{"containerPort":80,"name":"http"},{"containerPort":53,"protocol":"UDP"}]`}, nil},
		{"none", []string{"c.ports", `[{}]`}, []string{`spec.containers[0].ports[0].containerPort: Required value`}},
		{"range", []string{"c.ports", `[{"containerPort":70000,"hostPort":-1}]`}, []string{
			`spec.containers[0].ports[0].containerPort: Invalid value: 70000: ` + portRange,
			`spec.containers[0].ports[0].hostPort: Invalid value: -1: ` + portRange}},
		{"name", []string{"c.ports", `[{"containerPort":1,"name":"-"}]`}, []string{
			`spec.containers[0].ports[0].name: Invalid value: "-": must contain at least one letter (a-z)`,
			`spec.containers[0].ports[0].name: Invalid value: "-": must not begin or end with a hyphen`}},
		{"name twice", []string{"c.ports", `[{"containerPort":1,"name":"a"},{"containerPort":2,"name":"a"}]`}, []string{`spec.containers[0].ports[1].name: Duplicate value: "a"`}},
		{"protocol", []string{"c.ports", `[{"containerPort":1,"protocol":"tcp"}]`}, []string{`spec.containers[0].ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"`}},
		{"host port twice", []string{"c.ports", `[{"containerPort":1,"hostPort":8},{"containerPort":2,"hostPort":8}]`}, []string{`spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//8"`}},
		{"host network", []string{"hostNetwork", "true", "c.ports", `[{"containerPort":1},{"containerPort":2,"hostPort":3}]`}, []string{
			"spec.containers[0].ports[1].hostPort: Invalid value: 3: must match `containerPort` when `hostNetwork` is true"}},
	})
}

func TestEnv(t *testing.T) {
	runErrors(t, []errorCase{
		{"valid", []string{"c.env", `[{"name":"A","value":"1"},{"name":"my.var"},{"name":"P","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['a']"}}}]`}, nil},
		{"no name", []string{"c.env", `[{"value":"1"}]`}, []string{`spec.containers[0].env[0].name: Required value`}},
		{"equals sign", []string{"c.env", `[{"name":"a=b"}]`}, []string{`spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`}},
		{"no source", []string{"c.env", `[{"name":"A","valueFrom":{}}]`}, []string{"spec.containers[0].env[0].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"}},
		{"value and source", []string{"c.env", `[{"name":"A","value":"x","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]`}, []string{"spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty"}},
		{"two sources", []string{"c.env", `[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"},"secretKeyRef":{"name":"s","key":"k"}}}]`}, []string{`spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time`}},
		{"unknown field", []string{"c.env", `[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"spec.nope"}}}]`}, []string{`spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.nope": error converting fieldPath: field label not supported: spec.nope`}},
		{"field not for env", []string{"c.env", `[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"status.phase"}}}]`}, []string{`spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"`}},
		{"resource", []string{"c.env", `[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.gpu"}}}]`}, []string{`spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"`}},
		{"divisor", []string{"c.env", `[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"2"}}}]`}, []string{`spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`}},
		{"secret key", []string{"c.env", `[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s"}}}]`}, []string{`spec.containers[0].env[0].valueFrom.secretKeyRef.key: Required value`}},
		{"env from nothing", []string{"c.envFrom", `[{"prefix":"P"}]`}, []string{"spec.containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`"}},
		{"env from unnamed", []string{"c.envFrom", `[{"secretRef":{}}]`}, []string{`spec.containers[0].envFrom[0].secretRef.name: Required value`}},
	})
}

func TestMounts(t *testing.T) {
	runErrors(t, []errorCase{
		{"valid", []string{"c.volumeMounts", `[{"name":"v","mountPath":"/a"},{"name":"v","mountPath":"/b","subPath":"x"}]`}, nil},
		{"unknown volume", []string{"c.volumeMounts", `[{"name":"w","mountPath":"/a"}]`}, []string{`spec.containers[0].volumeMounts[0].name: Not found: "w"`}},
		{"nothing", []string{"c.volumeMounts", `[{}]`}, []string{`spec.containers[0].volumeMounts[0].name: Required value`, `spec.containers[0].volumeMounts[0].name: Not found: ""`, `spec.containers[0].volumeMounts[0].mountPath: Required value`}},
		{"path twice", []string{"c.volumeMounts", `[{"name":"v","mountPath":"/a"},{"name":"v","mountPath":"/a"}]`}, []string{`spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique`}},
		{"sub path", []string{"c.volumeMounts", `[{"name":"v","mountPath":"/a","subPath":"/x/../y"}]`}, []string{`spec.containers[0].volumeMounts.subPath: Invalid value: "/x/../y": must be a relative path`, `spec.containers[0].volumeMounts.subPath: Invalid value: "/x/../y": must not contain '..'`}},
		{"propagation", []string{"c.volumeMounts", `[{"name":"v","mountPath":"/a","mountPropagation":"Bidirectional"}]`}, []string{`spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`}},
		{"device", []string{"c.volumeDevices", `[{"name":"v","devicePath":"/d"}]`}, []string{`spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`}},
	})
}

func TestVolumes(t *testing.T) {
	runErrors(t, []errorCase{
		{"defaults to emptyDir", []string{"volumes", `[{"name":"v"}]`}, nil},
		{"no name", []string{"volumes", `[{"emptyDir":{}}]`}, []string{`spec.volumes[0].name: Required value`}},
		{"twice", []string{"volumes", `[{"name":"v"},{"name":"v"}]`}, []string{`spec.volumes[1].name: Duplicate value: "v"`}},
		{"two sources", []string{"volumes", `[{"name":"v","emptyDir":{},"secret":{"secretName":"s"}}]`}, []string{`spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type`}},
		{"unknown source", []string{"volumes", `[{"name":"v","cloud":{}}]`}, []string{`spec.volumes[0]: Required value: must specify a volume type`}},
		{"bad size", []string{"volumes", `[{"name":"v","emptyDir":{"sizeLimit":"-1"}}]`}, []string{`spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity`}},
		{"required fields", []string{"volumes", `[{"name":"a","secret":{}},{"name":"b","configMap":{}},{"name":"c","persistentVolumeClaim":{}},{"name":"d","hostPath":{}},{"name":"e","nfs":{}},{"name":"f","csi":{}}]`}, []string{
			`spec.volumes[0].secret.secretName: Required value`, `spec.volumes[1].configMap.name: Required value`, `spec.volumes[2].persistentVolumeClaim.claimName: Required value`,
			`spec.volumes[3].hostPath.path: Required value`, `spec.volumes[4].nfs.server: Required value`, `spec.volumes[4].nfs.path: Required value`, `spec.volumes[4].nfs.path: Invalid value: "": must be an absolute path`,
			`spec.volumes[5].csi.driver: Required value`,
			`spec.volumes[5].csi.driver: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`}},
		{"mode and items", []string{"volumes", `[{"name":"a","secret":{"secretName":"s","defaultMode":512,"items":[{"key":"k","path":"../x"}]}}]`}, []string{
			`spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive`,
			`spec.volumes[0].secret.items[0].path: Invalid value: "../x": must not contain '..'`}},
		{"host path type", []string{"volumes", `[{"name":"a","hostPath":{"path":"/x","type":"Thing"}}]`}, []string{`spec.volumes[0].hostPath.type: Unsupported value: "Thing": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"`}},
		{"projected", []string{"volumes", `[{"name":"a","projected":{"sources":[{"secret":{"name":"s","items":[{"key":"k","path":"p"}]}},{"configMap":{"name":"c","items":[{"key":"k","path":"p"}]}}]}}]`}, []string{`spec.volumes[0].projected: Invalid value: "c": conflicting duplicate paths`}},
		{"token without account", []string{"volumes", `[{"name":"a","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}]`}, []string{`spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set`}},
		{"claim template", []string{"volumes", `[{"name":"a","ephemeral":{"volumeClaimTemplate":{"spec":{}}}}]`}, []string{`spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required`, `spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value`}},
		{"claim of another volume", []string{"volumes", `[{"name":"a","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}},{"name":"b","persistentVolumeClaim":{"claimName":"p-a"}}]`}, []string{`spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-a": must not reference a PVC that gets created for an ephemeral volume`}},
	})
}

func TestVendorVolumes(t *testing.T) {
	for source, want := range map[string][]string{
		`"iscsi":{"targetPortal":"1.2.3.4","iqn":"iqn.2001-04.com.example:disk","lun":300}`: {`spec.volumes[0].iscsi.lun: Invalid value: 300: must be between 0 and 255, inclusive`},
		`"iscsi":{"targetPortal":"1.2.3.4","iqn":"x"}`:                                      {`spec.volumes[0].iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa`},
		`"fc":{"targetWWNs":["w"]}`:                                                         {`spec.volumes[0].fc.lun: Required value: lun is required if targetWWNs is specified`},
		`"flexVolume":{"driver":"d","options":{"k8s.io/x":"y"}}`:                            {`spec.volumes[0].flexVolume.options[k8s.io/x]: Invalid value: "k8s.io/x": kubernetes.io and k8s.io namespaces are reserved`},
		`"rbd":{"monitors":["m"]}`:                                                          {`spec.volumes[0].rbd.image: Required value`},
		`"gcePersistentDisk":{}`:                                                            {`spec.volumes[0].persistentDisk.pdName: Required value`},
		`"azureDisk":{"diskName":"d","diskURI":"u","kind":"Managed"}`:                       {`spec.volumes[0].azureDisk.diskURI: Unsupported value: "u": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"`},
	} {
		spec := defaulted(specWith(t, "volumes", `[{"name":"a",`+source+`}]`), true)
		wantTexts(t, source, texts(spec), want)
	}
}

func TestResources(t *testing.T) {
	const at = `spec.containers[0].resources`
	runErrors(t, []errorCase{
		{"valid", []string{"c.resources", `{"limits":{"cpu":"1","memory":"1Gi","example.com/gpu":"2"},"requests":{"cpu":"500m"}}`}, nil},
		{"more than the limit", []string{"c.resources", `{"limits":{"cpu":"1"},"requests":{"cpu":"1500m"}}`}, []string{at + `.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1`}},
		{"not as much as the limit", []string{"c.resources", `{"limits":{"example.com/gpu":"2"},"requests":{"example.com/gpu":"1"}}`}, []string{at + `.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2`}},
		{"without limit", []string{"c.resources", `{"requests":{"example.com/gpu":"1"}}`}, []string{at + `.limits: Required value: Limit must be set for non overcommitable resources`}},
		{"negative", []string{"c.resources", `{"requests":{"cpu":"-1"}}`}, []string{at + `.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`}},
		{"fraction of a device", []string{"c.resources", `{"limits":{"example.com/gpu":"500m"}}`}, []string{at + `.limits[example.com/gpu]: Invalid value: "500m": must be an integer`, at + `.requests[example.com/gpu]: Invalid value: "500m": must be an integer`}},
		{"unknown", []string{"c.resources", `{"requests":{"gpu":"1"}}`}, []string{at + `.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified`, at + `.requests[gpu]: Invalid value: "gpu": must be a standard resource for containers`}},
		{"for quotas", []string{"c.resources", `{"requests":{"pods":"1"}}`}, []string{at + `.requests[pods]: Invalid value: "pods": must be a standard resource for containers`}},
		{"huge pages alone", []string{"c.resources", `{"limits":{"hugepages-2Mi":"4Mi"}}`}, []string{at + `: Forbidden: HugePages require cpu or memory`}},
		{"broken page", []string{"c.resources", `{"limits":{"cpu":"1","hugepages-2Mi":"3Mi"}}`}, []string{at + `.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi`, at + `.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi`}},
		{"no quantity", []string{"c.resources", `{"requests":{"cpu":"lots"}}`}, []string{at + `.requests[cpu]: Invalid value: "lots": quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`}},
		{"claim", []string{"c.resources", `{"claims":[{"name":"x"}]}`}, []string{at + `.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty`}},
		{"pod level", []string{"resources", `{"limits":{"cpu":"1","storage":"1"}}`, "c.resources", `{"limits":{"cpu":"2"}}`}, []string{
			`spec.resources.limits[storage]: Unsupported value: "storage": supported values: "cpu", "hugepages-", "memory"`,
			`spec.resources.limits[storage]: Invalid value: "storage": must be a standard resource for containers`,
			`spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`,
			`spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1`}},
	})
}

func TestProbes(t *testing.T) {
	runErrors(t, []errorCase{
		{"valid", []string{"c.livenessProbe", `{"httpGet":{"port":"http"}}`, "c.startupProbe", `{"exec":{"command":["x"]}}`, "c.readinessProbe", `{"grpc":{"port":1},"successThreshold":2}`}, nil},
		{"no handler", []string{"c.livenessProbe", `{}`}, []string{`spec.containers[0].livenessProbe: Required value: must specify a handler type`}},
		{"two handlers", []string{"c.livenessProbe", `{"exec":{"command":["x"]},"tcpSocket":{"port":1}}`}, []string{`spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`}},
		{"threshold", []string{"c.livenessProbe", `{"tcpSocket":{"port":1},"successThreshold":2}`}, []string{`spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1`}},
		{"port", []string{"c.livenessProbe", `{"tcpSocket":{"port":0}}`}, []string{`spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: 0: ` + portRange}},
		{"scheme and path", []string{"c.readinessProbe", `{"httpGet":{"port":1,"scheme":"ftp","httpHeaders":[{"name":"a b"}]}}`}, []string{
			`spec.containers[0].readinessProbe.httpGet.scheme: Unsupported value: "ftp": supported values: "HTTP", "HTTPS"`,
			`spec.containers[0].readinessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')`}},
		{"numbers", []string{"c.startupProbe", `{"tcpSocket":{"port":1},"periodSeconds":-1,"terminationGracePeriodSeconds":0}`}, []string{
			`spec.containers[0].startupProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
			`spec.containers[0].startupProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`}},
		{"grace of readiness", []string{"c.readinessProbe", `{"tcpSocket":{"port":1},"terminationGracePeriodSeconds":1}`}, []string{`spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes`}},
		{"lifecycle", []string{"c.lifecycle", `{"preStop":{"sleep":{"seconds":31}},"postStart":{}}`}, []string{
			`spec.containers[0].lifecycle.postStart: Required value: must specify a handler type`,
			`spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)`}},
	})
}
