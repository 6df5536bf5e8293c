package podspec

import "github.com/stratagem-dev/stratagem/plugins/internal/tree"

// Same tells whether two parts of objects mean the same, as Kubernetes compares them.
func Same(a, b tree.Node) bool { return tree.Equal(a, b, Zero) }

// Diff lists the differences of two parts of objects, each line with the path below name.
func Diff(was, is tree.Node, name string) string { return tree.Diff(was, is, name, Zero) }

// Zero tells whether a field's value means the same as its absence: an empty list, and the zero value of a
// field that is no pointer in Kubernetes' types.
func Zero(key string, value tree.Node) bool {
	switch {
	case value.IsArray():
		return value.Empty()
	case value.IsObject():
		return value.Empty() && isPlainObject(key)
	}
	switch value.Raw() {
	case `""`, `0`, `false`:
		return !isPointer(key)
	}
	return false
}

// isPlainObject tells whether an object under a key is a map or a struct, so that empty is as good as absent.
func isPlainObject(key string) bool {
	switch key {
	case "resources", "limits", "requests", "overhead", "labels", "annotations", "nodeSelector", "matchLabels",
		"metadata", "template", "spec", "status", "strategy", "options", "volumeAttributes", "userAnnotations",
		"preference", "podAffinityTerm", "state", "lastState":
		return true
	}
	return false
}

// isPointer tells whether the scalar under a key is a pointer, so that zero is a choice.
func isPointer(key string) bool {
	switch key {
	case "activeDeadlineSeconds", "allowPrivilegeEscalation", "automountServiceAccountToken", "cachingMode", "defaultMode",
		"enableServiceLinks", "expirationSeconds", "fsGroup", "fsGroupChangePolicy", "gmsaCredentialSpec", "gmsaCredentialSpecName",
		"hostProcess", "hostUsers", "hostnameOverride", "initiatorName", "localhostProfile", "lun", "maxExpirationSeconds",
		"maxSurge", "maxUnavailable", "minDomains", "mode", "mountPropagation", "nodeAffinityPolicy", "nodeTaintsPolicy",
		"optional", "podGroupName", "preemptionPolicy", "priority", "privileged", "procMount", "progressDeadlineSeconds",
		"readOnlyRootFilesystem", "recursiveReadOnly", "replicas", "resourceClaimName", "resourceClaimTemplateName",
		"revisionHistoryLimit", "runAsGroup", "runAsNonRoot", "runAsUser", "runAsUserName", "runtimeClassName",
		"seLinuxChangePolicy", "service", "setHostnameAsFQDN", "shareProcessNamespace", "signerName", "sizeLimit", "started",
		"stopSignal", "storageClassName", "supplementalGroupsPolicy", "terminationGracePeriodSeconds", "tolerationSeconds",
		"type", "volumeAttributesClassName", "volumeMode":
		return true
	}
	return false
}
