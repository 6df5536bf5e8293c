package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// requiredExports are the functions that a guest must export, with their types.
var requiredExports = []struct {
	name            string
	params, results []api.ValueType
}{
	{"stratagem_abi_version", nil, []api.ValueType{i32}},
	{"stratagem_describe", nil, []api.ValueType{i64}},
	{"stratagem_reserve", []api.ValueType{i32}, []api.ValueType{i32}},
	{"stratagem_invoke", []api.ValueType{i64, i32}, []api.ValueType{i64}},
}

// verify checks imports and exports of a compiled module against the ABI.
func verify(compiled wazero.CompiledModule) error {
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if err := verifyImport(module, name, f); err != nil {
			return &LoadError{"imports", err}
		}
	}
	for _, m := range compiled.ImportedMemories() {
		module, name, _ := m.Import()
		return &LoadError{"imports", fmt.Errorf("memory %s.%s is imported; the module must export one of its own", module, name)}
	}
	exports := compiled.ExportedFunctions()
	for _, want := range requiredExports {
		got, ok := exports[want.name]
		if !ok {
			return &LoadError{"exports", fmt.Errorf("function %s is missing", want.name)}
		}
		if err := verifyType(got, want.params, want.results); err != nil {
			return &LoadError{"exports", fmt.Errorf("function %s: %w", want.name, err)}
		}
	}
	if init, ok := exports["_initialize"]; ok {
		if err := verifyType(init, nil, nil); err != nil {
			return &LoadError{"exports", fmt.Errorf("function _initialize: %w", err)}
		}
	}
	if whole, ok := exports["stratagem_invoke_whole"]; ok {
		if err := verifyType(whole, []api.ValueType{i64, i32}, []api.ValueType{i64}); err != nil {
			return &LoadError{"exports", fmt.Errorf("function stratagem_invoke_whole: %w", err)}
		}
	}
	if _, ok := compiled.ExportedMemories()["memory"]; !ok {
		return &LoadError{"exports", fmt.Errorf("memory is missing")}
	}
	return nil
}

func verifyImport(module, name string, f api.FunctionDefinition) error {
	switch module {
	case "stratagem":
		switch name {
		case "log":
			return verifyType(f, []api.ValueType{i32, i32, i32}, nil)
		case "read":
			return verifyType(f, []api.ValueType{i32, i32}, []api.ValueType{i32})
		case "read_answer":
			return verifyType(f, []api.ValueType{i32}, nil)
		}
	case "wasi_snapshot_preview1":
		if known, ok := wasiFunctions[name]; ok {
			results := []api.ValueType{i32}
			if name == "proc_exit" {
				results = nil
			}
			return verifyType(f, known.params, results)
		}
	}
	return fmt.Errorf("function %s.%s is not offered to plugins", module, name)
}

func verifyType(f api.FunctionDefinition, params, results []api.ValueType) error {
	if slices.Equal(f.ParamTypes(), params) && slices.Equal(f.ResultTypes(), results) {
		return nil
	}
	return fmt.Errorf("it has the type %s, not %s", typeText(f.ParamTypes(), f.ResultTypes()), typeText(params, results))
}

func typeText(params, results []api.ValueType) string {
	text := func(types []api.ValueType) string {
		names := make([]string, len(types))
		for i, t := range types {
			names[i] = api.ValueTypeName(t)
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	return text(params) + " -> " + text(results)
}
