package main

import (
	"errors"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// schedule is a cron schedule: minute, hour, day of month, month and day of week.
type schedule struct {
	text   string    // the canonical form
	values [5]uint64 // for each unit: bit n is set when it runs at n
	starts [5]byte   // the first character of each field: a '*' restricts nothing
}

// unit is what one field of a schedule counts.
type unit struct {
	name     string
	min, max int
	names    []string // of the numbers from min on
}

const (
	minute = iota
	hour
	dayOfMonth
	month
	dayOfWeek
)

var units = [5]unit{
	minute:     {name: "minute", max: 59},
	hour:       {name: "hour", max: 23},
	dayOfMonth: {name: "day of month", min: 1, max: 31},
	month: {name: "month", min: 1, max: 12, names: []string{
		"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}},
	dayOfWeek: {name: "day of week", max: 6, names: []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}},
}

var macros = map[string]string{
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
	"@monthly":  "0 0 1 * *",
	"@weekly":   "0 0 * * 0",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@hourly":   "0 * * * *",
}

// parseSchedule reads five fields, or a name such as @hourly.
func parseSchedule(text string) (s schedule, err error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "@") {
		macro, ok := macros[strings.ToLower(text)]
		if !ok {
			return s, errors.New("must be five fields or one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly")
		}
		s, err = parseSchedule(macro)
		s.text = strings.ToLower(text)
		return s, err
	}
	fields := strings.Fields(strings.ToUpper(text))
	if len(fields) != len(units) {
		return s, errors.New("must have five fields (minute, hour, day of month, month, day of week), not " + strconv.Itoa(len(fields)))
	}
	for i, f := range fields {
		if s.values[i], err = units[i].parse(f); err != nil {
			return s, errors.New(units[i].name + ": " + err.Error())
		}
		s.starts[i] = f[0]
	}
	s.text = strings.Join(fields, " ")
	return s, nil
}

// parse reads one field: a list of numbers, ranges and steps.
func (u unit) parse(list string) (values uint64, err error) {
	for _, item := range strings.Split(list, ",") {
		span, step, stepped := strings.Cut(item, "/")
		n := 1
		if stepped {
			if n, err = strconv.Atoi(step); err != nil || n < 1 {
				return 0, errors.New(strconv.Quote(step) + " is not a step")
			}
		}
		first, last, err := u.span(span, stepped)
		if err != nil {
			return 0, err
		}
		for v := first; v <= last; v += min(n, u.max+1) {
			values |= 1 << v
		}
	}
	return values, nil
}

// span reads "*", "5" or "1-5"; with a step behind it, "5" means from 5 on.
func (u unit) span(text string, open bool) (first, last int, err error) {
	if text == "*" {
		return u.min, u.max, nil
	}
	from, to, isRange := strings.Cut(text, "-")
	if first, err = u.value(from); err != nil {
		return 0, 0, err
	}
	switch {
	case isRange:
		last, err = u.value(to)
	case open:
		last = u.max
	default:
		last = first
	}
	if err == nil && last < first {
		err = errors.New(text + " ends before it begins")
	}
	return first, last, err
}

// value reads a number or a name.
func (u unit) value(text string) (int, error) {
	if i := slices.Index(u.names, text); i >= 0 {
		return u.min + i, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || text[0] == '+' || text[0] == '-' {
		return 0, errors.New(strconv.Quote(text) + " is not a " + u.name)
	}
	if n < u.min || n > u.max {
		return 0, errors.New(text + " must be between " + strconv.Itoa(u.min) + " and " + strconv.Itoa(u.max))
	}
	return n, nil
}

// warnings tell what is allowed but seldom meant.
func (s schedule) warnings() (list []string) {
	if bits.OnesCount64(s.values[minute]) == 60 && bits.OnesCount64(s.values[hour]) == 24 {
		list = append(list, "runs every minute")
	}
	byMonth, byWeek := s.starts[dayOfMonth] != '*', s.starts[dayOfWeek] != '*'
	if byMonth && byWeek {
		list = append(list, "day of month and day of week are both restricted, so it runs when either of them matches")
	}
	if byMonth && !byWeek && !s.everComes() {
		list = append(list, "never runs: none of its months has such a day")
	}
	return list
}

// everComes tells whether one of the months has one of the days.
func (s schedule) everComes() bool {
	days := [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	first := bits.TrailingZeros64(s.values[dayOfMonth])
	for i, n := range days {
		if s.values[month]&(1<<(i+1)) != 0 && first <= n {
			return true
		}
	}
	return false
}
