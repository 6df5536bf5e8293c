package podspec

import "github.com/stratagem-dev/stratagem/plugins/internal/tree"

// PlainSelector tells whether a LabelSelector asks for ordinary labels alone, and so is valid beyond doubt.
func PlainSelector(selector tree.Node) bool {
	count := 0
	for key, value := range selector.Fields() {
		if key != "matchLabels" || !value.IsObject() {
			return false
		}
		for label, text := range value.Fields() {
			if !isPlainKey(label) || !text.IsString() || !isPlainName(text.String()) {
				return false
			}
			count++
		}
	}
	return count > 0
}

// MatchesPlain tells whether labels fulfil a selector that is plain.
func MatchesPlain(selector, labels tree.Node) bool {
	for label, text := range selector.Get("matchLabels").Fields() {
		if own := labels.Get(label); !own.Exists() || own.String() != text.String() {
			return false
		}
	}
	return true
}
