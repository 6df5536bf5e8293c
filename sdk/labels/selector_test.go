package labels

import (
	"errors"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

func TestMatches(t *testing.T) {
	set := map[string]string{"app": "web", "tier": ""}
	for text, want := range map[string]bool{
		``: false, `null`: false, `{}`: true, `{"matchLabels":{}}`: true,
		`{"matchLabels":{"app":"web"}}`:                                                                        true,
		`{"matchLabels":{"app":"db"}}`:                                                                         false,
		`{"matchLabels":{"app":"web","zone":"a"}}`:                                                             false,
		`{"matchLabels":{"zone":""}}`:                                                                          false,
		`{"matchLabels":{"tier":""}}`:                                                                          true,
		`{"matchExpressions":[{"key":"app","operator":"In","values":["db","web"]}]}`:                           true,
		`{"matchExpressions":[{"key":"zone","operator":"In","values":["db","web"]}]}`:                          false,
		`{"matchExpressions":[{"key":"app","operator":"NotIn","values":["db","web"]}]}`:                        false,
		`{"matchExpressions":[{"key":"zone","operator":"NotIn","values":["db"]}]}`:                             true,
		`{"matchExpressions":[{"key":"tier","operator":"Exists"}]}`:                                            true,
		`{"matchExpressions":[{"key":"zone","operator":"Exists"}]}`:                                            false,
		`{"matchExpressions":[{"key":"zone","operator":"DoesNotExist"}]}`:                                      true,
		`{"matchExpressions":[{"key":"app","operator":"DoesNotExist"}]}`:                                       false,
		`{"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","operator":"NotIn","values":["web"]}]}`: false,
	} {
		s, err := Parse(sdk.ParseValue(text))
		if err != nil || s.Matches(set) != want {
			t.Errorf("%s: %v, want %v (%v)", text, !want, want, err)
		}
	}
	if s, _ := Parse(sdk.ParseValue(`{}`)); !s.Empty() || (Selector{}).Empty() {
		t.Error("which selectors are empty")
	}
}

func TestParseRefuses(t *testing.T) {
	var unknown *OperatorError
	_, err := Parse(sdk.ParseValue(`{"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}`))
	if !errors.As(err, &unknown) || err.Error() != `"Gt" is not a valid label selector operator` {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	const badKey = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character` +
		` (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`
	const badValue = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end` +
		` with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
	for text, want := range map[string]string{
		``: ``, `{}`: ``, `{"matchLabels":{"a.b/c":"d"},"matchExpressions":[{"key":"x","operator":"In","values":[""]}]}`: ``,
		`{"matchLabels":{"-":"a b"}}`:                        `s.matchLabels: Invalid value: "-": name part ` + badKey + `; s.matchLabels: Invalid value: "a b": ` + badValue,
		`{"matchExpressions":[{"key":"x","operator":"In"}]}`: "s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
		`{"matchExpressions":[{"key":"x","operator":"Exists"},{"key":"x","operator":"DoesNotExist","values":["a"]}]}`: "s.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
		`{"matchExpressions":[{"key":"x","operator":"gt"}]}`:                                                          `s.matchExpressions[0].operator: Invalid value: "gt": not a valid selector operator`,
		`{"matchExpressions":[{"key":"","operator":"NotIn","values":["ok","a b"]}]}`: `s.matchExpressions[0].key: Invalid value: "": name part must be non-empty; ` +
			`s.matchExpressions[0].key: Invalid value: "": name part ` + badKey + `; s.matchExpressions[0].values[1]: Invalid value: "a b": ` + badValue,
	} {
		if got := Validate(sdk.ParseValue(text), field.NewPath("s")).Error(); got != want {
			t.Errorf("%s:\n%s, want\n%s", text, got, want)
		}
	}
}
