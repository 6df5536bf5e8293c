package command

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"
)

// trialFlags say how a pushed revision is to be tried before it is active.
type trialFlags struct {
	shadow              bool
	canary              string
	namespaces          string
	maxErrors, requests int32
}

func (f *trialFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.shadow, "shadow", false, "run the revision beside the active one on live requests, and compare")
	flags.StringVar(&f.canary, "canary", "", `have the revision answer a percentage of the writes: "10%"`)
	flags.StringVar(&f.namespaces, "canary-namespaces", "", "have the revision answer the writes in namespaces with these labels: key=value,…; with --canary that percentage of them")
	flags.Int32Var(&f.maxErrors, "max-error-percent", -1, "roll the canary back when more of the last --min-requests requests fail in the plugin (default 5)")
	flags.Int32Var(&f.requests, "min-requests", -1, "how many requests are judged together (default 20)")
}

// query is what the flags say as parameters of an upload; none where the revision is to be active at once.
func (f *trialFlags) query() (url.Values, error) {
	query := url.Values{}
	canary := f.canary != "" || f.namespaces != ""
	switch {
	case f.shadow && canary:
		return nil, fmt.Errorf("--shadow and --canary exclude each other")
	case f.shadow:
		query.Set("rollout", "Shadow")
	case canary:
		query.Set("rollout", "Canary")
	}
	if f.canary != "" {
		percent, err := strconv.Atoi(strings.TrimSuffix(f.canary, "%"))
		if err != nil || percent < 1 || percent > 100 {
			return nil, fmt.Errorf(`--canary %s: must be a percentage between "1%%" and "100%%"`, f.canary)
		}
		query.Set("percent", strconv.Itoa(percent))
	}
	if f.namespaces != "" {
		query.Set("namespaceSelector", f.namespaces)
	}
	for _, limit := range []struct {
		flag, key string
		value     int32
	}{{"--max-error-percent", "maxErrorPercent", f.maxErrors}, {"--min-requests", "minRequests", f.requests}} {
		if limit.value == -1 {
			continue
		}
		if !canary {
			return nil, fmt.Errorf("%s: goes with --canary or --canary-namespaces", limit.flag)
		}
		query.Set(limit.key, strconv.Itoa(int(limit.value)))
	}
	return query, nil
}

// pushed tells what a push has come to.
func pushed(name string, answer []byte, dryRun bool) string {
	object := gjson.ParseBytes(answer)
	revision, verb := object.Get("status.activeRevision").Int(), "is active"
	if mode := object.Get("spec.rollout.mode").String(); mode != "" {
		revision, verb = object.Get("spec.rollout.revision").Int(), "is in "+strings.ToLower(mode)
	}
	if dryRun {
		verb = "would be taken (dry run)"
	}
	return fmt.Sprintf("strategyplugin/%s revision %d %s: %s", name, revision, verb, object.Get("status.resourceNames").String())
}
