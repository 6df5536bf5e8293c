package host

import "strings"

// maxTrapLines is how much of a guest's stack reaches the operator.
const maxTrapLines = 12

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(strings.TrimSpace(line), " (recovered by wazero)")
}

// trimPanic keeps of what a guest printed before it trapped the message and the frames of the author's code.
func trimPanic(said string) string {
	var kept []string
	for _, line := range strings.Split(said, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "runtime.") || strings.HasPrefix(line, "goroutine ") || strings.Contains(line, "/src/runtime/") {
			continue
		}
		if kept = append(kept, line); len(kept) == maxTrapLines {
			break
		}
	}
	return strings.Join(kept, "; ")
}
