package podspec

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// probes checks the three probes of a container.
func (c *check) probes(container tree.Node, path place) {
	for _, key := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		probe := container.Get(key)
		if !probe.Exists() {
			continue
		}
		at := path.child(key)
		c.probe(probe, at)
		seconds, threshold := probe.Get("terminationGracePeriodSeconds"), probe.Get("successThreshold")
		switch {
		case key == "readinessProbe" && seconds.Exists():
			c.invalid(at.child("terminationGracePeriodSeconds"), seconds.Value(), "must not be set for readinessProbes")
		case key != "readinessProbe" && threshold.Int() != 1:
			c.invalid(at.child("successThreshold"), threshold.Int(), "must be 1")
		}
	}
}

func (c *check) probe(probe tree.Node, path place) {
	c.handler(probe, path, "grpc")
	c.nonnegative(probe, "initialDelaySeconds", path)
	c.nonnegative(probe, "timeoutSeconds", path)
	c.nonnegative(probe, "periodSeconds", path)
	c.nonnegative(probe, "successThreshold", path)
	c.nonnegative(probe, "failureThreshold", path)
	if seconds := probe.Get("terminationGracePeriodSeconds"); seconds.Exists() && seconds.Int() <= 0 {
		c.invalid(path.child("terminationGracePeriodSeconds"), seconds.Value(), "must be greater than 0")
	}
}

// lifecycle checks what runs behind the start of a container and before its end.
func (c *check) lifecycle(container tree.Node, path place) {
	lifecycle := container.Get("lifecycle")
	if !lifecycle.Exists() {
		return
	}
	for _, key := range []string{"postStart", "preStop"} {
		if handler := lifecycle.Get(key); handler.Exists() {
			c.handler(handler, path.child("lifecycle").child(key), "sleep")
		}
	}
	if signal := lifecycle.Get("stopSignal"); signal.Exists() && c.spec.At("os", "name").String() == "" {
		c.forbidden(path.child("lifecycle.stopSignal"), "may not be set for containers with empty `spec.os.name`")
	}
}

// handler checks that there is exactly one handler. last is the kind that only probes, or only hooks, have.
func (c *check) handler(handler tree.Node, path place, last string) {
	found := false
	for _, kind := range []string{"exec", "httpGet", "tcpSocket", last} {
		action := handler.Get(kind)
		if !action.Exists() {
			continue
		}
		at := path.child(kind)
		if found {
			c.forbidden(at, "may not specify more than 1 handler type")
			continue
		}
		found = true
		c.action(kind, action, at)
	}
	if !found {
		c.required(path, "must specify a handler type")
	}
}

func (c *check) action(kind string, action tree.Node, path place) {
	switch kind {
	case "exec":
		if action.Get("command").Empty() {
			c.required(path.child("command"), "")
		}
	case "httpGet":
		c.present(action, "path", path)
		c.portNumberOrName(action.Get("port"), path.child("port"))
		c.one(action.Get("scheme").String(), path.child("scheme"), "HTTP", "HTTPS")
		for _, header := range action.Get("httpHeaders").Items() {
			name := header.Get("name").String()
			c.each(path.child("httpHeaders"), name, validate.IsHTTPHeaderName(name))
		}
	case "tcpSocket", "grpc":
		c.portNumberOrName(action.Get("port"), path.child("port"))
	case "sleep":
		seconds := action.Get("seconds").Int()
		if c.grace.Exists() && (seconds < 0 || seconds > c.grace.Int()) {
			c.invalid(path, seconds, "must be non-negative and less than terminationGracePeriodSeconds ("+c.grace.Raw()+")")
		}
	}
}
