package podspec

import "github.com/stratagem-dev/stratagem/plugins/internal/tree"

// defaultVolume makes a volume without a source an emptyDir and fills in the source.
func defaultVolume(e *tree.Edits, v tree.Node) {
	if !v.IsObject() {
		return
	}
	found := false
	for key, source := range v.Fields() {
		if key == "name" {
			continue
		}
		found = true
		if source.IsObject() {
			defaultSource(e, key, source)
		}
	}
	if !found {
		e.Set(v, "emptyDir", `{}`)
	}
}

func defaultSource(e *tree.Edits, kind string, source tree.Node) {
	switch kind {
	case "secret", "configMap":
		e.Default(source, "defaultMode", `420`)
	case "downwardAPI":
		e.Default(source, "defaultMode", `420`)
		defaultDownwardAPI(e, source)
	case "projected":
		e.Default(source, "defaultMode", `420`)
		for _, s := range source.Get("sources").Items() {
			defaultDownwardAPI(e, s.Get("downwardAPI"))
			if token := s.Get("serviceAccountToken"); token.IsObject() {
				e.Default(token, "expirationSeconds", `3600`)
			}
		}
	case "emptyDir":
		oneQuantity(e, source.Get("sizeLimit"))
	case "hostPath":
		e.Default(source, "type", `""`)
	case "image":
		if source.Get("pullPolicy").String() == "" {
			e.Set(source, "pullPolicy", pullPolicy(source.Get("reference").String()))
		}
	case "ephemeral":
		if spec := source.At("volumeClaimTemplate", "spec"); spec.IsObject() {
			e.Default(spec, "volumeMode", `"Filesystem"`)
			quantities(e, spec.At("resources", "requests"))
			quantities(e, spec.At("resources", "limits"))
		}
	default:
		defaultVendorSource(e, kind, source)
	}
}

// defaultVendorSource knows the sources of single storage systems.
func defaultVendorSource(e *tree.Edits, kind string, source tree.Node) {
	switch kind {
	case "iscsi":
		e.DefaultText(source, "iscsiInterface", `"default"`)
	case "rbd":
		e.DefaultText(source, "pool", `"rbd"`)
		e.DefaultText(source, "user", `"admin"`)
		e.DefaultText(source, "keyring", `"/etc/ceph/keyring"`)
	case "azureDisk":
		e.Default(source, "cachingMode", `"ReadWrite"`)
		e.Default(source, "kind", `"Shared"`)
		e.Default(source, "fsType", `"ext4"`)
		e.Default(source, "readOnly", `false`)
	case "scaleIO":
		e.DefaultText(source, "storageMode", `"ThinProvisioned"`)
		e.DefaultText(source, "fsType", `"xfs"`)
	}
}

func defaultDownwardAPI(e *tree.Edits, source tree.Node) {
	for _, item := range source.Get("items").Items() {
		defaultFieldRef(e, item.Get("fieldRef"))
		defaultResourceFieldRef(e, item.Get("resourceFieldRef"))
	}
}
