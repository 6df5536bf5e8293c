// Package podspec holds what Kubernetes does with the spec of a pod, for pods and for pod templates:
// one code for both.
//
// The nouns, one file each:
//
//   - Default (defaults.go): what the client left out; volumedefaults.go, image.go, quantities.go and podresources.go
//     are its parts.
//   - Validate, ValidateCreate, ValidateTemplate (spec.go, annotations.go): what is wrong, by noun: containers.go,
//     ports.go, env.go, mounts.go, volumes.go, sources.go, iscsi.go, projected.go, probes.go, resources.go, security.go,
//     system.go, scheduling.go, affinity.go, dns.go, ip.go. check.go collects it, path.go says where, plain.go and
//     quick.go pass over what is ordinary.
//   - Warnings (warnings.go): what is odd; labelwarnings.go, portwarnings.go and filewarnings.go are its parts.
//   - Same, Diff (semantics.go): when two specs mean the same.
//
// Texts, field paths and rules are those of kube-apiserver with its default feature gates.
package podspec
