package podspec

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
)

func TestDefaults(t *testing.T) {
	for _, tc := range []struct {
		name, path, json string
		at, want         string
	}{
		{"empty policy", "restartPolicy", `""`, "restartPolicy", `"Always"`},
		{"null is not set", "securityContext", `null`, "securityContext", `{}`},
		{"grace of 0 stays", "terminationGracePeriodSeconds", `0`, "terminationGracePeriodSeconds", `0`},
		{"old account", "serviceAccount", `"a"`, "serviceAccountName", `"a"`},
		{"new account", "serviceAccountName", `"a"`, "serviceAccount", `"a"`},
		{"port", "c.ports", `[{"containerPort":1}]`, "containers.0.ports.0.protocol", `"TCP"`},
		{"http probe", "c.livenessProbe", `{"httpGet":{"port":1}}`, "containers.0.livenessProbe.httpGet", `{"port":1,"path":"/","scheme":"HTTP"}`},
		{"probe", "c.livenessProbe", `{"tcpSocket":{"port":1},"periodSeconds":0}`, "containers.0.livenessProbe", `{"tcpSocket":{"port":1},"periodSeconds":10,"timeoutSeconds":1,"successThreshold":1,"failureThreshold":3}`},
		{"grpc probe", "c.livenessProbe", `{"grpc":{"port":1}}`, "containers.0.livenessProbe.grpc", `{"port":1,"service":""}`},
		{"lifecycle", "c.lifecycle", `{"preStop":{"httpGet":{"port":1,"path":"/x"}}}`, "containers.0.lifecycle.preStop.httpGet", `{"port":1,"path":"/x","scheme":"HTTP"}`},
		{"field", "c.env", `[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]`, "containers.0.env.0.valueFrom.fieldRef.apiVersion", `"v1"`},
		{"divisor", "c.env", `[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}]`, "containers.0.env.0.valueFrom.resourceFieldRef.divisor", `"0"`},
		{"volume", "volumes", `[{"name":"v"}]`, "volumes.0.emptyDir", `{}`},
		{"secret", "volumes", `[{"name":"v","secret":{}}]`, "volumes.0.secret.defaultMode", `420`},
		{"token", "volumes", `[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"p"}}]}}]`, "volumes.0.projected.sources.0.serviceAccountToken.expirationSeconds", `3600`},
		{"host path", "volumes", `[{"name":"v","hostPath":{"path":"/"}}]`, "volumes.0.hostPath.type", `""`},
		{"claim", "volumes", `[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{}}}}]`, "volumes.0.ephemeral.volumeClaimTemplate.spec.volumeMode", `"Filesystem"`},
		{"iscsi", "volumes", `[{"name":"v","iscsi":{}}]`, "volumes.0.iscsi.iscsiInterface", `"default"`},
		{"requests", "c.resources", `{"limits":{"cpu":"1"}}`, "containers.0.resources", `{"limits":{"cpu":"1"},"requests":{"cpu":"1"}}`},
		{"other requests", "c.resources", `{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"0.5"}}`, "containers.0.resources.requests", `{"cpu":"500m","memory":"1Gi"}`},
		{"numbers as quantities", "c.resources", `{"requests":{"cpu":0.1,"memory":1000}}`, "containers.0.resources.requests", `{"cpu":"100m","memory":"1k"}`},
		{"too fine", "c.resources", `{"requests":{"cpu":"100u"}}`, "containers.0.resources.requests.cpu", `"1m"`},
		{"broken stays", "c.resources", `{"requests":{"cpu":"x"}}`, "containers.0.resources.requests.cpu", `"x"`},
		{"host network", "hostNetwork", `true`, "enableServiceLinks", `true`},
		{"pod level", "resources", `{"limits":{"cpu":"2"}}`, "resources", `{"limits":{"cpu":"2"},"requests":{"cpu":"2"}}`},
	} {
		got := tree.Parse(sdk.ParseValue(defaulted(specWith(t, tc.path, tc.json), true).Raw()).Get(strings.Split(tc.at, ".")...).Raw())
		if !Same(got, tree.Parse(tc.want)) || got.Exists() != (tc.want != "") {
			t.Errorf("%s: %s, want %s", tc.name, got.Raw(), tc.want)
		}
	}
}

