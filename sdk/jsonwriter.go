package sdk

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// jsonWriter writes objects and arrays member by member and leaves empty ones out.
type jsonWriter struct{ dst []byte }

func (w *jsonWriter) open(bracket byte)  { w.dst = append(w.dst, bracket) }
func (w *jsonWriter) close(bracket byte) { w.dst = append(w.dst, bracket) }

// item begins the next item of an array.
func (w *jsonWriter) item() {
	if last := w.dst[len(w.dst)-1]; last != '[' && last != '{' {
		w.dst = append(w.dst, ',')
	}
}

// key begins the next field of an object.
func (w *jsonWriter) key(key string) {
	w.item()
	w.dst = append(jsontext.AppendString(w.dst, key), ':')
}

func (w *jsonWriter) string(key, value string) {
	if value != "" {
		w.key(key)
		w.dst = jsontext.AppendString(w.dst, value)
	}
}

func (w *jsonWriter) bool(key string, value bool) {
	if value {
		w.key(key)
		w.dst = strconv.AppendBool(w.dst, value)
	}
}

func (w *jsonWriter) strings(key string, values []string) {
	if len(values) > 0 {
		w.key(key)
		w.dst = jsontext.AppendStrings(w.dst, values)
	}
}
