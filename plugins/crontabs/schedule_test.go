package main

import (
	"reflect"
	"testing"
)

func TestParseSchedule(t *testing.T) {
	for text, want := range map[string]string{
		"0 0 * * *":                      "0 0 * * *",
		"\t*/15\n0-6/2,12 1 * *":         "*/15 0-6/2,12 1 * *",
		"1,2,30-40 0 1 jan sun":          "1,2,30-40 0 1 JAN SUN",
		"5/10 0 1-31 JAN-DEC *":          "5/10 0 1-31 JAN-DEC *",
		"0 0 * * SUN-6":                  "0 0 * * SUN-6",
		" @Hourly ":                      "@hourly",
		"59/9223372036854775807 0 * * *": "59/9223372036854775807 0 * * *",
	} {
		s, err := parseSchedule(text)
		if (err != nil) != (want == "") || s.text != want && err == nil {
			t.Errorf("%q became %q (%v), want %q", text, s.text, err, want)
		}
	}
}

func TestParseScheduleRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"* * * *":                      "must have five fields (minute, hour, day of month, month, day of week), not 4",
		"0 0 0 * * *":                  "must have five fields (minute, hour, day of month, month, day of week), not 6",
		"@often":                       "must be five fields or one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly",
		"60 * * * *":                   "minute: 60 must be between 0 and 59",
		"* 24 * * *":                   "hour: 24 must be between 0 and 23",
		"* * 0 * *":                    "day of month: 0 must be between 1 and 31",
		"* * * MON *":                  `month: "MON" is not a month`,
		"* * * * 7":                    "day of week: 7 must be between 0 and 6",
		"*/0 * * * *":                  `minute: "0" is not a step`,
		"*/x * * * *":                  `minute: "X" is not a step`,
		"*/ * * * *":                   `minute: "" is not a step`,
		"1,,2 * * * *":                 `minute: "" is not a minute`,
		"5-1 * * * *":                  "minute: 5-1 ends before it begins",
		"1-2-3 * * * *":                `minute: "2-3" is not a minute`,
		"-1 * * * *":                   `minute: "" is not a minute`,
		"+1 * * * *":                   `minute: "+1" is not a minute`,
		"** * * * *":                   `minute: "**" is not a minute`,
		"99999999999999999999 * * * *": `minute: "99999999999999999999" is not a minute`,
	} {
		if s, err := parseSchedule(text); err == nil || err.Error() != want {
			t.Errorf("%q: %q, %v; want %s", text, s.text, err, want)
		}
	}
}

func TestScheduleWarnings(t *testing.T) {
	const either = "day of month and day of week are both restricted, so it runs when either of them matches"
	for text, want := range map[string][]string{
		"0 0 * * *":      nil,
		"* * * * *":      {"runs every minute"},
		"0-59 */1 1 * *": {"runs every minute"},
		"* 3 * * *":      nil,
		"0 0 13 * FRI":   {either},
		"0 0 */2 * FRI":  nil,
		"0 0 31 2,4 *":   {"never runs: none of its months has such a day"},
		"0 0 29 FEB *":   nil,
		"0 0 31 2 MON":   {either},
		"@yearly":        nil,
	} {
		s, err := parseSchedule(text)
		if got := s.warnings(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q (%v), want %q", text, got, err, want)
		}
	}
}
