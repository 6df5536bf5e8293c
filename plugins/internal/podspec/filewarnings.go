package podspec

import (
	"strconv"
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

// file is a path that a volume makes, and which of its sources does.
type file struct{ path, source string }

func (f file) String() string {
	if f.source == "" {
		return strconv.Quote(f.path)
	}
	return strconv.Quote(f.path) + " (" + f.source + ")"
}

// overlaps tells whether one of two paths is, or is below, the other.
func (f file) overlaps(other file) bool {
	a, b := f.path+"/", other.path+"/"
	return f.path != "" && other.path != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// overlappingFiles warns of files in one volume that hide each other.
func (w *warner) overlappingFiles() {
	for _, volume := range w.spec.Get("volumes").Items() {
		name := volume.Get("name").String()
		for kind, source := range volume.Fields() {
			switch kind {
			case "configMap":
				w.overlaps(name, "ConfigMap "+strconv.Quote(source.Get("name").String()), filesOf(source, ""))
			case "secret":
				w.overlaps(name, "Secret "+strconv.Quote(source.Get("secretName").String()), filesOf(source, ""))
			case "downwardAPI":
				w.overlaps(name, "DownwardAPI", filesOf(source, ""))
			case "projected":
				w.projected(name, source)
			}
		}
	}
}

func (w *warner) projected(volume string, source tree.Node) {
	var all []file
	for _, s := range source.Get("sources").Items() {
		if s.Len() == 0 {
			w.list = append(w.list, "volume "+strconv.Quote(volume)+" (Projected) has no sources provided")
			continue
		}
		all = append(all, projectedFiles(s)...)
	}
	w.overlaps(volume, "Projected", all)
}

// projectedFiles are the files of the first kind of source that is set.
func projectedFiles(s tree.Node) (files []file) {
	switch {
	case !s.At("configMap", "items").Empty():
		return filesOf(s.Get("configMap"), "ConfigMap "+strconv.Quote(s.At("configMap", "name").String()))
	case !s.At("secret", "items").Empty():
		return filesOf(s.Get("secret"), "Secret "+strconv.Quote(s.At("secret", "name").String()))
	case !s.At("downwardAPI", "items").Empty():
		return filesOf(s.Get("downwardAPI"), "DownwardAPI")
	case s.Has("serviceAccountToken"):
		return []file{{s.At("serviceAccountToken", "path").String(), "ServiceAccountToken"}}
	case s.Has("clusterTrustBundle"):
		bundle := s.Get("clusterTrustBundle")
		name := bundle.Get("name")
		if !name.Exists() {
			name = bundle.Get("signerName")
		}
		return []file{{bundle.Get("path").String(), "ClusterTrustBundle " + strconv.Quote(name.String())}}
	}
	for _, part := range [][2]string{
		{"certificateChainPath", "PodCertificate chain"}, {"keyPath", "PodCertificate key"}, {"credentialBundlePath", "PodCertificate credential bundle"},
	} {
		if path := s.At("podCertificate", part[0]).String(); path != "" {
			files = append(files, file{path, part[1]})
		}
	}
	return files
}

func filesOf(source tree.Node, name string) (files []file) {
	for _, item := range source.Get("items").Items() {
		files = append(files, file{item.Get("path").String(), name})
	}
	return files
}

func (w *warner) overlaps(volume, what string, files []file) {
	for i := range files {
		files[i].path = strings.TrimRight(files[i].path, "/")
		for _, other := range files[:i] {
			if files[i].overlaps(other) {
				w.list = append(w.list, "volume "+strconv.Quote(volume)+" ("+what+"): overlapping paths: "+files[i].String()+" with "+other.String())
			}
		}
	}
}
