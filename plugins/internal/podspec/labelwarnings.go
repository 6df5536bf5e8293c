package podspec

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

// deprecatedNodeLabel is what Kubernetes says of a node's label that has a successor.
func deprecatedNodeLabel(key string) string {
	switch key {
	case "beta.kubernetes.io/arch":
		return `deprecated since v1.14; use "kubernetes.io/arch" instead`
	case "beta.kubernetes.io/os":
		return `deprecated since v1.14; use "kubernetes.io/os" instead`
	case "failure-domain.beta.kubernetes.io/region":
		return `deprecated since v1.17; use "topology.kubernetes.io/region" instead`
	case "failure-domain.beta.kubernetes.io/zone":
		return `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`
	case "beta.kubernetes.io/instance-type":
		return `deprecated since v1.17; use "node.kubernetes.io/instance-type" instead`
	}
	return ""
}

func (w *warner) nodeLabels() {
	for key := range w.spec.Get("nodeSelector").Fields() {
		if message := deprecatedNodeLabel(key); message != "" {
			w.warn(w.at("nodeSelector").key(key), message)
		}
	}
	node := w.spec.At("affinity", "nodeAffinity")
	if !node.Exists() {
		return
	}
	path := w.at("affinity.nodeAffinity")
	for i, term := range node.At(requiredTerms, "nodeSelectorTerms").Items() {
		w.nodeTerm(term, path.child(requiredTerms).child("nodeSelectorTerms").index(i))
	}
	for i, term := range node.Get(preferredTerms).Items() {
		w.nodeTerm(term.Get("preference"), path.child(preferredTerms).index(i).child("preference"))
	}
}

func (w *warner) nodeTerm(term tree.Node, path place) {
	for i, expression := range term.Get("matchExpressions").Items() {
		key := expression.Get("key").String()
		if message := deprecatedNodeLabel(key); message != "" {
			w.warn(path.child("matchExpressions").index(i).child("key"), key+" is "+message)
		}
	}
}

const matchesNone = "a null labelSelector results in matching no pod"

func (w *warner) spreadConstraints() {
	for i, constraint := range w.spec.Get("topologySpreadConstraints").Items() {
		at := w.at("topologySpreadConstraints").index(i)
		key := constraint.Get("topologyKey").String()
		if message := deprecatedNodeLabel(key); message != "" {
			w.warn(at.child("topologyKey"), key+" is "+message)
		}
		if !constraint.Has("labelSelector") {
			w.warn(at.child("labelSelector"), matchesNone)
		}
	}
}

func (w *warner) affinities() {
	affinity := w.spec.Get("affinity")
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		for i, term := range affinity.At(kind, requiredTerms).Items() {
			if !term.Has("labelSelector") {
				w.warn(w.at("affinity").child(kind).child(requiredTerms).index(i).child("labelSelector"), matchesNone)
			}
		}
		for i, term := range affinity.At(kind, preferredTerms).Items() {
			if !term.At("podAffinityTerm", "labelSelector").Exists() {
				w.warn(w.at("affinity").child(kind).child(preferredTerms).index(i).child("podAffinityTerm.labelSelector"), matchesNone)
			}
		}
	}
}

// sourceWarnings are the sources that are no longer there, or soon will not be.
var sourceWarnings = map[string]string{
	"photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
	"gitRepo":              "deprecated in v1.11, and disabled by default in v1.33+",
	"scaleIO":              "deprecated in v1.16, non-functional in v1.22+",
	"flocker":              "deprecated in v1.22, non-functional in v1.25+",
	"storageos":            "deprecated in v1.22, non-functional in v1.25+",
	"quobyte":              "deprecated in v1.22, non-functional in v1.25+",
	"glusterfs":            "deprecated in v1.25, non-functional in v1.26+",
	"cephfs":               "deprecated in v1.28, non-functional in v1.31+",
	"rbd":                  "deprecated in v1.28, non-functional in v1.31+",
}

func (w *warner) volumes() {
	for i, volume := range w.spec.Get("volumes").Items() {
		for key, source := range volume.Fields() {
			if message := sourceWarnings[key]; message != "" {
				if key == "storageos" {
					key = "storageOS"
				}
				w.warn(w.at("volumes").index(i).child(key), message)
			}
			if key == "ephemeral" {
				w.claimSize(source, w.at("volumes").index(i).child("ephemeral.volumeClaimTemplate.spec.resources.requests"))
			}
		}
	}
}

func (w *warner) claimSize(source tree.Node, path place) {
	requests := source.At("volumeClaimTemplate", "spec", "resources", "requests")
	if size := requests.Get("storage"); !isWhole(size) {
		w.warn(path.key("storage"), fractionalText(size))
	}
}

// tokenPaths warns of files in projected volumes that hide a token.
func (w *warner) tokenPaths() {
	var tokens []string
	for _, volume := range w.spec.Get("volumes").Items() {
		for _, source := range volume.At("projected", "sources").Items() {
			if token := source.Get("serviceAccountToken"); token.Exists() {
				tokens = append(tokens, token.Get("path").String())
			}
		}
	}
	if len(tokens) == 0 {
		return
	}
	for i, volume := range w.spec.Get("volumes").Items() {
		for _, source := range volume.At("projected", "sources").Items() {
			for _, kind := range [][2]string{{"configMap", "configMap"}, {"secret", "secrets"}, {"downwardAPI", "downwardAPI"}} {
				for j, file := range source.At(kind[0], "items").Items() {
					if name := file.Get("path").String(); contains(tokens, name) {
						w.warn(w.at("volumes").index(i).child("projected.sources").child(kind[1]).index(j), "has duplicated path with ServiceAccountToken "+strconv.Quote(name))
					}
				}
			}
			if bundle := source.Get("clusterTrustBundle"); bundle.Exists() && contains(tokens, bundle.Get("path").String()) {
				w.warn(w.at("volumes").index(i).child("projected.sources.ClusterTrustBundle"),
					"has duplicated path with ServiceAccountToken "+strconv.Quote(bundle.Get("path").String()))
			}
		}
	}
}
