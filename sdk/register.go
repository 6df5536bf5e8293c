package sdk

// Module is a plugin as the server meets it: it describes itself and runs hooks on frames. The guest
// ABI says what the bytes mean.
type Module struct {
	plugin     Plugin
	strategies []*strategy // of all resources and subresources
	reader     func(query string) (frame string)
}

// SetReader answers what hooks read of other objects where there is no server: in tests, see sdktest.
func (m *Module) SetReader(reader func(query string) (frame string)) { m.reader = reader }

// NewModule finds out what a plugin's strategies can do.
func NewModule(p Plugin) *Module {
	m := &Module{plugin: p}
	for i := range p.Resources {
		r := &p.Resources[i]
		m.strategies = append(m.strategies, detect(r.Group, r.Resource, "", r.Strategy))
		for j := range r.Subresources {
			s := &r.Subresources[j]
			m.strategies = append(m.strategies, detect(r.Group, r.Resource, s.Name, s.Strategy))
		}
	}
	return m
}

// registered is the module that the exports of the WebAssembly module answer for.
var registered *Module

// Register makes a plugin known. A program calls it once, from an init function.
func Register(p Plugin) {
	if registered != nil {
		panic("sdk: Register called twice")
	}
	registered = NewModule(p)
}

// strategy finds what serves a resource or subresource, or nil.
func (m *Module) strategy(group, resource, subresource string) *strategy {
	for _, s := range m.strategies {
		if s.resource == resource && s.subresource == subresource && s.group == group {
			return s
		}
	}
	return nil
}
