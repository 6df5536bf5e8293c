package validate

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// check runs one of the checks: good strings have nothing wrong with them; bad ones have these sentences.
func check(t *testing.T, name string, is func(string) []string, good []string, bad map[string]string) {
	t.Helper()
	for _, s := range good {
		if errs := is(s); len(errs) != 0 {
			t.Errorf("%s(%q): %q", name, s, errs)
		}
	}
	for s, want := range bad {
		if got := strings.Join(is(s), "; "); got != want {
			t.Errorf("%s(%q):\n%s, want\n%s", name, s, got, want)
		}
	}
}

func repeat(n int) string { return strings.Repeat("a", n) }

func TestDNS(t *testing.T) {
	label := RegexError(dns1123LabelMsg, "[a-z0-9]([-a-z0-9]*[a-z0-9])?", "my-name", "123-abc")
	check(t, "IsDNS1123Label", IsDNS1123Label, []string{"a", "0", "a-b", "a--b", repeat(63)}, map[string]string{
		"": label, "-a": label, "a-": label, "A": label, "a_b": label, "a\n": label, "é": label, ".": label, "a.": label,
		"a.b": "must not contain dots", repeat(64): "must be no more than 63 characters",
	})
	subdomain := RegexError(dns1123SubdomainMsg, `[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`, "example.com")
	check(t, "IsDNS1123Subdomain", IsDNS1123Subdomain, []string{"a", "a.b-c.0", repeat(253)}, map[string]string{
		"": subdomain, ".": subdomain, "a..b": subdomain, ".a": subdomain, "a.": subdomain, "a-.b": subdomain, "A.b": subdomain,
		repeat(254): "must be no more than 253 characters",
	})
	rfc1035 := RegexError(dns1035LabelMsg, "[a-z]([-a-z0-9]*[a-z0-9])?", "my-name", "abc-123")
	check(t, "IsDNS1035Label", IsDNS1035Label, []string{"a", "a-1"}, map[string]string{
		"": rfc1035, "1a": rfc1035, "a.b": rfc1035, "a-": rfc1035, repeat(64): "must be no more than 63 characters",
	})
	wildcard := RegexError(wildcardMsg, `\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`, "*.example.com")
	check(t, "IsWildcardDNS1123Subdomain", IsWildcardDNS1123Subdomain, []string{"*.a", "*.a.b"}, map[string]string{
		"": wildcard, "*": wildcard, "*.": wildcard, "*.*.a": wildcard, "a.b": wildcard, "x*.a": wildcard,
	})
}

func TestGenerateNames(t *testing.T) {
	for name, ok := range map[string]bool{"a": true, "a-": true, "a--": true, "a.-": true, "A-": true, "-": false, "B--": false, "a-B-": true} {
		if got := len(NameIsDNSSubdomain(name, true)) == 0; got != ok {
			t.Errorf("prefix %q: %v", name, got)
		}
	}
	if len(NameIsDNSLabel("a-", false)) == 0 || len(NameIsDNS1035Label("a-", true)) != 0 || len(NameIsDNSLabel("a-", true)) != 0 {
		t.Error("names and prefixes")
	}
}

