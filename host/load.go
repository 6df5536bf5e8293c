package host

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stratagem-dev/stratagem/host/meter"
)

// openAPISection is the custom section that may carry the schemas.
const openAPISection = "stratagem.openapi"

// Load verifies a module step by step and makes it ready to be called: size, code, imports, exports, ABI version,
// description. The revision names it in errors. A module that is refused is a *LoadError.
func Load(ctx context.Context, wasm []byte, revision string, options Options) (*Module, error) {
	options.Limits = options.Limits.withDefaults()
	m, err := compile(ctx, wasm, options)
	if err != nil {
		return nil, err
	}
	m.revision = revision
	m.pool = newPool(m)
	if err := m.describe(ctx, wasm); err != nil {
		_ = m.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return m, nil
}

// describe starts the first instance and asks it who it is.
func (m *Module) describe(ctx context.Context, wasm []byte) error {
	in, err := m.pool.take(ctx)
	if err != nil {
		return &LoadError{"start", err}
	}
	abi, err := in.abiVersion()
	if err == nil && abi != ABIVersion {
		err = fmt.Errorf("the module speaks version %d of the ABI, this server version %d", abi, ABIVersion)
	}
	if err != nil {
		m.pool.discard(in)
		return &LoadError{"abi", err}
	}
	raw, err := in.callForBytes("stratagem_describe", m.options.Limits.DescribeBytes)
	if err != nil {
		m.pool.discard(in)
		return &LoadError{"describe", err}
	}
	m.pool.put(in)
	d, err := parseDescription(raw)
	if err != nil {
		return &LoadError{"describe", err}
	}
	components, err := components(wasm)
	if err != nil {
		return &LoadError{"describe", err}
	}
	m.Name, m.Version = d.Name, d.Version
	if m.Resources, err = m.resources(d, components); err != nil {
		return &LoadError{"describe", err}
	}
	for _, r := range m.Resources {
		r.Revision = m.revision
	}
	return nil
}

// components are the schemas in the module's custom section, if it has one.
func components(wasm []byte) (map[string]json.RawMessage, error) {
	raw, ok, err := meter.CustomSection(wasm, openAPISection)
	if err != nil || !ok {
		return nil, err
	}
	var doc struct {
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("custom section %s: %w", openAPISection, err)
	}
	return doc.Components.Schemas, nil
}
