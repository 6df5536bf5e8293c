package command

import "testing"

func TestEventTTL(t *testing.T) {
	var none eventTTL
	if none.byResource() != nil || none.String() != "" {
		t.Errorf("%v", none.byResource())
	}
	for text, want := range map[string]int64{"90s": 90, "1h0m0s": 3600, "0": 0} {
		var ttl eventTTL
		if err := ttl.Set(text); err != nil {
			t.Fatal(err)
		}
		for resource, seconds := range ttl.byResource() {
			if seconds != want {
				t.Errorf("%s: %v lives %d s", text, resource, seconds)
			}
		}
		if len(ttl.byResource()) != 2 {
			t.Errorf("%v", ttl.byResource())
		}
	}
	for _, text := range []string{"", "90", "-1s", "1500ms", "2562047h", "x"} {
		if err := new(eventTTL).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
