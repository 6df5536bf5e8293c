package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// vendorSource checks the sources of single storage systems.
func (c *check) vendorSource(key string, source tree.Node, name string, path place) {
	at := path.child(key)
	switch key {
	case "gitRepo":
		c.present(source, "repository", at)
		c.descendingPath(source.Get("directory").String(), at.child("directory"))
	case "gcePersistentDisk":
		c.present(source, "pdName", path.child("persistentDisk"))
		c.partition(source, path.child("persistentDisk"))
	case "awsElasticBlockStore":
		c.present(source, "volumeID", at)
		c.partition(source, at)
	case "iscsi":
		c.iscsi(source, name, path)
	case "glusterfs":
		c.present(source, "endpoints", at)
		c.present(source, "path", at)
	case "flocker":
		c.flocker(source, at)
	case "rbd":
		c.someOf(source, "monitors", at)
		c.present(source, "image", at)
	case "cinder":
		c.present(source, "volumeID", at)
		c.secretRef(source, "secretRef", at)
	case "cephfs":
		c.someOf(source, "monitors", at)
	case "quobyte":
		c.quobyte(source, at)
	case "fc":
		c.fibreChannel(source, at)
	case "flexVolume":
		c.flexVolume(source, at)
	case "azureFile":
		c.present(source, "secretName", at)
		c.present(source, "shareName", at)
	case "vsphereVolume":
		c.present(source, "volumePath", at)
	case "photonPersistentDisk":
		c.present(source, "pdID", at)
	case "portworxVolume":
		c.present(source, "volumeID", at)
	case "azureDisk":
		c.azureDisk(source, at)
	case "storageos":
		if c.present(source, "volumeName", at) {
			c.each(at.child("volumeName"), source.Get("volumeName").String(), dnsLabel(source.Get("volumeName").String()))
		}
		c.secretRef(source, "secretRef", at)
	case "scaleIO":
		c.present(source, "gateway", at)
		c.present(source, "system", at)
		c.present(source, "volumeName", at)
	}
}

func (c *check) partition(source tree.Node, path place) {
	if n := source.Get("partition"); n.Int() < 0 || n.Int() > 255 {
		c.invalid(path.child("partition"), n.Value(), validate.InclusiveRangeError(1, 255))
	}
}

func (c *check) someOf(source tree.Node, key string, path place) {
	if source.Get(key).Empty() {
		c.required(path.child(key), "")
	}
}

func (c *check) secretRef(source tree.Node, key string, path place) {
	if ref := source.Get(key); ref.Exists() {
		c.present(ref, "name", path.child(key))
	}
}

func (c *check) flocker(source tree.Node, path place) {
	name, uuid := source.Get("datasetName").String(), source.Get("datasetUUID").String()
	if name == "" && uuid == "" {
		c.required(path, "one of datasetName and datasetUUID is required")
	}
	if name != "" && uuid != "" {
		c.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")
	}
	if strings.Contains(name, "/") {
		c.invalid(path.child("datasetName"), name, "must not contain '/'")
	}
}

func (c *check) quobyte(source tree.Node, path place) {
	const pairs = "must be a host:port pair or multiple pairs separated by commas"
	registry := source.Get("registry").String()
	switch {
	case registry == "":
		c.required(path.child("registry"), pairs)
	case len(source.Get("tenant").String()) >= 65:
		c.required(path.child("tenant"), "must be a UUID and may not exceed a length of 64 characters")
	default:
		for _, pair := range strings.Split(registry, ",") {
			if strings.Count(pair, ":") != 1 && !strings.Contains(pair, "]:") {
				c.invalid(path.child("registry"), registry, pairs)
			}
		}
	}
	c.present(source, "volume", path)
}

func (c *check) fibreChannel(source tree.Node, path place) {
	names, ids, lun := source.Get("targetWWNs"), source.Get("wwids"), source.Get("lun")
	if names.Empty() && ids.Empty() {
		c.required(path.child("targetWWNs"), "must specify either targetWWNs or wwids, but not both")
	}
	if names.Empty() {
		return
	}
	if !ids.Empty() {
		c.invalid(path.child("targetWWNs"), names.Value(), "targetWWNs and wwids can not be specified simultaneously")
	}
	if !lun.Exists() {
		c.required(path.child("lun"), "lun is required if targetWWNs is specified")
	} else {
		c.lun(lun, path)
	}
}

func (c *check) lun(lun tree.Node, path place) {
	if lun.Int() < 0 || lun.Int() > 255 {
		c.invalid(path.child("lun"), lun.Value(), validate.InclusiveRangeError(0, 255))
	}
}

