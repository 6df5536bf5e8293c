package sdk

import "strings"

// trimStack keeps of a goroutine's stack what tells an author where it went wrong: the frames after
// the panic's and before the SDK's, as "function at file:line".
func trimStack(stack string) string {
	lines := strings.Split(stack, "\n")
	var kept []string
	for i := 1; i+1 < len(lines); i += 2 {
		function, place := lines[i], strings.TrimSpace(lines[i+1])
		if strings.HasPrefix(function, "panic(") {
			kept = nil
			continue
		}
		if strings.Contains(function, "/stratagem/sdk.(*call).run(") {
			break
		}
		if offset := strings.LastIndex(place, " +0x"); offset >= 0 {
			place = place[:offset]
		}
		kept = append(kept, "  "+function+" at "+place)
	}
	return strings.Join(kept, "\n")
}
