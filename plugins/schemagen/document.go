package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// marshal writes the components document: a line for each schema, sorted by name.
func marshal(schemas map[string]Schema) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteString(`{"components":{"schemas":{` + "\n")
	for i, name := range slices.Sorted(maps.Keys(schemas)) {
		if i > 0 {
			out.Truncate(out.Len() - 1) // the encoder ends every value with a newline
			out.WriteString(",\n")
		}
		out.WriteString(`"` + name + `":`)
		if err := encoder.Encode(schemas[name]); err != nil {
			return nil, err
		}
	}
	out.WriteString("}}}\n")
	return out.Bytes(), nil
}
