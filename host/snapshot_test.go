package host

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

func TestNothingIsKept(t *testing.T) {
	s := load(t, "remembers", Options{Reset: Reset{Every: 1}, Limits: Limits{Instances: 1}})
	for _, namespace := range []string{"secrets", "public", "public"} {
		if got := warningOf(t, s, namespace, 4000); got != "---" {
			t.Errorf("a call in %s finds %s of an earlier one", namespace, got)
		}
	}
	if c := s.module.Counts(); c.Started != 1 || c.Resets != 3 || c.Discarded != 0 {
		t.Errorf("%+v", c)
	}
}

// Without resets the guest does remember: the test above can fail.
func TestNeverKeepsAll(t *testing.T) {
	s := load(t, "remembers", Options{Reset: Reset{Every: Never}, Limits: Limits{Instances: 1}})
	if first, second := warningOf(t, s, "secrets", 4000), warningOf(t, s, "public", 4000); first != "---" || second != "mgn" {
		t.Errorf("%s, then %s", first, second)
	}
}

func TestResetEvery(t *testing.T) {
	s := load(t, "remembers", Options{Reset: Reset{Every: 3}, Limits: Limits{Instances: 1}})
	for i, want := range []string{"---", "mgn", "mgn", "---", "mgn", "mgn", "---"} {
		if got := warningOf(t, s, "default", 4000); got != want {
			t.Errorf("call %d: %s, want %s", i, got, want)
		}
	}
}

func TestResetBetweenNamespaces(t *testing.T) {
	s := load(t, "remembers", Options{Reset: Reset{Every: Never, BetweenNamespaces: true}, Limits: Limits{Instances: 1}})
	for i, c := range []struct{ namespace, want string }{{"a", "---"}, {"a", "mgn"}, {"b", "---"}, {"a", "---"}, {"a", "mgn"}} {
		if got := warningOf(t, s, c.namespace, 4000); got != c.want {
			t.Errorf("call %d in %s: %s, want %s", i, c.namespace, got, c.want)
		}
	}
}

// A guest that has grown is reset after the call, one that has not is left alone.
func TestResetOnGrowth(t *testing.T) {
	s := load(t, "remembers", Options{Reset: Reset{Every: Never, OnGrowth: true}, Limits: Limits{Instances: 1}})
	for i, padding := range []int{4000, 4000, 0, 4000} { // it grows by what is over 3000 bytes
		if got := warningOf(t, s, "default", padding); got != "---" {
			t.Errorf("call %d: %s", i, got)
		}
	}
	if c := s.module.Counts(); c.Started != 1 || c.Resets != 3 || c.Discarded != 0 {
		t.Errorf("%+v", c)
	}
}

// An author gets as many calls between resets as both want, and between namespaces a reset where the operator says so.
func TestResetAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		allowed Reset
		want    []string
	}{
		"nothing is allowed":   {Reset{}, []string{"---", "---", "---", "---"}},
		"less is allowed":      {Reset{Every: 2}, []string{"---", "mgn", "---", "mgn"}},
		"more is allowed":      {Reset{Every: 1000}, []string{"---", "mgn", "mgn", "---"}},
		"whatever is asked":    {Reset{Every: Never}, []string{"---", "mgn", "mgn", "---"}},
		"within one namespace": {Reset{Every: 1000, BetweenNamespaces: true}, []string{"---", "mgn", "---", "---"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, "asks_to_remember", Options{ResetAllowed: c.allowed, Limits: Limits{Instances: 1}})
			for i, namespace := range []string{"secrets", "secrets", "public", "secrets"} {
				if got := warningOf(t, s, namespace, 4000); got != c.want[i] {
					t.Errorf("call %d in %s: %s, want %s", i, namespace, got, c.want[i])
				}
			}
		})
	}
	// What is allowed is nothing to one who has not asked.
	s := load(t, "remembers", Options{ResetAllowed: Reset{Every: 1000}, Limits: Limits{Instances: 1}})
	for range 3 {
		if got := warningOf(t, s, "default", 4000); got != "---" {
			t.Error(got)
		}
	}
}

// The default keeps nothing, on every system.
func TestResetDefault(t *testing.T) {
	s := load(t, "remembers", Options{Limits: Limits{Instances: 1}})
	for range 3 {
		if got := warningOf(t, s, "default", 4000); got != "---" {
			t.Error(got)
		}
	}
}

// State that no snapshot holds costs a new instance.
func TestStateOutsideOfSnapshots(t *testing.T) {
	for name, want := range map[string]string{
		"remembers_in_table": "---", "remembers_in_reference": "---", "drops_segment": "+--",
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, name, Options{Reset: Reset{Every: 1}, Limits: Limits{Instances: 1}})
			for range 3 {
				if got := warningOf(t, s, "default", 0); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
			if c := s.module.Counts(); c.Resets != 0 || c.Discarded != 3 {
				t.Errorf("%+v", c)
			}
		})
	}
}

