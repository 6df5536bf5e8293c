// Package duration writes durations as kubectl prints them.
package duration

import (
	"strconv"
	"time"
)

// HumanDuration writes a duration as kubectl does, as in columns such as Age: two units while the first is small.
func HumanDuration(d time.Duration) string {
	seconds := int(d.Seconds())
	minutes, hours := int(d/time.Minute), int(d.Hours())
	switch {
	case seconds < -1:
		return "<invalid>"
	case seconds < 0:
		return "0s"
	case seconds < 60*2:
		return strconv.Itoa(seconds) + "s"
	case minutes < 10:
		return two(minutes, "m", int(d/time.Second)%60, "s")
	case minutes < 60*3:
		return strconv.Itoa(minutes) + "m"
	case hours < 8:
		return two(hours, "h", minutes%60, "m")
	case hours < 48:
		return strconv.Itoa(hours) + "h"
	case hours < 24*8:
		return two(hours/24, "d", hours%24, "h")
	case hours < 24*365*2:
		return strconv.Itoa(hours/24) + "d"
	case hours < 24*365*8:
		return two(hours/24/365, "y", hours/24%365, "d")
	}
	return strconv.Itoa(hours/24/365) + "y"
}

func two(a int, unit string, b int, smaller string) string {
	text := strconv.Itoa(a) + unit
	if b != 0 {
		text += strconv.Itoa(b) + smaller
	}
	return text
}
