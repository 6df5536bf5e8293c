package sdk

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestImports holds the law by which TinyGo can compile the SDK and an author inherits nothing: no
// reflection, and no packages but a few of the standard library, gjson, sjson and the SDK's own.
func TestImports(t *testing.T) {
	allowed := map[string]bool{
		"cmp": true, "errors": true, "maps": true, "math": true, "math/bits": true, "slices": true, "strconv": true, "strings": true, "time": true,
		"unicode/utf8": true, "unsafe": true, "github.com/tidwall/gjson": true, "github.com/tidwall/sjson": true,
	}
	alsoIn := map[string]string{ // stock Go alone compiles these files, and tests alone import sdktest
		"memory_go.go": "runtime runtime/debug runtime/metrics",
		"panic_go.go":  "runtime syscall",
		"sdktest":      "testing",
	}
	checked := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		checked++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name := strings.Trim(spec.Path.Value, `"`)
			also := " " + alsoIn[path] + " " + alsoIn[filepath.Dir(path)] + " "
			if !allowed[name] && !strings.HasPrefix(name, "github.com/stratagem-dev/stratagem/sdk") && !strings.Contains(also, " "+name+" ") {
				t.Errorf("%s imports %s", path, name)
			}
		}
		return nil
	})
	if err != nil || checked < 20 {
		t.Errorf("%d files, %v", checked, err)
	}
}
