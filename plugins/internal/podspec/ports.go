package podspec

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

func (c *check) ports(ports tree.Node, path place) {
	if ports.Empty() {
		return
	}
	path = path.child("ports")
	var names []string
	for i, port := range ports.Items() {
		at := path.index(i)
		if name := port.Get("name").String(); name != "" {
			if messages := validate.IsValidPortName(name); len(messages) > 0 {
				c.each(at.child("name"), name, messages)
			} else if contains(names, name) {
				c.duplicate(at.child("name"), name)
			} else {
				names = append(names, name)
			}
		}
		if number := port.Get("containerPort"); number.Int() == 0 {
			c.required(at.child("containerPort"), "")
		} else {
			c.portNumber(number, at.child("containerPort"))
		}
		if number := port.Get("hostPort"); number.Int() != 0 {
			c.portNumber(number, at.child("hostPort"))
		}
		if protocol := port.Get("protocol").String(); protocol != "TCP" {
			c.oneRequired(protocol, at.child("protocol"), "SCTP", "TCP", "UDP")
		}
	}
}

// hostPortConflicts looks for host ports that several containers want.
func (c *check) hostPortConflicts(list tree.Node, path place) {
	var seen []string
	for i, container := range list.Items() {
		seen = c.hostPorts(container, path.index(i), seen)
	}
}

// ownHostPortConflicts looks in one init container: they run one by one. Kubernetes reports all of them at index 0.
func (c *check) ownHostPortConflicts(container tree.Node, path place) {
	c.hostPorts(container, path.index(0), nil)
}

func (c *check) hostPorts(container tree.Node, path place, seen []string) []string {
	for j, port := range container.Get("ports").Items() {
		number := port.Get("hostPort").Int()
		if number == 0 {
			continue
		}
		id := port.Get("protocol").String() + "/" + port.Get("hostIP").String() + "/" + strconv.FormatInt(number, 10)
		if contains(seen, id) {
			c.duplicate(path.child("ports").index(j).child("hostPort"), id)
		} else {
			seen = append(seen, id)
		}
	}
	return seen
}

// hostNetworkPorts holds host ports equal to container ports in the host's network; a template may leave them out.
func (c *check) hostNetworkPorts(path place) {
	if !c.spec.Get("hostNetwork").True() {
		return
	}
	for i, container := range c.spec.Get("containers").Items() {
		for j, port := range container.Get("ports").Items() {
			host := port.Get("hostPort").Int()
			if (c.pod || host != 0) && host != port.Get("containerPort").Int() {
				c.invalid(path.index(i).child("ports").index(j).child("hostPort"), host, "must match `containerPort` when `hostNetwork` is true")
			}
		}
	}
}

// portNumberOrName checks the port of a handler.
func (c *check) portNumberOrName(port tree.Node, path place) {
	if port.IsString() {
		c.each(path, port.String(), validate.IsValidPortName(port.String()))
		return
	}
	c.portNumber(port, path)
}

func (c *check) portNumber(port tree.Node, path place) {
	if n := port.Int(); n < 1 || n > 65535 {
		for _, message := range validate.IsValidPortNum(int(n)) {
			c.invalid(path, n, message)
		}
	}
}
