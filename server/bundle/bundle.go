// Package bundle holds what comes with the server, as `make` has built it: strategy plugins, and the sources of the SDK.
package bundle

import (
	"archive/zip"
	"bytes"
	"embed"
	"errors"
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

// ErrNoSDK is returned where the binary was built without `make`.
var ErrNoSDK = errors.New("this binary was built without the SDK's sources: build it with make")

// SDK is the sources of the SDK and of the modules that it needs, each in a folder named by the module's path. The file
// modules.txt lists paths and versions.
func SDK() (fs.FS, error) {
	packed, err := files.ReadFile("files/sdk.zip")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoSDK
	}
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
}