func TestLabels(t *testing.T) {
	name := "name part " + RegexError(labelKeyMsg, "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", "MyName", "my.name", "123-abc")
	check(t, "IsQualifiedName", IsQualifiedName, []string{"a", "A.b_c-d", "a.b/C", "1", repeat(253) + "/" + repeat(63)}, map[string]string{
		"":                  "name part must be non-empty; " + name,
		"/":                 "prefix part must be non-empty; name part must be non-empty; " + name,
		"/a":                "prefix part must be non-empty",
		"a/":                "name part must be non-empty; " + name,
		"-a":                name,
		"a b":               name,
		"a/b/c":             "a valid label key " + strings.TrimPrefix(name, "name part ") + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
		"A/b":               "prefix part " + RegexError(dns1123SubdomainMsg, dns1123SubdomainFmt, "example.com"),
		repeat(64):          "name part must be no more than 63 bytes",
		repeat(254) + "/ok": "prefix part must be no more than 253 bytes",
	})
	value := RegexError(labelValueMsg, "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", "MyValue", "my_value", "12345")
	check(t, "IsValidLabelValue", IsValidLabelValue, []string{"", "a", "A.b_c-1", repeat(63)}, map[string]string{
		"-": value, "a/b": value, "a ": value, repeat(64): "must be no more than 63 bytes",
	})
	p := field.NewPath("l")
	if got := Labels(map[string]string{"ok": "fine", "b": "-", "/a": "x"}, p).Error(); got !=
		`l: Invalid value: "/a": prefix part must be non-empty; l: Invalid value: "-": `+value {
		t.Error(got)
	}
	if got := Annotations(map[string]string{"Example.COM/ok": "any thing", "/a": ""}, p).Error(); got != `l: Invalid value: "/a": prefix part must be non-empty` {
		t.Error(got)
	}
	if got := Annotations(map[string]string{"a": repeat(256<<10 - 1)}, p); len(got) != 0 {
		t.Error(got)
	}
	if got := Annotations(map[string]string{"a": repeat(256 << 10)}, p).Error(); got != "l: Too long: may not be more than 262144 bytes" {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	const chars = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
	const letter = "must contain at least one letter (a-z)"
	check(t, "IsValidPortName", IsValidPortName, []string{"http", "a", "8a", "a-b", repeat(15)}, map[string]string{
		"": chars + "; " + letter, "80": letter, "A": chars + "; " + letter, "a_b": chars, "a--b": "must not contain consecutive hyphens",
		"-a": "must not begin or end with a hyphen", "a-": "must not begin or end with a hyphen", repeat(16): "must be no more than 15 characters",
		"--": letter + "; must not contain consecutive hyphens; must not begin or end with a hyphen",
	})
	env := RegexError(envVarMsg, "[-._a-zA-Z][-._a-zA-Z0-9]*", "my.env-name", "MY_ENV.NAME", "MyEnvName1")
	check(t, "IsEnvVarName", IsEnvVarName, []string{"A", "_", "-a", "a.b", "a1"}, map[string]string{
		"": env, "1a": env, "a=b": env, "a b": env, ".": "must not be '.'", "..": "must not be '..'", "..a": "must not start with '..'",
	})
	check(t, "IsRelaxedEnvVarName", IsRelaxedEnvVarName, []string{"1 a", "~", "!"}, map[string]string{
		"": "environment variable name must be non-empty", "a=b": relaxedEnvMsg, "é": relaxedEnvMsg, "\x7f": relaxedEnvMsg, "a\n": relaxedEnvMsg,
	})
	key := RegexError(configKeyMsg, "[-._a-zA-Z0-9]+", "key.name", "KEY_NAME", "key-name")
	check(t, "IsConfigMapKey", IsConfigMapKey, []string{"a", ".a", "1", "_-.a"}, map[string]string{
		"": key, "a/b": key, "..": "must not be '..'", repeat(254): "must be no more than 253 characters",
	})
	c := RegexError(cIdentifierMsg, "[A-Za-z_][A-Za-z0-9_]*", "my_name", "MY_NAME", "MyName")
	check(t, "IsCIdentifier", IsCIdentifier, []string{"_", "a1", "A"}, map[string]string{"": c, "1a": c, "a-b": c})
	percent := RegexError(percentMsg, "[0-9]+%", "1%", "93%")
	check(t, "IsValidPercent", IsValidPercent, []string{"0%", "250%"}, map[string]string{"": percent, "%": percent, "1": percent, "-1%": percent, "1%%": percent})
	header := RegexError(headerMsg, "[-A-Za-z0-9]+", "X-Header-Name")
	check(t, "IsHTTPHeaderName", IsHTTPHeaderName, []string{"X-a", "-"}, map[string]string{"": header, "a b": header, "a:": header})
	if got := RegexError("msg", "re"); got != "msg (regex used for validation is 're')" {
		t.Error(got)
	}
}

func TestNumbers(t *testing.T) {
	for n, ok := range map[int]bool{-1: false, 0: false, 1: true, 65535: true, 65536: false} {
		if got := IsValidPortNum(n); len(got) == 0 != ok || !ok && got[0] != "must be between 1 and 65535, inclusive" {
			t.Errorf("port %d: %q", n, got)
		}
	}
	for n, ok := range map[int64]bool{-1: false, 0: true, 1<<31 - 1: true, 1 << 31: false} {
		if len(IsValidUserID(n)) == 0 != ok || len(IsValidGroupID(n)) == 0 != ok {
			t.Errorf("id %d", n)
		}
	}
}

func TestFields(t *testing.T) {
	p := field.NewPath("f")
	if got := Nonnegative(-1, p).Error(); got != "f: Invalid value: -1: must be greater than or equal to 0" || Nonnegative(0, p) != nil {
		t.Error(got)
	}
	v := sdk.ParseValue
	if got := Immutable(v(`{"a":1}`), v(`{"a":2}`), p).Error(); got != `f: Invalid value: {"a":1}: field is immutable` {
		t.Error(got)
	}
	if got := Immutable(v(`"b"`), sdk.Value{}, p).Error(); got != `f: Invalid value: "b": field is immutable` || Immutable(v(`1`), v(`1`), p) != nil {
		t.Error(got)
	}
}
