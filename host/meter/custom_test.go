package meter

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestCustomSection(t *testing.T) {
	wasm := mod(sec(secCustom, "a", []byte("first")), oneType, sec(secCustom, "b"))
	for _, test := range []struct {
		name, data string
		found      bool
	}{{"a", "first", true}, {"b", "", true}, {"c", "", false}} {
		data, found, err := CustomSection(wasm, test.name)
		if string(data) != test.data || found != test.found || err != nil {
			t.Errorf("%s: %q, %v, %v, want %q, %v", test.name, data, found, err, test.data, test.found)
		}
	}
	if _, _, err := CustomSection(mod(sec(secCustom, "a"), sec(secCustom, "a")), "a"); !errors.Is(err, ErrMalformed) {
		t.Errorf("the same name twice: %v, want %v", err, ErrMalformed)
	}
	if _, _, err := CustomSection(wasm[:20], "a"); !errors.Is(err, ErrMalformed) {
		t.Errorf("truncated: %v, want %v", err, ErrMalformed)
	}
}

func TestAppendCustomSection(t *testing.T) {
	wasm := fn(opNop)
	data := bytes.Repeat([]byte("openapi"), 50)
	longer, err := AppendCustomSection(wasm, "stratagem.openapi", data)
	if err != nil {
		t.Fatal(err)
	}
	if got, found, err := CustomSection(longer, "stratagem.openapi"); !found || !bytes.Equal(got, data) || err != nil {
		t.Errorf("read back: %q, %v, %v", got, found, err)
	}
	if m := rewrite(t, longer, 0, Limits{}); !bytes.Equal(m.Custom["stratagem.openapi"], data) || len(m.Custom) != 1 {
		t.Errorf("module's sections %q", m.Custom)
	}
	for _, test := range []struct {
		wasm []byte
		name string
		kind error
	}{{longer, "stratagem.openapi", ErrReserved}, {wasm, "", ErrMalformed}, {wasm, "\xff", ErrMalformed}, {wasm[:9], "a", ErrMalformed}} {
		if _, err := AppendCustomSection(test.wasm, test.name, nil); !errors.Is(err, test.kind) {
			t.Errorf("%q: %v, want %v", test.name, err, test.kind)
		}
	}
}

func TestRewriteKeepsSections(t *testing.T) {
	names := asm(0, sized("module"), 1, sized(1, 0, "function"))
	locals := asm(2, sized(1, 0, 1, 0, "local"))
	wasm := mod(sec(secCustom, "stratagem.a", []byte("A")), sec(secCustom, "producers", []byte("Go")), oneType, oneFunction,
		sec(secCustom, ".debug_info", []byte("dwarf")), code(), sec(secCustom, "name", names, locals),
		sec(secCustom, "stratagem.b", []byte("B")), sec(secCustom, "stratagem.empty"))
	m := rewrite(t, wasm, 0, Limits{})
	for name, want := range map[string]string{"stratagem.a": "A", "stratagem.b": "B", "stratagem.empty": "", "name": string(names)} {
		if data, found, err := CustomSection(m.Wasm, name); string(data) != want || !found || err != nil {
			t.Errorf("%s: %q, %v, %v, want %q", name, data, found, err, want)
		}
	}
	for _, name := range []string{"producers", ".debug_info"} {
		if _, found, _ := CustomSection(m.Wasm, name); found {
			t.Errorf("section %s is still there", name)
		}
	}
	if err := validate(newChecker(t), m.Wasm); err != nil {
		t.Error(err)
	}
}

// Names are only for stack traces: a broken section is dropped, before the engine trusts the counts in it.
func TestRewriteDropsBrokenNames(t *testing.T) {
	many := []byte{0xff, 0xff, 0xff, 0xff, 0x0f}
	for name, content := range map[string][]byte{
		"count of 4 GiB":    asm(1, sized(many)),
		"length of 4 GiB":   asm(0, sized(many)),
		"beyond the end":    asm(1, 9, 0),
		"out of order":      asm(1, sized(0), 0, sized("m")),
		"not UTF-8":         asm(0, sized(1, 0xff)),
		"bytes left over":   asm(0, sized("m", 0)),
		"size beyond 2^32":  asm(0, many, 0x7f),
		"nothing but an id": asm(1),
	} {
		m := rewrite(t, mod(oneType, sec(secCustom, "name", content)), 0, Limits{})
		if _, found, _ := CustomSection(m.Wasm, "name"); found {
			t.Errorf("%s: kept", name)
		}
	}
}

func TestRewriteTellsWhatTheModuleIs(t *testing.T) {
	all := guests(t, "equal")
	tables, memory := rewrite(t, all["tables"], 0, Limits{}), rewrite(t, all["memory"], 0, Limits{})
	if !tables.SetsTables || memory.SetsTables || tables.Memory != nil {
		t.Errorf("tables: SetsTables %v, Memory %v; memory: SetsTables %v", tables.SetsTables, tables.Memory, memory.SetsTables)
	}
	if m := memory.Memory; m == nil || *m != (Memory{Min: 1, Max: 3, HasMax: true}) {
		t.Errorf("memory %+v", m)
	}
	if want := []Export{{"memory", KindMemory}, {"run", KindFunction}}; len(memory.Exports) != 2 ||
		memory.Exports[0] != want[0] || memory.Exports[1] != want[1] {
		t.Errorf("exports %v, want %v", memory.Exports, want)
	}
	wasm := mod(oneType, sec(secImport, 1, "stratagem", "log", 0, 0), oneFunction, sec(secMemory, 1, 0, 2),
		sec(secElement, 1, 1, 0, 0), code(opMisc, miscElemDrop, 0))
	m := rewrite(t, wasm, 0, Limits{})
	if len(m.Imports) != 1 || m.Imports[0] != (Import{"stratagem", "log"}) || !m.DropsSegments || *m.Memory != (Memory{Min: 2, Max: 65536}) {
		t.Errorf("module %+v", m)
	}
	var kinds []string
	for k := range KindGlobal + 2 {
		kinds = append(kinds, k.String())
	}
	if got := strings.Join(kinds, " "); got != "func table memory global unknown" {
		t.Errorf("kinds %s", got)
	}
}
