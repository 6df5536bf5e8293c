// Command pods is the plugin that serves Pods, as kube-apiserver does without controllers and kubelets.
//
// The nouns, one file each:
//
//   - Strategy (strategy.go): the life of a Pod; graceful.go, qos.go, gates.go, affinity.go, apparmor.go,
//     update.go and munge.go are its parts.
//   - StatusStrategy (status.go), EphemeralContainersStrategy (ephemeral.go), ResizeStrategy (resize.go):
//     the subresources that write a part of the Pod.
//   - BindingStrategy (binding.go), EvictionStrategy (eviction.go): the subresources that are POSTed to.
//   - columns (table.go) and summary (summary.go): what kubectl get prints.
package main

import "github.com/stratagem-dev/stratagem/sdk"

func init() { sdk.Register(Plugin) }

func main() {}

// Plugin is what the server is told.
var Plugin = sdk.Plugin{
	Name:    "pods",
	Version: "1.0.0",
	Resources: []sdk.Resource{{
		Resource:   "pods",
		Kind:       "Pod",
		ShortNames: []string{"po"},
		Categories: []string{"all"},
		Scope:      sdk.Namespaced,
		KeyRoot:    "/pods",
		Versions:   []sdk.Version{{Name: "v1", Served: true, Storage: true, Columns: columns}},
		Strategy:   Strategy{},
		Subresources: []sdk.Subresource{
			{Name: "status", Strategy: StatusStrategy{}},
			{Name: "ephemeralcontainers", Strategy: EphemeralContainersStrategy{}},
			{Name: "resize", Strategy: ResizeStrategy{}},
			{Name: "binding", Strategy: BindingStrategy{}, Create: &sdk.PostedKind{Version: "v1", Kind: "Binding"}},
			{Name: "eviction", Strategy: EvictionStrategy{}, Create: &sdk.PostedKind{Group: "policy", Version: "v1", Kind: "Eviction", Delete: true}},
			{Name: "log", Unavailable: "pods/log needs a kubelet, and this server has none"},
			{Name: "exec", Unavailable: "pods/exec needs a kubelet, and this server has none"},
			{Name: "attach", Unavailable: "pods/attach needs a kubelet, and this server has none"},
			{Name: "portforward", Unavailable: "pods/portforward needs a kubelet, and this server has none"},
			{Name: "proxy", Unavailable: "pods/proxy needs a way to the pod's network, and this server has none"},
		},
		SelectableFields: []string{
			".spec.nodeName", ".spec.restartPolicy", ".spec.schedulerName", ".spec.serviceAccountName", ".spec.hostNetwork",
			".status.phase", ".status.podIP", ".status.nominatedNodeName",
		},
		ResetFields: []string{".status"},
	}},
}
