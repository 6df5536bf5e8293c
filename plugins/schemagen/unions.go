package main

import "reflect"

// unions is the content of x-kubernetes-unions for the struct t: the field that decides
// (+unionDiscriminator) and the fields of which only one is set.
func unions(t reflect.Type, source *Source) []any {
	if !source.types[t.Name()].Has("union") {
		return nil
	}
	union := map[string]any{}
	byField := map[string]string{}
	for i := range t.NumField() {
		field := t.Field(i)
		name := parseTag(field).name
		if name == "" {
			continue
		}
		if source.fields[t.Name()][field.Name].Has("unionDiscriminator") {
			union["discriminator"] = name
		} else {
			byField[name] = field.Name
		}
	}
	union["fields-to-discriminateBy"] = byField
	return []any{union}
}
