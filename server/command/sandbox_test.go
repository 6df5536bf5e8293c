package command

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/host"
)

func TestSandboxFlags(t *testing.T) {
	f := sandboxFlags{
		limits: map[string]string{"fuelPerHook": "1000000", "memory": "8Mi"},
		caps:   map[string]string{"memory": "16Mi"},
		reset:  map[string]string{"every": "64"},
	}
	got, err := f.settings()
	if err != nil {
		t.Fatal(err)
	}
	if got.Limits.Fuel != 1_000_000 || got.Limits.MemoryPages != 128 || got.Caps.MemoryPages != 256 || got.Reset != (host.Reset{Every: 64, BetweenNamespaces: true}) {
		t.Errorf("%+v", got)
	}
	if got, err := (&sandboxFlags{}).settings(); err != nil || got.Reset != (host.Reset{}) {
		t.Errorf("without flags: %+v, %v", got, err)
	}
}

// What is wrong with a flag is told with the flag's name.
func TestSandboxFlagsRefuse(t *testing.T) {
	one := func(name, value string) map[string]string { return map[string]string{name: value} }
	for _, c := range []struct {
		flags sandboxFlags
		want  string
	}{
		{sandboxFlags{limits: one("fuel", "1")}, `--plugin-limits: there is no limit "fuel"; there are [fuelPerHook `},
		{sandboxFlags{limits: one("memory", "much")}, "--plugin-limits: memory=much: must be a number of bytes, such as 64Mi"},
		{sandboxFlags{caps: one("callDepth", "0")}, "--plugin-limit-caps: callDepth=0: must be at least 1"},
		{sandboxFlags{limits: one("memory", "2Gi")}, "--plugin-limits: memory=2Gi: must be at most 1Gi, the cap of --plugin-limit-caps"},
		{sandboxFlags{reset: one("every", "0")}, "--plugin-reset: every=0: must be at least 1"},
		{sandboxFlags{reset: one("onGrowth", "often")}, "--plugin-reset: onGrowth=often: "},
		{sandboxFlags{reset: one("never", "true")}, `--plugin-reset: "never" is not known`},
	} {
		if _, err := c.flags.settings(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
