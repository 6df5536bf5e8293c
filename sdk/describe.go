package sdk

import (
	"strconv"
	"strings"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// Describe is the plugin's description, the JSON that the guest ABI asks for.
func (m *Module) Describe() []byte {
	w := &jsonWriter{}
	w.open('{')
	w.string("name", m.plugin.Name)
	w.string("version", m.plugin.Version)
	w.key("resources")
	w.open('[')
	for i := range m.plugin.Resources {
		w.item()
		m.describeResource(w, &m.plugin.Resources[i])
	}
	w.close(']')
	if r := m.plugin.Reset; r != nil {
		w.key("reset")
		w.open('{')
		w.key("every")
		w.dst = strconv.AppendInt(w.dst, int64(r.Every), 10)
		w.bool("onGrowth", r.OnGrowth)
		w.bool("betweenNamespaces", r.BetweenNamespaces)
		w.close('}')
	}
	w.close('}')
	return w.dst
}

func (m *Module) describeResource(w *jsonWriter, r *Resource) {
	w.open('{')
	w.dst = append(w.dst, `"group":`...)
	w.dst = jsontext.AppendString(w.dst, r.Group)
	w.string("resource", r.Resource)
	w.string("singular", orElse(r.Singular, strings.ToLower(r.Kind)))
	w.string("kind", r.Kind)
	w.string("listKind", orElse(r.ListKind, r.Kind+"List"))
	w.strings("shortNames", r.ShortNames)
	w.strings("categories", r.Categories)
	w.string("scope", orElse(string(r.Scope), string(Namespaced)))
	if r.Bind {
		w.key("bind")
		w.dst = append(w.dst, "true"...)
	}
	w.string("keyRoot", r.KeyRoot)
	w.string("storedAs", r.StoredAs)
	w.key("versions")
	w.open('[')
	for i := range r.Versions {
		w.item()
		describeVersion(w, &r.Versions[i], len(r.Versions) == 1)
	}
	w.close(']')
	s := m.strategy(r.Group, r.Resource, "")
	w.strings("hooks", s.hookNames())
	w.strings("traits", s.traits)
	w.key("subresources")
	w.open('[')
	for i := range r.Subresources {
		w.item()
		m.describeSubresource(w, r, &r.Subresources[i])
	}
	w.close(']')
	w.strings("selectableFields", r.SelectableFields)
	w.fieldLabels(r.FieldLabels)
	w.strings("resetFields", r.ResetFields)
	w.close('}')
}

func describeVersion(w *jsonWriter, v *Version, only bool) {
	w.open('{')
	w.string("name", v.Name)
	w.bool("served", v.Served || only)
	w.bool("storage", v.Storage || only)
	w.bool("deprecated", v.Deprecated)
	w.string("deprecationWarning", v.DeprecationWarning)
	w.bool("hooks", v.Hooks)
	if len(v.Columns) > 0 {
		w.key("columns")
		w.open('[')
		for i := range v.Columns {
			w.item()
			describeColumn(w, &v.Columns[i])
		}
		w.close(']')
	}
	if v.Schema != "" {
		w.key("schema")
		w.dst = append(w.dst, v.Schema...)
	}
	w.close('}')
}

func describeColumn(w *jsonWriter, c *Column) {
	w.open('{')
	w.string("name", c.Name)
	w.string("type", c.Type)
	w.string("format", c.Format)
	w.string("description", c.Description)
	if c.Priority != 0 {
		w.key("priority")
		w.dst = strconv.AppendInt(w.dst, int64(c.Priority), 10)
	}
	w.string("jsonPath", c.JSONPath)
	w.close('}')
}

func (w *jsonWriter) fieldLabels(labels []FieldLabel) {
	if len(labels) == 0 {
		return
	}
	w.key("fieldLabels")
	w.open('[')
	for i := range labels {
		w.item()
		w.open('{')
		w.string("label", labels[i].Label)
		w.strings("paths", labels[i].Paths)
		w.close('}')
	}
	w.close(']')
}

func (m *Module) describeSubresource(w *jsonWriter, r *Resource, s *Subresource) {
	w.open('{')
	w.string("name", s.Name)
	w.strings("hooks", m.strategy(r.Group, r.Resource, s.Name).hookNames())
	if s.Scale != nil {
		w.key("scale")
		w.open('{')
		w.string("specReplicasPath", s.Scale.SpecReplicasPath)
		w.string("statusReplicasPath", s.Scale.StatusReplicasPath)
		w.string("labelSelectorPath", s.Scale.LabelSelectorPath)
		w.close('}')
	}
	if s.Create != nil {
		w.key("create")
		w.open('{')
		w.string("group", s.Create.Group)
		w.string("version", s.Create.Version)
		w.string("kind", s.Create.Kind)
		if s.Create.Delete {
			w.string("action", "delete")
		}
		w.close('}')
	}
	w.string("unavailable", s.Unavailable)
	w.close('}')
}

func (s *strategy) hookNames() (names []string) {
	for h := hookDefault; h < hookEnd; h++ {
		if s.hooks&h.bit() != 0 {
			names = append(names, hookNames[h])
		}
	}
	return names
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
