// Package podspec holds what Kubernetes does with the spec of a pod, for pods and for pod templates:
// one code for both.
//
// The nouns, one file each:
//
//   - Default (defaults.go): what the client left out; image.go, quantities.go and podresources.go are its parts.
//   - Validate, ValidateTemplate (spec.go): what is wrong, by noun: containers.go, ports.go, env.go, mounts.go,
//     volumes.go, sources.go, projected.go, probes.go, resources.go, security.go, scheduling.go, affinity.go, dns.go.
//   - Warnings (warnings.go): what is odd.
//   - Same, Diff (semantics.go): when two specs mean the same.
//
// Texts, field paths and rules are those of kube-apiserver with its default feature gates.
package podspec
