package podspec

import (
	"strconv"
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/quantity"
)

// parse reads a quantity, given as a string or a number.
func parse(n tree.Node) (quantity.Quantity, bool) {
	q, err := quantity.Parse(n.String())
	return q, err == nil
}

// canonical is the JSON of a quantity in its canonical form, rounded up to thousandths as Kubernetes does
// with resources; what cannot be parsed stays as it is, for validation to find.
func canonical(n tree.Node) string {
	if _, done, ok := quick(n.String()); ok && done && n.IsString() {
		return n.Raw()
	}
	q, ok := parse(n)
	if !ok {
		return n.Raw()
	}
	text := q.String()
	if strings.HasSuffix(text, "n") || strings.HasSuffix(text, "u") {
		text = roundUpToMilli(text)
	}
	return tree.Quote(text)
}

// roundUpToMilli takes a canonical text in nanos or micros.
func roundUpToMilli(text string) string {
	per := int64(1_000)
	if strings.HasSuffix(text, "n") {
		per = 1_000_000
	}
	units, err := strconv.ParseInt(text[:len(text)-1], 10, 64)
	if err != nil {
		return text
	}
	milli := units / per
	if units > 0 && units%per != 0 {
		milli++
	}
	return written(strconv.FormatInt(milli, 10) + "m")
}

// written is a quantity's canonical text.
func written(text string) string {
	q, err := quantity.Parse(text)
	if err != nil {
		return text
	}
	return q.String()
}

// quantities brings the values of a resource list into their canonical form.
func quantities(e *tree.Edits, list tree.Node) {
	for _, value := range list.Fields() {
		e.Replace(value, canonical(value))
	}
}

// oneQuantity brings a single quantity into its canonical form.
func oneQuantity(e *tree.Edits, n tree.Node) {
	if _, done, ok := quick(n.String()); ok && done && n.IsString() {
		return
	}
	if q, ok := parse(n); ok && n.Exists() {
		e.Replace(n, tree.Quote(q.String()))
	}
}
