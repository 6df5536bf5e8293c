package host

import (
	"slices"
	"strings"
	"testing"
)

const (
	coreEvents = `{"resource":"events","kind":"Event","scope":"Namespaced","keyRoot":"/events","hooks":["Convert"],"versions":[{"name":"v1","served":true,"storage":true}]}`
	newEvents  = `{"group":"events.k8s.io","resource":"events","kind":"Event","scope":"Namespaced","storedAs":"v1","hooks":["Convert"],` +
		`"fieldLabels":[{"label":"source","paths":[".a",".b"]}],"versions":[{"name":"v1","served":true,"storage":true}]}`
)

// described are the resources of a description, or why it is refused.
func described(t *testing.T, resources ...string) ([]string, error) {
	t.Helper()
	d, err := parseDescription([]byte(`{"name":"core","version":"1","resources":[` + strings.Join(resources, ",") + `]}`))
	if err != nil {
		return nil, err
	}
	all, err := (&Module{}).resources(t.Context(), d, components{})
	var stored []string
	for _, r := range all {
		stored = append(stored, r.GroupResource().String()+" "+r.KeyRoot+" "+r.StoredAPIVersion())
	}
	return stored, err
}

func TestCohabitants(t *testing.T) {
	for _, resources := range [][]string{{coreEvents, newEvents}, {newEvents, coreEvents}} {
		got, err := described(t, resources...)
		slices.Sort(got)
		if want := []string{"events /events v1", "events.events.k8s.io /events v1"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

func TestCohabitantsRefused(t *testing.T) {
	with := strings.NewReplacer
	for name, tc := range map[string]struct {
		resources []string
		want      string
	}{
		"alone":            {[]string{newEvents}, `resources[0] (events.events.k8s.io): storedAs "v1": no other resource of the module stores kind Event in that version`},
		"another version":  {[]string{coreEvents, with(`"storedAs":"v1"`, `"storedAs":"v2"`).Replace(newEvents)}, `storedAs "v2": no other resource`},
		"another kind":     {[]string{coreEvents, with(`"Event"`, `"Happening"`).Replace(newEvents)}, `no other resource of the module stores kind Happening`},
		"itself":           {[]string{with(`"storedAs":"v1"`, `"storedAs":"events.k8s.io/v1"`).Replace(newEvents)}, `no other resource`},
		"another scope":    {[]string{coreEvents, with(`Namespaced`, `Cluster`).Replace(newEvents)}, `scope must be that of events`},
		"another key root": {[]string{coreEvents, with(`"storedAs"`, `"keyRoot":"/others","storedAs"`).Replace(newEvents)}, `keyRoot /others must be that of events, /events, or absent`},
		"bound":            {[]string{coreEvents, with(`"storedAs"`, `"bind":true,"storedAs"`).Replace(newEvents)}, `a resource that is bound has no storage of its own to share`},
		"no Convert":       {[]string{coreEvents, with(`"Convert"`, `"Validate"`).Replace(newEvents)}, `hook Convert is required, of events too`},
		"Convert of one":   {[]string{with(`"Convert"`, `"Validate"`).Replace(coreEvents), newEvents}, `hook Convert is required, of events too`},
		"keys unasked for": {[]string{coreEvents, with(`"storedAs":"v1"`, `"keyRoot":"/events"`).Replace(newEvents)}, `resources[1]: keyRoot /events overlaps with that of events`},
		"keys within":      {[]string{coreEvents, with(`"storedAs":"v1"`, `"keyRoot":"/events/new"`).Replace(newEvents)}, `resources[1]: keyRoot /events/new overlaps with that of events`},
		"no label":         {[]string{coreEvents, with(`"label":"source"`, `"label":""`).Replace(newEvents)}, `fieldLabels[0] (): label: must be a name`},
		"an operator":      {[]string{coreEvents, with(`"label":"source"`, `"label":"a=b"`).Replace(newEvents)}, `fieldLabels[0] (a=b): label: must be a name`},
		"no paths":         {[]string{coreEvents, with(`[".a",".b"]`, `[]`).Replace(newEvents)}, `fieldLabels[0] (source): paths: at least one is required`},
		"no path":          {[]string{coreEvents, with(`".b"`, `"b"`).Replace(newEvents)}, `fieldLabels[0] (source): paths "b": must be a field path`},
		"a label twice":    {[]string{coreEvents, with(`[{"label"`, `[{"label":"source","paths":[".c"]},{"label"`).Replace(newEvents)}, `it is described twice`},
	} {
		if _, err := described(t, tc.resources...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
}
