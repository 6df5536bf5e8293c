package podspec

import (
	"strconv"
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

// warner collects what is odd about one spec, but not wrong.
type warner struct {
	list        []string
	spec        tree.Node
	annotations tree.Node
	profiles    bool  // some annotation is a container's profile
	path        place // of the template; empty for a pod
}

// Warnings tells what is odd about a pod's spec and annotations. path is where the template is, empty for a pod.
func Warnings(spec, annotations tree.Node, path string) []string {
	w := &warner{spec: spec, annotations: annotations, path: root(path), profiles: hasProfiles(annotations)}
	w.nodeLabels()
	w.spreadConstraints()
	w.deprecatedAnnotations()
	w.volumes()
	w.overlappingFiles()
	w.duplicates("hostAliases", "ip")
	w.duplicates("imagePullSecrets", "name")
	for i, secret := range spec.Get("imagePullSecrets").Items() {
		if secret.Get("name").String() == "" {
			w.warn(w.at("imagePullSecrets").index(i).child("name"), `invalid empty name ""`)
		}
	}
	w.fractional(spec.Get("overhead"), w.at("overhead"))
	w.podSeccomp()
	eachContainer(spec, w.specPath(), w.container)
	w.ports()
	w.portNames()
	if seconds := spec.Get("terminationGracePeriodSeconds"); seconds.Int() < 0 {
		w.warn(w.at("terminationGracePeriodSeconds"), "must be >= 0; negative values are invalid and will be treated as 1")
	}
	w.affinities()
	w.addresses()
	return w.list
}

// Bracketed is how Go prints a list of strings.
func Bracketed(list []string) string { return "[" + strings.Join(list, " ") + "]" }

func (w *warner) warn(path place, text string) {
	w.list = append(w.list, path.String()+": "+text)
}

func (w *warner) specPath() place { return w.path.child("spec") }

func (w *warner) at(name string) place { return w.specPath().child(name) }

func (w *warner) annotation(key string) place {
	return w.path.child("metadata.annotations").key(key)
}

var annotationWarnings = [][2]string{
	{"scheduler.alpha.kubernetes.io/critical-pod", `non-functional in v1.16+; use the "priorityClassName" field instead`},
	{"security.alpha.kubernetes.io/sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
	{"security.alpha.kubernetes.io/unsafe-sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
}

func (w *warner) deprecatedAnnotations() {
	if w.annotations.Empty() {
		return
	}
	for _, deprecated := range annotationWarnings {
		if w.annotations.Has(deprecated[0]) {
			w.warn(w.annotation(deprecated[0]), deprecated[1])
		}
	}
}

func (w *warner) podSeccomp() {
	if w.annotations.Has(seccompPod) && !w.spec.At("securityContext", "seccompProfile").Exists() {
		w.warn(w.annotation(seccompPod), `non-functional in v1.27+; use the "seccompProfile" field instead`)
	}
}

// duplicates warns of items with the same value.
func (w *warner) duplicates(list, key string) {
	var seen []string
	for i, item := range w.spec.Get(list).Items() {
		value := item.Get(key).String()
		if contains(seen, value) {
			w.warn(w.at(list).index(i).child(key), "duplicate "+key+" "+strconv.Quote(value))
		} else {
			seen = append(seen, value)
		}
	}
}

// fractional warns of parts of bytes in a resource list.
func (w *warner) fractional(list tree.Node, path place) {
	if list.Empty() {
		return
	}
	for _, name := range []string{"memory", "ephemeral-storage"} {
		if value := list.Get(name); !isWhole(value) {
			w.warn(path.key(name), fractionalText(value))
		}
	}
}

func fractionalText(value tree.Node) string {
	return "fractional byte value " + strconv.Quote(written(value.String())) + " is invalid, must be an integer"
}

func (w *warner) container(container tree.Node, path place) {
	if w.profiles {
		w.containerAnnotations(container)
	}
	if resources := container.Get("resources"); !resources.Empty() {
		for _, name := range []string{"memory", "ephemeral-storage"} {
			for _, list := range []string{"limits", "requests"} {
				if value := resources.At(list, name); !isWhole(value) {
					w.warn(path.child("resources").child(list).key(name), fractionalText(value))
				}
			}
		}
	}
	w.hiddenEnv(container, path)
}

func (w *warner) containerAnnotations(container tree.Node) {
	name := container.Get("name").String()
	sc := container.Get("securityContext")
	if key := seccompContainer + name; w.annotations.Has(key) && !sc.Has("seccompProfile") {
		w.warn(w.annotation(key), `non-functional in v1.27+; use the "seccompProfile" field instead`)
	}
	if w.path.text == "" || sc.Has("appArmorProfile") || w.spec.At("securityContext", "appArmorProfile").Exists() {
		return
	}
	if key := AppArmorAnnotation + name; w.annotations.Has(key) {
		w.warn(w.annotation(key), `deprecated since v1.30; use the "appArmorProfile" field instead`)
	}
}

// hiddenEnv warns of variables that are set again without a reference to what they were.
func (w *warner) hiddenEnv(container tree.Node, path place) {
	list := container.Get("env")
	if list.Len() < 2 {
		return
	}
	var seen []string
	for i, env := range list.Items() {
		name, value := env.Get("name").String(), env.Get("value").String()
		if !contains(seen, name) {
			seen = append(seen, name)
			continue
		}
		reference := "$(" + name + ")"
		if env.Has("valueFrom") || value == reference || !strings.Contains(value, reference) {
			w.warn(path.child("env").index(i), "hides previous definition of "+strconv.Quote(name)+", which may be dropped when using apply")
		}
	}
}
