package podspec

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

func (c *check) ports(ports tree.Node, path *field.Path) {
	if ports.Empty() {
		return
	}
	path = path.Child("ports")
	var names []string
	for i, port := range ports.Items() {
		at := path.Index(i)
		if name := port.Get("name").String(); name != "" {
			if messages := validate.IsValidPortName(name); len(messages) > 0 {
				c.each(at.Child("name"), name, messages)
			} else if contains(names, name) {
				c.duplicate(at.Child("name"), name)
			} else {
				names = append(names, name)
			}
		}
		if number := port.Get("containerPort"); number.Int() == 0 {
			c.required(at.Child("containerPort"), "")
		} else {
			c.each(at.Child("containerPort"), number.Value(), validate.IsValidPortNum(int(number.Int())))
		}
		if number := port.Get("hostPort"); number.Int() != 0 {
			c.each(at.Child("hostPort"), number.Value(), validate.IsValidPortNum(int(number.Int())))
		}
		if protocol := port.Get("protocol").String(); protocol != "TCP" {
			c.oneRequired(protocol, at.Child("protocol"), "SCTP", "TCP", "UDP")
		}
	}
}

// hostPortConflicts looks for host ports that several containers want.
func (c *check) hostPortConflicts(list tree.Node, path *field.Path) {
	var seen []string
	for i, container := range list.Items() {
		seen = c.hostPorts(container, path.Index(i), seen)
	}
}

// ownHostPortConflicts looks in one init container: they run one by one. Kubernetes reports all of them at index 0.
func (c *check) ownHostPortConflicts(container tree.Node, path *field.Path) {
	c.hostPorts(container, path.Index(0), nil)
}

func (c *check) hostPorts(container tree.Node, path *field.Path, seen []string) []string {
	for j, port := range container.Get("ports").Items() {
		number := port.Get("hostPort").Int()
		if number == 0 {
			continue
		}
		id := port.Get("protocol").String() + "/" + port.Get("hostIP").String() + "/" + strconv.FormatInt(number, 10)
		if contains(seen, id) {
			c.duplicate(path.Child("ports").Index(j).Child("hostPort"), id)
		} else {
			seen = append(seen, id)
		}
	}
	return seen
}

// hostNetworkPorts holds host ports equal to container ports in the host's network; a template may leave them out.
func (c *check) hostNetworkPorts(path *field.Path) {
	if !c.spec.Get("hostNetwork").True() {
		return
	}
	for i, container := range c.spec.Get("containers").Items() {
		for j, port := range container.Get("ports").Items() {
			host := port.Get("hostPort").Int()
			if (c.pod || host != 0) && host != port.Get("containerPort").Int() {
				c.invalid(path.Index(i).Child("ports").Index(j).Child("hostPort"), host, "must match `containerPort` when `hostNetwork` is true")
			}
		}
	}
}

// portNumberOrName checks the port of a handler.
func (c *check) portNumberOrName(port tree.Node, path *field.Path) {
	if port.IsString() {
		c.each(path, port.String(), validate.IsValidPortName(port.String()))
		return
	}
	c.each(path, port.Int(), validate.IsValidPortNum(int(port.Int())))
}
