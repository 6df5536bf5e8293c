// Package bundle holds the strategy plugins that come with the server, as `make` has built them.
package bundle

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed files
var files embed.FS

// Modules are the bundled modules by plugin name; none when the binary was built without `make`.
func Modules() (map[string][]byte, error) {
	modules := map[string][]byte{}
	paths, err := fs.Glob(files, "files/*.wasm")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		wasm, err := files.ReadFile(path)
		if err != nil {
			return nil, err
		}
		modules[strings.TrimSuffix(strings.TrimPrefix(path, "files/"), ".wasm")] = wasm
	}
	return modules, nil
}
