package quantity

import (
	"errors"
	"strings"
	"testing"
)

func parse(t *testing.T, s string) Quantity {
	t.Helper()
	q, err := Parse(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return q
}

func TestString(t *testing.T) {
	for s, want := range map[string]string{
		"0": "0", "-0": "0", "0Ki": "0", "0.000": "0", ".": "0", "+": "0", "Ki": "0",
		"1": "1", "+1": "+1", "-1": "-1", "001": "001", "0010": "0010", "1.": "1.", "1.5": "1500m", ".5": "500m", "-0.5": "-500m", "1.500": "1.500",
		"100m": "100m", "1000m": "1", "1500m": "1500m", "1000": "1k", "1000k": "1M", "1001": "1001", "10k": "10k", "1e3": "1e3", "1000e3": "1e6",
		"12E2": "1200", "1e-3": "1e-3", "12e-1": "1200e-3",
		"1Ki": "1Ki", "1024": "1024", "1024Ki": "1Mi", "1.5Gi": "1536Mi", "1.1Ki": "1126400m", "0.5Ki": "512", "0.5": "500m", "512Ki": "512Ki",
		"8Ei": "9223372036854775807", "-9Ei": "-9223372036854775807", "7Ei": "7Ei", "1000Ei": "9223372036854775807",
		"0.1n": "1n", "-0.1n": "-1n", "1.0000000001": "1000000001n", "0.0000000001Ki": "103n", "99999999999.9999999999": "100G",
		"1E": "1E", "1000E": "1000E", "123456789012345678901234567890": "123456789012345678901234567890",
	} {
		if got := parse(t, s).String(); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for s, want := range map[string]error{
		"": ErrFormat, " 1": ErrFormat, "1 ": ErrFormat, "1.2.3": ErrFormat, "--1": ErrSuffix, "1Kix": ErrFormat, "abc": ErrFormat, "1,5": ErrFormat,
		"١": ErrFormat, "1\x00": ErrFormat, "0x10": ErrFormat, "1e3.5": ErrFormat,
		"1i": ErrSuffix, "1KiB": ErrFormat, "1KK": ErrSuffix, "1e": ErrSuffix, "1m1": ErrSuffix, "1-": ErrSuffix, "1K": ErrSuffix, "1ki": ErrSuffix,
		"1e99999999999999999999": ErrSuffix, "-Pi": ErrNumeric, ".e-12": ErrNumeric,
	} {
		if q, err := Parse(s); !errors.Is(err, want) {
			t.Errorf("%q: %v, %v; want %v", s, q, err, want)
		}
	}
}

func TestCmp(t *testing.T) {
	ascending := []string{"-1Ei", "-1k", "-1.5", "-1", "-1n", "0", "1n", "1u", "999999n", "1m", "0.1", "500m", "1", "1.001", "2", "10", "999", "1k",
		"1Ki", "1025", "1M", "1Mi", "1G", "1Gi", "1e10", "7Ei", "9223372036854775807", "9223372036854775808", "1e30", "1e2000000000"}
	for i, a := range ascending {
		for j, b := range ascending {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := parse(t, a).Cmp(parse(t, b)); got != want {
				t.Errorf("%s against %s is %d, want %d", a, b, got, want)
			}
		}
	}
	for a, b := range map[string]string{"1000m": "1", "1Ki": "1024", "0.5Gi": "512Mi", "1e3": "1k", "-0": "0", "100000000000n": "100"} {
		if parse(t, a).Cmp(parse(t, b)) != 0 {
			t.Errorf("%s is not %s", a, b)
		}
	}
}

func TestFacts(t *testing.T) {
	for s, want := range map[string]string{"0": "0i", "-0": "0i", "1": "+i", "100m": "+", "1000m": "+i", "-2.5Ki": "-i", "1.5": "+", "1e30": "+i"} {
		q := parse(t, s)
		got := string("-0+"[q.Sign()+1])
		if q.IsInteger() {
			got += "i"
		}
		if got != want || q.IsZero() != (got[0] == '0') {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
}

func TestHostileLengths(t *testing.T) {
	long := strings.Repeat("9", 1<<16)
	for _, s := range []string{long, long + "Ei", "0." + long, "1e-2147483648", "1e2147483647", long + "e2000000000", "-" + long + "." + long + "Gi"} {
		if q := parse(t, s); q.IsZero() || q.Cmp(q) != 0 || len(q.String()) > 2*len(s)+20 {
			t.Errorf("%.20s…: %.30s…", s, q.String())
		}
	}
}
