package main

import "github.com/stratagem-dev/stratagem/sdk"

// CheckGracefulDelete gives the pod the time that the client asks for, or else its own
// terminationGracePeriodSeconds; a pod that is not scheduled or has finished goes at once.
func (Strategy) CheckGracefulDelete(_ *sdk.Context, pod *sdk.Object, options *sdk.DeleteOptions) bool {
	seconds := pod.Get("spec", "terminationGracePeriodSeconds").Int()
	if options.GracePeriodSeconds != nil {
		seconds = *options.GracePeriodSeconds
	}
	phase := pod.Get("status", "phase").String()
	if pod.Get("spec", "nodeName").String() == "" || phase == "Failed" || phase == "Succeeded" {
		seconds = 0
	}
	if seconds < 0 {
		seconds = 1
	}
	options.GracePeriodSeconds = &seconds
	return true
}
