package managed

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// appendNumber appends a number as Kubernetes writes it: integers of 64 bits as they are, all others as a float64.
func appendNumber(out, raw []byte) []byte {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return strconv.AppendInt(out, n, 10)
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return append(out, raw...)
	}
	return jsontext.AppendFloat(out, f)
}
