package main

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
)

// summary is what kubectl get says of a pod: how many containers are ready, and the word for its state.
type summary struct {
	ready, total int
	reason       string
	restarts     int64
	lastRestart  string // RFC 3339; empty when not known

	spec, status tree.Node
}

func summarize(pod *sdk.Object) *summary {
	s := &summary{spec: specOf(pod), status: partOf(pod, "status")}
	phase := s.status.Get("phase").String()
	s.reason = phase
	if reason := s.status.Get("reason").String(); reason != "" {
		s.reason = reason
	}
	for _, condition := range s.status.Get("conditions").Items() {
		if condition.Get("type").String() == "PodScheduled" && condition.Get("reason").String() == "SchedulingGated" {
			s.reason = "SchedulingGated"
		}
	}
	s.total = s.spec.Get("containers").Len()
	for _, container := range s.spec.Get("initContainers").Items() {
		if isSidecar(container) {
			s.total++
		}
	}
	if initializing := s.initContainers(); !initializing || s.condition("Initialized") {
		s.containers()
	}
	if pod.BeingDeleted() {
		switch {
		case s.status.Get("reason").String() == "NodeLost":
			s.reason = "Unknown"
		case phase != "Succeeded" && phase != "Failed":
			s.reason = "Terminating"
		}
	}
	return s
}

// initContainers counts in the sidecars and tells whether one of the init containers still runs or has failed.
func (s *summary) initContainers() (initializing bool) {
	var sidecarRestarts int64
	var sidecarLast string
	for i, container := range s.status.Get("initContainerStatuses").Items() {
		count := container.Get("restartCount").Int()
		s.restarts += count
		s.restarted(container)
		sidecar := isSidecar(named(s.spec.Get("initContainers"), container.Get("name").String()))
		if sidecar {
			sidecarRestarts += count
			sidecarLast = later(sidecarLast, finishedAt(container))
		}
		terminated, waiting := container.At("state", "terminated"), container.At("state", "waiting").Get("reason").String()
		switch {
		case terminated.Exists() && terminated.Get("exitCode").Int() == 0:
			continue
		case sidecar && container.Get("started").True():
			if container.Get("ready").True() {
				s.ready++
			}
			continue
		case terminated.Exists():
			s.reason = "Init:" + ended(terminated)
		case waiting != "" && waiting != "PodInitializing":
			s.reason = "Init:" + waiting
		default:
			s.reason = "Init:" + strconv.Itoa(i) + "/" + strconv.Itoa(s.spec.Get("initContainers").Len())
		}
		initializing = true
		break
	}
	if !initializing || s.condition("Initialized") {
		s.restarts, s.lastRestart = sidecarRestarts, sidecarLast
	}
	return initializing
}

// containers looks at the regular containers; the state of the first that is not well is the pod's.
func (s *summary) containers() {
	var list []tree.Node
	for _, container := range s.status.Get("containerStatuses").Items() {
		list = append(list, container)
	}
	running := false
	for i := len(list) - 1; i >= 0; i-- {
		container := list[i]
		s.restarts += container.Get("restartCount").Int()
		s.restarted(container)
		state := container.Get("state")
		switch waiting := state.At("waiting", "reason").String(); {
		case waiting != "":
			s.reason = waiting
		case state.Has("terminated"):
			s.reason = ended(state.Get("terminated"))
		case container.Get("ready").True() && state.Has("running"):
			running = true
			s.ready++
		}
	}
	if s.reason == "Completed" && running {
		s.reason = "NotReady"
		if s.condition("Ready") {
			s.reason = "Running"
		}
	}
}

func (s *summary) condition(kind string) bool {
	for _, condition := range s.status.Get("conditions").Items() {
		if condition.Get("type").String() == kind && condition.Get("status").String() == "True" {
			return true
		}
	}
	return false
}

func (s *summary) restarted(container tree.Node) {
	s.lastRestart = later(s.lastRestart, finishedAt(container))
}

func finishedAt(container tree.Node) string {
	return container.At("lastState", "terminated", "finishedAt").String()
}

// later is the later of two times in RFC 3339 and UTC, as Kubernetes writes them.
func later(a, b string) string { return max(a, b) }

// ended says how a container ended.
func ended(terminated tree.Node) string {
	if reason := terminated.Get("reason").String(); reason != "" {
		return reason
	}
	if signal := terminated.Get("signal").Int(); signal != 0 {
		return "Signal:" + strconv.FormatInt(signal, 10)
	}
	return "ExitCode:" + strconv.FormatInt(terminated.Get("exitCode").Int(), 10)
}

func isSidecar(container tree.Node) bool { return container.Get("restartPolicy").String() == "Always" }
