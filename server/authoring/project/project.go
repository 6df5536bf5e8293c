// Package project writes the project of a new strategy plugin: the nouns are Spec, what is asked for, and the template that is
// embedded here.
package project

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"
)

//go:embed template
var templates embed.FS

// Spec is what a project is to be for.
type Spec struct {
	Name  string // of the plugin, and the plural of its resource
	Group string
	Kind  string // empty: made of Name
	// Stratagem is the version of the command that the project's CI installs.
	Stratagem string
}

// sdkPath is the module that the project itself imports.
const sdkPath = "github.com/stratagem-dev/stratagem/sdk"

// module is a Go module that the project is written with.
type module struct {
	Path, Version string
	Indirect      bool
}

// view is what the templates see.
type view struct {
	Spec
	SDK []module
}

// Write writes the project into a folder, which must be missing or empty. The SDK's sources are laid out as bundle.SDK has them.
func Write(dir string, spec Spec, sdk fs.FS) error {
	if err := spec.complete(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", dir)
	}
	modules, err := readModules(sdk)
	if err != nil {
		return err
	}
	if err := writeTemplates(dir, view{spec, modules}); err != nil {
		return err
	}
	return copySDK(sdk, filepath.Join(dir, "third_party"))
}

// complete fills in the kind and refuses names that could not be served.
func (s *Spec) complete() error {
	if errs := validation.IsDNS1035Label(s.Name); len(errs) > 0 {
		return fmt.Errorf("name %q: %s", s.Name, strings.Join(errs, ", "))
	}
	if errs := validation.IsDNS1123Subdomain(s.Group); len(errs) > 0 {
		return fmt.Errorf("--group %q: %s", s.Group, strings.Join(errs, ", "))
	}
	if !strings.Contains(s.Group, ".") {
		return fmt.Errorf("--group %q: must be a domain name, such as example.com", s.Group)
	}
	if s.Kind == "" {
		s.Kind = kindOf(s.Name)
	}
	if errs := validation.IsDNS1035Label(strings.ToLower(s.Kind)); len(errs) > 0 || !unicode.IsUpper(rune(s.Kind[0])) || strings.Contains(s.Kind, "-") {
		return fmt.Errorf("--kind %q: must be a name of letters and digits that begins with a capital", s.Kind)
	}
	return nil
}

// kindOf makes a kind of a plural: "widgets" is of kind Widget, "load-tests" of kind LoadTest.
func kindOf(plural string) string {
	switch {
	case strings.HasSuffix(plural, "ies"):
		plural = strings.TrimSuffix(plural, "ies") + "y"
	case strings.HasSuffix(plural, "sses"), strings.HasSuffix(plural, "xes"), strings.HasSuffix(plural, "ches"):
		plural = strings.TrimSuffix(plural, "es")
	case !strings.HasSuffix(plural, "ss"):
		plural = strings.TrimSuffix(plural, "s")
	}
	var kind strings.Builder
	for word := range strings.SplitSeq(plural, "-") {
		if word != "" {
			kind.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return kind.String()
}

// Module is the project's Go module.
func (s Spec) Module() string { return s.Group + "/" + s.Name }

// Plural is how people speak of several.
func (s Spec) Plural() string { return s.Kind + "s" }

// Article is the one that goes before the kind.
func (s Spec) Article() string {
	if strings.ContainsRune("AEIOU", rune(s.Kind[0])) {
		return "an"
	}
	return "a"
}

// Variable is a Go name for an object of the kind.
func (s Spec) Variable() string {
	name := strings.ToLower(s.Kind[:1]) + s.Kind[1:]
	if token.IsKeyword(name) || taken[name] {
		return "new" + s.Kind
	}
	return name
}

// taken are names that the templates themselves use.
var taken = map[string]bool{"run": true, "tier": true, "strategy": true, "main": true, "init": true, "tiers": true, "sdk": true, "field": true, "string": true}

// SchemaName is the schema's name in the OpenAPI document: the group backwards, version and kind.
func (s Spec) SchemaName() string {
	parts := strings.Split(s.Group, ".")
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(append(parts, "v1", s.Kind), ".")
}

// readModules reads the list of what the SDK's sources hold.
func readModules(sdk fs.FS) (modules []module, err error) {
	list, err := fs.ReadFile(sdk, "modules.txt")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(list)) {
		name, version, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return nil, fmt.Errorf("modules.txt: cannot read %q", line)
		}
		modules = append(modules, module{name, version, name != sdkPath})
	}
	return modules, nil
}

// places are the files whose templates stand elsewhere, since their names mean something to tools.
var places = map[string]string{"ci.yaml": ".github/workflows/ci.yaml", "gitignore": ".gitignore"}

func writeTemplates(dir string, v view) error {
	return fs.WalkDir(templates, "template", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		parsed, err := template.ParseFS(templates, name)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := parsed.Execute(&out, v); err != nil {
			return err
		}
		place := strings.TrimSuffix(strings.TrimPrefix(name, "template/"), ".tmpl")
		if elsewhere, ok := places[place]; ok {
			place = elsewhere
		}
		return writeFile(filepath.Join(dir, filepath.FromSlash(place)), out.Bytes())
	})
}

// copySDK writes the sources of the SDK and what it needs.
func copySDK(sdk fs.FS, dir string) error {
	return fs.WalkDir(sdk, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Dir(name) == "." {
			return err
		}
		data, err := fs.ReadFile(sdk, name)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(dir, filepath.FromSlash(name)), data)
	})
}

func writeFile(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
