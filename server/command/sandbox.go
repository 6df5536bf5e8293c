package command

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server"
)

// sandboxFlags are the flags of serve that say what plugins may use and keep.
type sandboxFlags struct {
	limits, caps, reset map[string]string
}

func (f *sandboxFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringToStringVar(&f.limits, "plugin-limits", nil, "LIMIT=VALUE,… that plugins have whose StrategyPlugin says nothing else, by the names of its spec.limits: fuelPerHook=20000000,memory=64Mi,wait=10s")
	flags.StringToStringVar(&f.caps, "plugin-limit-caps", nil, "LIMIT=VALUE,… that the spec.limits of a StrategyPlugin may not exceed")
	flags.StringToStringVar(&f.reset, "plugin-reset", nil, "every=CALLS,onGrowth=BOOL,betweenNamespaces=BOOL: how rarely instances are reset whose author asks for less than after every call, and whose StrategyPlugin says nothing in spec.reset; by default after every call")
}

// settings reads the flags. What is not known is refused by name.
func (f *sandboxFlags) settings() (settings server.PluginSettings, err error) {
	if settings.Caps, err = limitsOf("--plugin-limit-caps", f.caps); err != nil {
		return settings, err
	}
	if settings.Limits, err = limitsOf("--plugin-limits", f.limits); err != nil {
		return settings, err
	}
	caps := host.LimitCaps().With(settings.Caps)
	for _, limit := range host.AllLimits() {
		if value, most := settings.Limits.Get(limit), caps.Get(limit); value > most {
			return settings, fmt.Errorf("--plugin-limits: %s=%s: must be at most %s, the cap of --plugin-limit-caps", limit, limit.Format(value), limit.Format(most))
		}
	}
	settings.Reset, err = resetOf(f.reset)
	return settings, err
}

func limitsOf(flag string, values map[string]string) (limits host.Limits, err error) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		limit, known := host.LimitByName(name)
		if !known {
			return limits, fmt.Errorf("%s: there is no limit %q; there are %v", flag, name, host.AllLimits())
		}
		value, err := limit.Parse(values[name])
		if err != nil {
			return limits, fmt.Errorf("%s: %s=%s: %w", flag, name, values[name], err)
		}
		limits.Set(limit, value)
	}
	return limits, nil
}

func resetOf(values map[string]string) (reset host.Reset, err error) {
	if len(values) == 0 {
		return reset, nil
	}
	reset.BetweenNamespaces = true
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text := values[name]
		switch name {
		case "every":
			reset.Every, err = strconv.Atoi(text)
			if err == nil && reset.Every < 1 {
				err = fmt.Errorf("must be at least 1")
			}
		case "onGrowth":
			reset.OnGrowth, err = strconv.ParseBool(text)
		case "betweenNamespaces":
			reset.BetweenNamespaces, err = strconv.ParseBool(text)
		default:
			return reset, fmt.Errorf("--plugin-reset: %q is not known; there are every, onGrowth, betweenNamespaces", name)
		}
		if err != nil {
			return reset, fmt.Errorf("--plugin-reset: %s=%s: %w", name, text, err)
		}
	}
	return reset, nil
}
