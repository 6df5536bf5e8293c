package podspec

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

// usedPort is a port of one of the containers.
type usedPort struct {
	list     place
	index    int
	number   int64
	host     int64
	protocol string
	hostIP   string
}

func (p usedPort) path() place { return p.list.index(p.index) }

// ports warns of ports that several containers, or one of them twice, define.
func (w *warner) ports() {
	var all []usedPort
	eachContainer(w.spec, w.specPath(), func(container tree.Node, path place) {
		ports := container.Get("ports")
		if ports.Empty() {
			return
		}
		list := path.child("ports")
		for i, port := range ports.Items() {
			p := usedPort{list, i, port.Get("containerPort").Int(), port.Get("hostPort").Int(),
				port.Get("protocol").String(), port.Get("hostIP").String()}
			if p.hostIP != "" && p.host == 0 {
				w.warn(p.path(), "hostIP set without hostPort: "+printed(port))
			}
			w.conflicts(p, all)
			all = append(all, p)
		}
	})
}

func (w *warner) conflicts(p usedPort, all []usedPort) {
	for _, other := range all {
		if other.number != p.number || other.protocol != p.protocol {
			continue
		}
		switch {
		case p.hostIP == other.hostIP && p.host == other.host:
			w.warn(p.path(), "duplicate port definition with "+other.path().String())
		case p.host == 0 || other.host == 0:
			w.warn(p.path(), "overlapping port definition with "+other.path().String())
		case p.host == other.host && (p.hostIP == "" || other.hostIP == ""):
			w.warn(p.path(), "dangerously ambiguous port definition with "+other.path().String())
		}
	}
}

// portNames warns of a name that several containers give to ports. As in Kubernetes, nothing is said behind the
// first init container that is no sidecar.
func (w *warner) portNames() {
	seen := make(map[string]string)
	for _, list := range []string{"initContainers", "containers"} {
		for i, container := range w.spec.Get(list).Items() {
			if list == "initContainers" && !isSidecar(container) {
				return
			}
			for j, port := range container.Get("ports").Items() {
				name := port.Get("name").String()
				if name == "" {
					continue
				}
				path := w.at(list).index(i).child("ports").index(j)
				if other := seen[name]; other != "" {
					w.warn(path, "duplicate port name "+strconv.Quote(name)+" with "+other+", services and probes that select ports by name will use "+other)
				} else {
					seen[name] = path.String()
				}
			}
		}
	}
}

// printed is a port as Go prints it.
func printed(port tree.Node) string {
	number := func(key string) string {
		if n := port.Get(key); n.Exists() {
			return n.Raw()
		}
		return "0"
	}
	return "{Name:" + port.Get("name").String() + " HostPort:" + number("hostPort") + " ContainerPort:" + number("containerPort") +
		" Protocol:" + port.Get("protocol").String() + " HostIP:" + port.Get("hostIP").String() + "}"
}
