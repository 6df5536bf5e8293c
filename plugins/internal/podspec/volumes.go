package podspec

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

// sourceOrder is the order in which Kubernetes looks at the sources of a volume: the first counts.
var sourceOrder = []string{
	"emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi", "glusterfs", "flocker",
	"persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc", "flexVolume", "configMap", "azureFile",
	"vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk", "storageos", "projected", "scaleIO", "csi", "ephemeral", "image",
}

// volumeList checks the volumes and remembers the good ones.
func (c *check) volumeList(path place) {
	list := c.spec.Get("volumes")
	if list.Empty() {
		return
	}
	c.volumes = make(map[string]string, list.Len())
	for i, volume := range list.Items() {
		at := path.index(i)
		before := len(c.errs)
		name := volume.Get("name").String()
		kind := c.source(volume, name, at)
		if name == "" {
			c.required(at.child("name"), "")
		} else {
			c.each(at.child("name"), name, dnsLabel(name))
		}
		if _, taken := c.volumes[name]; taken {
			c.duplicate(at.child("name"), name)
		}
		if len(c.errs) == before {
			c.volumes[name] = kind
		}
		if claim := volume.At("persistentVolumeClaim", "claimName").String(); claim != "" && c.createsClaim(list, claim) {
			c.invalid(at.child("persistentVolumeClaim.claimName"), claim, "must not reference a PVC that gets created for an ephemeral volume")
		}
	}
}

// createsClaim tells whether a claim will be made for an ephemeral volume of the pod.
func (c *check) createsClaim(list tree.Node, claim string) bool {
	if c.name == "" {
		return false
	}
	for _, volume := range list.Items() {
		if volume.Has("ephemeral") && c.name+"-"+volume.Get("name").String() == claim {
			return true
		}
	}
	return false
}

// source checks that a volume has exactly one source, and returns its kind.
func (c *check) source(volume tree.Node, name string, path place) (kind string) {
	if volume.Len() == 2 && volume.Has("name") { // the usual case, without a search
		for key, source := range volume.Fields() {
			if key != "name" && contains(sourceOrder, key) {
				c.sourceOf(key, source, name, path)
				return key
			}
		}
	}
	for _, key := range sourceOrder {
		source := volume.Get(key)
		switch {
		case !source.Exists():
		case kind != "":
			c.forbidden(path.child(forbiddenName(key)), "may not specify more than 1 volume type")
		default:
			kind = key
			c.sourceOf(key, source, name, path)
		}
	}
	if kind == "" {
		c.required(path, "must specify a volume type")
	}
	return kind
}

// forbiddenName is how Kubernetes spells a source that is one too many.
func forbiddenName(key string) string {
	switch key {
	case "cephfs":
		return "cephFS"
	case "downwardAPI":
		return "downwarAPI"
	}
	return key
}

// sourceOf checks one source.
func (c *check) sourceOf(key string, source tree.Node, name string, path place) {
	at := path.child(key)
	switch key {
	case "emptyDir":
		if q, ok := parse(source.Get("sizeLimit")); ok && q.Sign() < 0 {
			c.forbidden(at.child("sizeLimit"), "SizeLimit field must be a valid resource quantity")
		}
	case "hostPath":
		c.hostPath(source, at)
	case "secret":
		c.present(source, "secretName", at)
		c.modeAndItems(source, at)
	case "configMap":
		c.present(source, "name", at)
		c.modeAndItems(source, at)
	case "persistentVolumeClaim":
		c.present(source, "claimName", at)
	case "nfs":
		c.present(source, "server", at)
		c.present(source, "path", at)
		if where := source.Get("path").String(); where == "" || where[0] != '/' {
			c.invalid(at.child("path"), where, "must be an absolute path")
		}
	case "downwardAPI":
		c.mode(source, "defaultMode", at)
		for _, file := range source.Get("items").Items() {
			c.downwardFile(file, at)
		}
	case "projected":
		c.mode(source, "defaultMode", at)
		c.projected(source, at)
	case "csi":
		c.csi(source, at)
	case "ephemeral":
		c.ephemeral(source, name, path)
	case "image":
		c.imageSource(source, at)
	default:
		c.vendorSource(key, source, name, path)
	}
}

const badMode = "must be a number between 0 and 0777 (octal), both inclusive"

func (c *check) mode(object tree.Node, key string, path place) {
	if n := object.Get(key); n.Exists() && (n.Int() < 0 || n.Int() > 0o777) {
		c.invalid(path.child(key), n.Value(), badMode)
	}
}

func (c *check) modeAndItems(source tree.Node, path place) {
	c.mode(source, "defaultMode", path)
	for i, item := range source.Get("items").Items() {
		c.keyToPath(item, path.child("items").index(i))
	}
}

func (c *check) keyToPath(item tree.Node, path place) {
	c.present(item, "key", path)
	c.present(item, "path", path)
	c.localPath(item.Get("path").String(), path.child("path"))
	c.mode(item, "mode", path)
}

func (c *check) hostPath(source tree.Node, path place) {
	if !c.present(source, "path", path) {
		return
	}
	if where := source.Get("path").String(); hasBackstep(where) {
		c.invalid(path.child("path"), where, "must not contain '..'")
	}
	c.optionalOne(source, "type", path, "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
}

func (c *check) imageSource(source tree.Node, path place) {
	if reference := source.Get("reference").String(); c.pod && reference == "" {
		c.required(path.child("reference"), "")
	}
	if policy := source.Get("pullPolicy").String(); policy != "IfNotPresent" {
		c.oneRequired(policy, path.child("pullPolicy"), "Always", "IfNotPresent", "Never")
	}
}