func TestDefaultsOfTemplatesAreFewer(t *testing.T) {
	spec := defaulted(specWith(t, "hostNetwork", "true", "c.ports", `[{"containerPort":1}]`, "c.resources", `{"limits":{"cpu":1}}`), false)
	if spec.Has("enableServiceLinks") {
		t.Error("enableServiceLinks is for pods")
	}
	for _, c := range spec.Get("containers").Items() {
		if c.Get("resources").Raw() != `{"limits":{"cpu":"1"}}` {
			t.Errorf("resources: %s", c.Get("resources").Raw())
		}
		for _, p := range c.Get("ports").Items() {
			if p.Has("hostPort") {
				t.Error("hostPort is for pods")
			}
		}
	}
}

func TestPodLevelResources(t *testing.T) {
	for _, tc := range []struct{ name, pod, container, want string }{
		{"requests of containers", `{"limits":{"cpu":"2","memory":"1Gi"}}`, `{"requests":{"cpu":"300m"}}`, `{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"300m","memory":"1Gi"}}`},
		{"limits of containers", `{"requests":{"memory":"64Mi"}}`, `{"limits":{"memory":"128Mi"},"requests":{"memory":"64Mi"}}`, `{"limits":{"memory":"128Mi"},"requests":{"memory":"64Mi"}}`},
		{"huge pages", `{"limits":{"cpu":"1"}}`, `{"limits":{"hugepages-2Mi":"4Mi"},"requests":{"cpu":"1"}}`, `{"limits":{"cpu":"1","hugepages-2Mi":"4Mi"},"requests":{"cpu":"1","hugepages-2Mi":"4Mi"}}`},
	} {
		got := defaulted(specWith(t, "resources", tc.pod, "c.resources", tc.container), true).Get("resources")
		if !Same(got, tree.Parse(tc.want)) {
			t.Errorf("%s: %s, want %s", tc.name, got.Raw(), tc.want)
		}
	}
}

func TestPullPolicy(t *testing.T) {
	for image, want := range map[string]string{
		"nginx": "Always", "nginx:latest": "Always", "nginx:1.2": "IfNotPresent", "reg:5000/nginx": "Always", "reg:5000/nginx:v1": "IfNotPresent",
		"nginx@sha256:abc": "IfNotPresent", "nginx:latest@sha256:abc": "Always", "": "IfNotPresent", "Nginx": "IfNotPresent", "REG/nginx": "Always", "nginx:": "IfNotPresent",
	} {
		if got := pullPolicy(image); got != `"`+want+`"` {
			t.Errorf("%q: %s, want %s", image, got, want)
		}
	}
}

func TestQuickAgreesWithQuantity(t *testing.T) {
	for _, text := range []string{"0", "1", "10", "1000", "1500", "100m", "1000m", "1500m", "1k", "1000k", "1M", "1Ki", "1024Ki", "1023Ki", "512Mi", "1Gi", "2048Mi", "00", "01", "", "m", "1x", "1.5", "999999999999"} {
		milli, done, ok := quick(text)
		q, err := parse(tree.Parse(tree.Quote(text)))
		if ok && (!err || milliOf(q.String()) != milli || done != (q.String() == text)) {
			t.Errorf("%q: %d %v, but it is %q", text, milli, done, q.String())
		}
	}
}

func TestAmounts(t *testing.T) {
	for text, want := range map[string]int64{"1": 1000, "1m": 1, "1u": 1, "1n": 1, "1500u": 2, "1k": 1e6, "1Ki": 1024000, "1e3": 1e6, "1E": 1<<63 - 1, "-1": -1000} {
		if got := milliOf(written(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