// Whatever a guest writes and however often it is reset, the memory is the snapshot's, and what it has grown is empty.
func TestResetRestoresEveryByte(t *testing.T) {
	s := load(t, "scribbles", Options{Reset: Reset{Every: 1}, Limits: Limits{Instances: 1}})
	m := s.module
	differ := 0
	for i := range 3 * 256 {
		in, err := m.obtain(t.Context(), "default", false)
		if err != nil {
			t.Fatal(err)
		}
		before := in.view()[:len(m.snapshot.memory)]
		if !bytes.Equal(before, m.snapshot.memory) {
			t.Fatalf("before call %d the memory is not as the snapshot has it", i)
		}
		if tail := in.view()[len(before):]; !bytes.Equal(tail, make([]byte, len(tail))) {
			t.Fatalf("before call %d something is left in memory that has grown", i)
		}
		if _, err := in.call(warn, encodeCall(widgetCall(i%500))); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(in.view()[:len(before)], m.snapshot.memory) {
			differ++
		}
		m.release(in)
	}
	if differ != 3*256 {
		t.Errorf("the guest wrote in %d calls", differ)
	}
}

// Memory that grows in each call is taken back, and the instance stays.
func TestGrowthIsTakenBack(t *testing.T) {
	s := load(t, "scribbles", Options{Reset: Reset{Every: 1}, Limits: Limits{Instances: 1}})
	m := s.module
	seven := 0 // a padding with which the guest grows
	for ; frameSize(encodeCall(withoutManaged(widgetCall(seven))))%7 != 0; seven++ {
	}
	var fuel int64
	for range 600 {
		_, cost, err := s.Measure(t.Context(), warn, widgetCall(seven))
		if err != nil {
			t.Fatal(err)
		}
		if fuel == 0 {
			fuel = cost.Fuel
		}
		if size := int(m.pool.idle[0].mod.Memory().Size()); size != len(m.snapshot.memory) || cost.Fuel != fuel {
			t.Fatalf("%d bytes of memory, the snapshot has %d; %d units of fuel, %d at first", size, len(m.snapshot.memory), cost.Fuel, fuel)
		}
	}
	if c := m.Counts(); c.Started != 1 || c.Resets != 600 || c.Discarded != 0 {
		t.Errorf("%+v", c)
	}
}

func TestFuelIsExactFromTheSnapshot(t *testing.T) {
	s := load(t, "counts", Options{Reset: Reset{Every: Never}, Limits: Limits{Instances: 1}})
	measure := func() int64 {
		t.Helper()
		_, cost, err := s.Measure(t.Context(), warn, widgetCall(0))
		if err != nil {
			t.Fatal(err)
		}
		return cost.Fuel
	}
	first := measure()
	for range 5 {
		if _, err := s.Run(t.Context(), warn, widgetCall(0)); err != nil {
			t.Fatal(err)
		}
	}
	if again := measure(); again != first || first < 1000 {
		t.Errorf("%d units, then %d", first, again)
	}
	other := load(t, "counts", Options{})
	if _, cost, err := other.Measure(t.Context(), warn, widgetCall(0)); err != nil || cost.Fuel != first {
		t.Errorf("%d units in another module, %d in the first (%v)", cost.Fuel, first, err)
	}
	in, err := s.module.obtain(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.module.pool.discard(in)
	var used []int64
	for range 2 {
		if _, err := in.call(warn, encodeCall(widgetCall(0))); err != nil {
			t.Fatal(err)
		}
		used = append(used, in.used())
	}
	if used[1] <= used[0] {
		t.Errorf("the guest counts, and uses %v", used)
	}
}

func TestMeasureSaysWhatItCost(t *testing.T) {
	s := load(t, "logs", Options{})
	call := widgetCall(0)
	_, cost, err := s.Measure(t.Context(), warn, call)
	if want := frameSize(encodeCall(withoutManaged(call))); err != nil || cost.Fuel <= hostCallFuel || cost.Sent != want || cost.Received != 32 || cost.Time <= 0 {
		t.Errorf("%+v, %v; sent %d", cost, err, want)
	}
	if _, err := s.Run(t.Context(), engine.HooksOf(engine.Canonicalize), widgetCall(0)); err != nil {
		t.Error(err)
	}
}

// Fuel that was not counted from a snapshot is approximate: that of a module without one, and of an instance that has been called before.
func TestFuelIsApproximate(t *testing.T) {
	for name, approximate := range map[string]bool{"counts": false, "remembers_in_table": true, "drops_segment": true} {
		_, cost, err := load(t, name, Options{}).Measure(t.Context(), warn, widgetCall(0))
		if err != nil || cost.Approximate != approximate || strings.HasPrefix(cost.FuelText(), "~") != approximate {
			t.Errorf("%s: %+v, %v", name, cost, err)
		}
	}
	s := load(t, "counts", Options{Reset: Reset{Every: Never}, Limits: Limits{Instances: 1}})
	for i, pristine := range []bool{false, false, true, false} {
		if _, cost, err := s.run(t.Context(), warn, widgetCall(0), pristine); err != nil || cost.Approximate != (i%2 == 1) {
			t.Errorf("call %d: %+v, %v", i, cost, err)
		}
	}
}
