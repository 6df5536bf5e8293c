package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stratagem-dev/stratagem/host/meter"
)

// openAPISection is the custom section that may carry the schemas.
const openAPISection = "stratagem.openapi"

// Load verifies a module step by step and makes it ready to be called: size, code, imports, exports, start, ABI version,
// description. The revision names it in errors. A module that is refused is a *LoadError.
func Load(ctx context.Context, wasm []byte, revision string, options Options) (*Module, error) {
	options.Limits = options.Limits.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, options.Limits.LoadTime)
	defer cancel()
	m, err := compile(ctx, wasm, options)
	if err != nil {
		return nil, inTime(ctx, options.Limits, err)
	}
	m.revision = revision
	m.metrics = options.Metrics.of(revision)
	m.pool = newPool(m)
	if err := m.prepare(ctx, wasm); err != nil {
		_ = m.Close(context.WithoutCancel(ctx))
		return nil, inTime(ctx, options.Limits, err)
	}
	return m, nil
}

// inTime names the limit where what went wrong is that the time was over.
func inTime(ctx context.Context, limits Limits, err error) error {
	var refused *LoadError
	if ctx.Err() == context.DeadlineExceeded && errors.As(err, &refused) {
		refused.Err = exceeds(LimitCompileTime, fmt.Errorf("it took longer than %s: %w", limits.LoadTime, refused.Err))
	}
	return err
}

// prepare starts the first instance, asks it who it is and warms it up.
func (m *Module) prepare(ctx context.Context, wasm []byte) error {
	began := time.Now()
	in, err := m.newInstance(ctx)
	if err != nil {
		return &LoadError{"start", err}
	}
	m.startTime = time.Since(began)
	if err := m.describe(ctx, in, wasm); err != nil {
		in.close()
		return err
	}
	if in, err = m.warmUp(ctx, in); err != nil {
		return err
	}
	m.pool.idle = append(m.pool.idle, in)
	return nil
}

// describe asks an instance for its ABI version and description.
func (m *Module) describe(ctx context.Context, in *instance, wasm []byte) error {
	abi, err := in.callExport("stratagem_abi_version")
	if err == nil && uint32(abi) != ABIVersion {
		err = fmt.Errorf("the module speaks version %d of the ABI, this server version %d", uint32(abi), ABIVersion)
	}
	if err != nil {
		return &LoadError{"abi", err}
	}
	raw, err := in.callExport("stratagem_describe")
	if err != nil {
		return &LoadError{"describe", err}
	}
	text, err := in.pointed(raw, m.options.Limits.DescribeBytes)
	if err != nil {
		return &LoadError{"describe", err}
	}
	d, err := parseDescription(text)
	if err != nil {
		return &LoadError{"describe", err}
	}
	schemas, err := m.components(wasm)
	if err != nil {
		return &LoadError{"describe", err}
	}
	m.Name, m.Version = d.Name, d.Version
	if m.reset = m.options.Reset; d.Reset != nil {
		if err := d.Reset.check(); err != nil {
			return &LoadError{"describe", err}
		}
		m.reset = Reset(*d.Reset).within(m.options.ResetAllowed)
	}
	if m.Resources, err = m.resources(ctx, d, schemas); err != nil {
		return &LoadError{"describe", err}
	}
	for _, r := range m.Resources {
		r.Revision = m.revision
	}
	return nil
}

// components are the schemas in the module's custom section, if it has one.
func (m *Module) components(wasm []byte) (components, error) {
	raw, ok, err := meter.CustomSection(wasm, openAPISection)
	if err != nil || !ok {
		return components{}, err
	}
	if limit := m.options.Limits.DescribeBytes; len(raw) > int(limit) {
		return components{}, fmt.Errorf("custom section %s has %d bytes, at most %d are allowed", openAPISection, len(raw), limit)
	}
	var doc struct {
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return components{}, fmt.Errorf("custom section %s: %w", openAPISection, err)
	}
	return newComponents(doc.Components.Schemas)
}
