package engine

import (
	"fmt"
	"strings"
)

// What is told of duplicate keys is bounded: a body can be made of nothing else.
const (
	maxDuplicates   = 100
	maxDuplicateKey = 256 // bytes of one key in a path
	maxDuplicateLen = 1024
)

// duplicate notes the path of a member whose key came before.
func (c *canonicalizer) duplicate(m member) {
	if len(c.duplicates) == maxDuplicates {
		return
	}
	last := &c.path[len(c.path)-1]
	last.keyStart, last.keyEnd = m.start+1, m.keyEnd-1
	var path []byte
	for i, s := range c.path {
		if len(path) > maxDuplicateLen {
			path = append(path[:maxDuplicateLen], "…"...)
			break
		}
		if s.keyEnd == 0 {
			path = fmt.Appendf(path, "[%d]", s.index)
			continue
		}
		if i > 0 {
			path = append(path, '.')
		}
		path = append(path, c.out[s.keyStart:min(s.keyEnd, s.keyStart+maxDuplicateKey)]...)
	}
	if text := strings.ToValidUTF8(string(path), "…"); len(c.duplicates) == 0 || c.duplicates[len(c.duplicates)-1] != text {
		c.duplicates = append(c.duplicates, text)
	}
}