func (c *check) flexVolume(source tree.Node, path place) {
	c.present(source, "driver", path)
	for key := range source.Get("options").Fields() {
		namespace, _, _ := strings.Cut(key, "/")
		namespace = "." + strings.ToLower(namespace)
		if strings.HasSuffix(namespace, ".kubernetes.io") || strings.HasSuffix(namespace, ".k8s.io") {
			c.invalid(path.child("options").key(key), key, "kubernetes.io and k8s.io namespaces are reserved")
		}
	}
}

func (c *check) azureDisk(source tree.Node, path place) {
	c.present(source, "diskName", path)
	c.present(source, "diskURI", path)
	c.optionalOne(source, "cachingMode", path, "None", "ReadOnly", "ReadWrite")
	c.optionalOne(source, "kind", path, "Dedicated", "Managed", "Shared")
	kind, uri := source.Get("kind"), source.Get("diskURI").String()
	if kind.String() == "Managed" && !strings.HasPrefix(uri, "/subscriptions/") {
		c.report(path.child("diskURI"), field.NotSupported(nil, uri,
			[]string{"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"}))
	}
	if kind.Exists() && kind.String() != "Managed" && !strings.HasPrefix(uri, "https://") {
		c.report(path.child("diskURI"), field.NotSupported(nil, uri, []string{"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"}))
	}
}

func (c *check) csi(source tree.Node, path place) {
	driver := source.Get("driver").String()
	if driver == "" {
		c.required(path.child("driver"), "")
	}
	if len(driver) > 63 {
		c.report(path.child("driver"), field.TooLong(nil, "", 63))
	}
	c.each(path.child("driver"), driver, validate.IsDNS1123Subdomain(strings.ToLower(driver)))
	if ref := source.Get("nodePublishSecretRef"); ref.Exists() && c.present(ref, "name", path.child("nodePublishSecretRef")) {
		c.each(path.child("name"), ref.Get("name").String(), subdomain(ref.Get("name").String()))
	}
}

// ephemeral checks a claim that is made for the pod.
func (c *check) ephemeral(source tree.Node, name string, path place) {
	template := source.Get("volumeClaimTemplate")
	at := path.child("ephemeral.volumeClaimTemplate")
	if !template.Exists() {
		c.required(at, "")
	} else {
		c.claimTemplate(template, at)
	}
	if c.name == "" || name == "" {
		return
	}
	claim := c.name + "-" + name
	for _, message := range subdomain(claim) {
		c.invalid(path.child("name"), name, "PVC name "+tree.Quote(claim)+": "+message)
	}
}

func (c *check) claimTemplate(template tree.Node, path place) {
	metadata := template.Get("metadata")
	c.annotationMap(metadata.Get("annotations"), path.child("metadata.annotations"))
	c.labelMap(metadata.Get("labels"), path.child("metadata.labels"))
	for key, value := range metadata.Fields() {
		if key != "annotations" && key != "labels" && !Zero(key, value) {
			c.forbidden(path.child("metadata").child(key), "cannot be set")
		}
	}
	spec, at := template.Get("spec"), path.child("spec")
	modes := spec.Get("accessModes")
	if modes.Empty() {
		c.required(at.child("accessModes"), "at least 1 access mode is required")
	}
	if selector := spec.Get("selector"); selector.Exists() {
		c.selector(selector, at.child("selector"))
	}
	c.accessModes(modes, at.child("accessModes"))
	storage := at.child("resources").key("storage")
	if size := spec.At("resources", "requests", "storage"); !size.Exists() {
		c.required(storage, "")
	} else if q, ok := parse(size); ok && q.Sign() <= 0 {
		c.invalid(storage, q.String(), "must be greater than zero")
	}
	if class := spec.Get("storageClassName").String(); class != "" {
		c.each(at.child("storageClassName"), class, subdomain(class))
	}
	c.optionalOne(spec, "volumeMode", at, "Block", "Filesystem")
}

func (c *check) accessModes(modes tree.Node, path place) {
	exclusive, shared := false, false
	for _, mode := range modes.Items() {
		text := mode.String()
		c.one(text, path, "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
		exclusive = exclusive || text == "ReadWriteOncePod"
		shared = shared || text == "ReadOnlyMany" || text == "ReadWriteMany" || text == "ReadWriteOnce"
	}
	if exclusive && shared {
		c.forbidden(path, "may not use ReadWriteOncePod with other access modes")
	}
}
