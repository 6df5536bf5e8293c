package project

import (
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

var sdk = fstest.MapFS{
	"modules.txt":         {Data: []byte("github.com/a/b v1.0.0\n" + sdkPath + " v0.0.0\n")},
	"github.com/a/b/b.go": {Data: []byte("package b\n")},
}

func TestWrite(t *testing.T) {
	for _, spec := range []Spec{
		{Name: "widgets", Group: "example.com", Stratagem: "v9.9.9"},
		{Name: "run", Group: "a.b.c", Kind: "Run"},
		{Name: "load-tests", Group: "example.com"},
	} {
		dir := filepath.Join(t.TempDir(), "new")
		if err := Write(dir, spec, sdk); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), "{{.") || strings.Contains(string(text), "<no value>") || strings.HasSuffix(path, ".tmpl") {
				t.Errorf("%s is not filled in:\n%s", path, text)
			}
			if formatted, formatErr := format.Source(text); strings.HasSuffix(path, ".go") && (formatErr != nil || string(formatted) != string(text)) {
				t.Errorf("%s is not formatted: %v", path, formatErr)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		for _, file := range []string{"third_party/github.com/a/b/b.go", ".github/workflows/ci.yaml", ".gitignore", "cases/create.yaml"} {
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
				t.Error(err)
			}
		}
		if err := Write(dir, spec, sdk); err == nil || !strings.HasSuffix(err.Error(), "is not empty") {
			t.Errorf("written over what was there: %v", err)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	for text, spec := range map[string]Spec{
		`name "Widgets": a DNS-1035 label must consist`:       {Name: "Widgets", Group: "example.com"},
		`name "../x": a DNS-1035 label must consist`:          {Name: "../x", Group: "example.com"},
		`--group "ex ample": a lowercase RFC 1123 subdomain`:  {Name: "widgets", Group: "ex ample"},
		`--group "example": must be a domain name`:            {Name: "widgets", Group: "example"},
		`--kind "widget": must be a name of letters`:          {Name: "widgets", Group: "example.com", Kind: "widget"},
		`--kind "Wid-get": must be a name of letters`:         {Name: "widgets", Group: "example.com", Kind: "Wid-get"},
		"--kind \"Wid`get\": must be a name of letters":       {Name: "widgets", Group: "example.com", Kind: "Wid`get"},
		`--kind "W\"": must be a name of letters and digits `: {Name: "widgets", Group: "example.com", Kind: `W"`},
	} {
		dir := filepath.Join(t.TempDir(), "new")
		if err := Write(dir, spec, sdk); err == nil || !strings.HasPrefix(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%+v left a folder", spec)
		}
	}
}

func TestKindOf(t *testing.T) {
	for plural, want := range map[string]string{
		"widgets": "Widget", "load-tests": "LoadTest", "policies": "Policy", "boxes": "Box", "classes": "Class", "glass": "Glass", "s": "",
	} {
		if got := kindOf(plural); got != want {
			t.Errorf("%s: %q, want %q", plural, got, want)
		}
	}
}
