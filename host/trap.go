package host

import (
	"strings"
	"unicode"
)

// How much of what a guest printed before it trapped reaches the operator.
const (
	maxTrapLines = 12
	maxTrapRunes = 1024
)

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(strings.TrimSpace(line), " (recovered by wazero)")
}

// trimPanic keeps of what a guest printed before it trapped the message and the frames of the author's code, in one line.
func trimPanic(said string) string {
	var kept []string
	for line := range strings.SplitSeq(said, "\n") {
		line = strings.TrimSpace(strings.Map(printable, line))
		if line == "" || strings.HasPrefix(line, "runtime.") || strings.HasPrefix(line, "goroutine ") || strings.Contains(line, "/src/runtime/") {
			continue
		}
		if kept = append(kept, line); len(kept) == maxTrapLines {
			break
		}
	}
	return cut(strings.Join(kept, "; "), maxTrapRunes)
}

func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
