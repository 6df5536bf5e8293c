package main

import (
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
)

// The hooks of a create, by their numbers in the guest ABI.
const (
	prepareHooks  = 1<<1 | 1<<2
	validateHooks = 1<<3 | 1<<4
)

const ordinaryPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"example.com/owner":"team-a"},"labels":{"app":"web","tier":"front"},"name":"web-0","namespace":"default"},` +
	`"spec":{"containers":[{"args":["--port=8080"],"command":["/bin/server"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"POD","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],` +
	`"image":"registry.example.com/team/web:1.2.3","livenessProbe":{"httpGet":{"path":"/healthz","port":8080},"periodSeconds":10},"name":"web","ports":[{"containerPort":8080,"name":"http"},{"containerPort":9090,"name":"metrics"}],` +
	`"readinessProbe":{"httpGet":{"path":"/readyz","port":"http"}},"resources":{"limits":{"cpu":"1","memory":"512Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},"securityContext":{"allowPrivilegeEscalation":false,"runAsNonRoot":true},` +
	`"volumeMounts":[{"mountPath":"/data","name":"data"},{"mountPath":"/etc/web","name":"config","readOnly":true}]},` +
	`{"image":"registry.example.com/team/proxy@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","name":"proxy","ports":[{"containerPort":15001,"name":"proxy"}],"resources":{"requests":{"cpu":"50m"}}}],` +
	`"initContainers":[{"command":["sh","-c","true"],"image":"busybox:1.36","name":"init"}],"nodeSelector":{"kubernetes.io/os":"linux"},"serviceAccountName":"web",` +
	`"tolerations":[{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":300}],` +
	`"volumes":[{"emptyDir":{},"name":"data"},{"configMap":{"name":"web"},"name":"config"}]}}`

// BenchmarkCreate runs the two calls of a create, natively.
func BenchmarkCreate(b *testing.B) {
	module := sdk.NewModule(Plugin)
	request := `{"verb":"create","version":"v1","resource":"pods","namespace":"default","name":"web-0","time":"2024-01-01T00:00:00Z"}`
	frame := string(sdk.AppendFrame(nil, request, ordinaryPod))
	invoke := func(hooks uint64, frame string) []string {
		reply, err := module.Invoke(hooks, frame)
		if err != nil {
			b.Fatal(err)
		}
		segments, err := sdk.DecodeFrame(string(reply))
		if err != nil || segments[0][0] != 0 {
			b.Fatal(err, segments)
		}
		return segments
	}
	prepared := string(sdk.AppendFrame(nil, request, invoke(prepareHooks, frame)[1]))
	b.Run("Prepare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			invoke(prepareHooks, frame)
		}
	})
	b.Run("Validate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			invoke(validateHooks, prepared)
		}
	})
}
