package command

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// hooked has hooks, and no more.
type hooked struct {
	engine.Strategy
	hooks engine.Hooks
}

func (h hooked) Hooks() engine.Hooks { return h.hooks }

// Every hook that there is can be seen.
func TestHooksAreListed(t *testing.T) {
	var every engine.Hooks
	for h := engine.Default; h <= engine.LastHook; h++ {
		every |= engine.HooksOf(h)
	}
	line := describeResource(&engine.Resource{Plural: "lamps", Strategy: hooked{hooks: every}})
	var sub bytes.Buffer
	printSubresource(&sub, engine.Subresource{Name: "status", Strategy: hooked{hooks: every}})
	for h := engine.Default; h <= engine.LastHook; h++ {
		if !slices.Contains(strings.FieldsFunc(line, isSeparator), h.String()) || !slices.Contains(strings.FieldsFunc(sub.String(), isSeparator), h.String()) {
			t.Errorf("%s is missing in %s, or in %s", h, line, &sub)
		}
	}
}

func isSeparator(r rune) bool { return strings.ContainsRune(" ,=[]\n", r) }

// What run, bench and check show of a module without a snapshot is marked. (Neither guest conforms in all.)
func TestApproximateFuelIsMarked(t *testing.T) {
	object := filepath.Join(t.TempDir(), "widget.yaml")
	text := "apiVersion: hostile.example/v1\nkind: Widget\nmetadata: {name: w}\nspec: {}\n"
	if err := os.WriteFile(object, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for guest, marked := range map[string]bool{"counts": false, "remembers_in_table": true} {
		file := filepath.Join("..", "..", "host", "testdata", "guests", guest+".wasm")
		run, bench, check := runCommand(), benchCommand(), checkCommand()
		run.SetArgs([]string{file, "--hook", "WarningsOnCreate", "-f", object})
		bench.SetArgs([]string{file, "-f", object, "--time", "1ns"})
		check.SetArgs([]string{file})
		var out bytes.Buffer
		for _, cmd := range []*cobra.Command{run, bench, check} {
			out.Reset()
			cmd.SetOut(&out)
			cmd.SilenceUsage = true
			if err := cmd.ExecuteContext(t.Context()); err != nil && cmd != check || strings.Contains(out.String(), "~") != marked {
				t.Errorf("%s %s: %v\n%s", cmd.Name(), guest, err, &out)
			}
		}
	}
}

func TestApproximateCountsAreMarked(t *testing.T) {
	var sum rollout.Counts
	for i, c := range []rollout.Counts{{Requests: 1, Fuel: 10, ActiveFuel: 20}, {Requests: 1, Fuel: 12, ActiveFuel: 20, FuelApproximate: true}} {
		sum.Add(&c)
		want := []string{"fuel for each: 10, active 20", "fuel for each: ~11, active ~20"}[i]
		if lines := countLines(&sum); !slices.Contains(lines, want) {
			t.Errorf("%q, want %s", lines, want)
		}
	}
}
