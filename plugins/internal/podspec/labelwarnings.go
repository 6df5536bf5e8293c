package podspec

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/validate"
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
		w.nodeTerm(term, path.child(requiredTerms).child("nodeSelectorTerms").index(i), false)
	}
	for i, term := range node.Get(preferredTerms).Items() {
		w.nodeTerm(term.Get("preference"), path.child(preferredTerms).index(i).child("preference"), true)
	}
}

// nodeTerm warns of old labels and, in preferences, of values that no label can have.
func (w *warner) nodeTerm(term tree.Node, path place, values bool) {
	for i, expression := range term.Get("matchExpressions").Items() {
		key := expression.Get("key").String()
		if message := deprecatedNodeLabel(key); message != "" {
			w.warn(path.child("matchExpressions").index(i).child("key"), key+" is "+message)
		}
		for j, value := range expression.Get("values").Items() {
			if !values || isPlainName(value.String()) {
				continue
			}
			for _, message := range validate.IsValidLabelValue(value.String()) {
				w.warn(path.child("matchExpressions").index(i).child("values").index(j), value.String()+" is invalid, "+message)
			}
		}
	}
}

// addresses warns of IP addresses in unusual forms.
func (w *warner) addresses() {
	for i, server := range w.spec.At("dnsConfig", "nameservers").Items() {
		w.address(server.String(), w.at("dnsConfig.nameservers").index(i))
	}
	for i, alias := range w.spec.Get("hostAliases").Items() {
		w.address(alias.Get("ip").String(), w.at("hostAliases").index(i).child("ip"))
	}
}

func (w *warner) address(text string, path place) {
	if warning := ParseIP(text).Warning(text); warning != "" {
		w.warn(path, warning)
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
