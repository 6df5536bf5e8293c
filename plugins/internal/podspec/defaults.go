package podspec

import "github.com/stratagem-dev/stratagem/plugins/internal/tree"

// Default fills in what a pod's spec leaves out. The defaults that belong to pods alone, and not to the
// templates they are made from, need pod.
func Default(e *tree.Edits, spec tree.Node, pod bool) {
	e.DefaultText(spec, "dnsPolicy", `"ClusterFirst"`)
	e.DefaultText(spec, "restartPolicy", `"Always"`)
	e.Default(spec, "securityContext", `{}`)
	e.Default(spec, "terminationGracePeriodSeconds", `30`)
	e.DefaultText(spec, "schedulerName", `"default-scheduler"`)
	defaultServiceAccount(e, spec)
	hostPorts := pod && spec.Get("hostNetwork").True()
	for _, c := range spec.Get("initContainers").Items() {
		defaultContainer(e, c, pod, hostPorts)
	}
	for _, c := range spec.Get("containers").Items() {
		defaultContainer(e, c, pod, hostPorts)
	}
	for _, c := range spec.Get("ephemeralContainers").Items() {
		defaultContainer(e, c, false, false)
	}
	for _, v := range spec.Get("volumes").Items() {
		defaultVolume(e, v)
	}
	quantities(e, spec.Get("overhead"))
	if pod {
		e.Default(spec, "enableServiceLinks", `true`)
		defaultPodResources(e, spec)
	} else {
		quantities(e, spec.At("resources", "limits"))
		quantities(e, spec.At("resources", "requests"))
	}
}

// defaultServiceAccount keeps the deprecated serviceAccount equal to serviceAccountName, which wins.
func defaultServiceAccount(e *tree.Edits, spec tree.Node) {
	name, deprecated := spec.Get("serviceAccountName"), spec.Get("serviceAccount")
	switch {
	case name.String() == deprecated.String():
	case name.String() == "":
		e.Set(spec, "serviceAccountName", deprecated.Raw())
	default:
		e.Set(spec, "serviceAccount", name.Raw())
	}
}

// defaultContainer fills in a container of any sort.
func defaultContainer(e *tree.Edits, c tree.Node, pod, hostPorts bool) {
	if !c.IsObject() {
		return
	}
	if c.Get("imagePullPolicy").String() == "" {
		e.Set(c, "imagePullPolicy", pullPolicy(c.Get("image").String()))
	}
	e.DefaultText(c, "terminationMessagePath", `"/dev/termination-log"`)
	e.DefaultText(c, "terminationMessagePolicy", `"File"`)
	defaultResources(e, c, pod)
	for _, port := range c.Get("ports").Items() {
		e.DefaultText(port, "protocol", `"TCP"`)
		if hostPorts && port.Has("containerPort") {
			e.DefaultNumber(port, "hostPort", port.Get("containerPort").Raw())
		}
	}
	for _, env := range c.Get("env").Items() {
		from := env.Get("valueFrom")
		defaultFieldRef(e, from.Get("fieldRef"))
		defaultResourceFieldRef(e, from.Get("resourceFieldRef"))
		if key := from.Get("fileKeyRef"); key.Exists() {
			e.Default(key, "optional", `false`)
		}
	}
	defaultProbe(e, c.Get("livenessProbe"))
	defaultProbe(e, c.Get("readinessProbe"))
	defaultProbe(e, c.Get("startupProbe"))
	if lifecycle := c.Get("lifecycle"); lifecycle.Exists() {
		defaultHTTPGet(e, lifecycle.At("postStart", "httpGet"))
		defaultHTTPGet(e, lifecycle.At("preStop", "httpGet"))
	}
}

// defaultResources brings the quantities into canonical form and, in a pod, makes requests out of limits.
func defaultResources(e *tree.Edits, c tree.Node, pod bool) {
	if e.Default(c, "resources", `{}`) {
		return
	}
	resources := c.Get("resources")
	limits, requests := resources.Get("limits"), resources.Get("requests")
	quantities(e, limits)
	quantities(e, requests)
	if !pod || limits.Empty() {
		return
	}
	if requests.Exists() {
		for name, limit := range limits.Fields() {
			e.Default(requests, name, canonical(limit))
		}
		return
	}
	all := []byte{'{'}
	for name, limit := range limits.Fields() {
		if len(all) > 1 {
			all = append(all, ',')
		}
		all = append(append(all, tree.Quote(name)...), ':')
		all = append(all, canonical(limit)...)
	}
	e.Set(resources, "requests", string(append(all, '}')))
}

func defaultProbe(e *tree.Edits, probe tree.Node) {
	if !probe.IsObject() {
		return
	}
	e.DefaultNumber(probe, "timeoutSeconds", `1`)
	e.DefaultNumber(probe, "periodSeconds", `10`)
	e.DefaultNumber(probe, "successThreshold", `1`)
	e.DefaultNumber(probe, "failureThreshold", `3`)
	defaultHTTPGet(e, probe.Get("httpGet"))
	if grpc := probe.Get("grpc"); grpc.IsObject() {
		e.Default(grpc, "service", `""`)
	}
}

func defaultHTTPGet(e *tree.Edits, get tree.Node) {
	if get.IsObject() {
		e.DefaultText(get, "path", `"/"`)
		e.DefaultText(get, "scheme", `"HTTP"`)
	}
}

func defaultFieldRef(e *tree.Edits, ref tree.Node) {
	if ref.IsObject() {
		e.DefaultText(ref, "apiVersion", `"v1"`)
	}
}

func defaultResourceFieldRef(e *tree.Edits, ref tree.Node) {
	if ref.IsObject() && !e.Default(ref, "divisor", `"0"`) {
		oneQuantity(e, ref.Get("divisor"))
	}
}
