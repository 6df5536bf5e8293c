// Command pack writes the archive that `plugin init` takes the SDK from: the sources of the Go module in a folder and of
// all modules that it needs, without their tests, so that a new project builds where there is no network.
//
//	go run ./server/bundle/pack sdk server/bundle/files/sdk.zip
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"sort"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack FOLDER ARCHIVE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// module is a Go module as `go list -m -json` has it.
type module struct{ Path, Version, Dir, Error string }

// run packs the module in a folder. Its own version is v0.0.0, since no registry has it.
func run(folder, archive string) error {
	needed, err := download(folder)
	if err != nil {
		return err
	}
	own, err := ownPath(folder)
	if err != nil {
		return err
	}
	modules := append(needed, module{Path: own, Version: "v0.0.0", Dir: folder})
	sort.Slice(modules, func(i, j int) bool { return modules[i].Path < modules[j].Path })
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	var list strings.Builder
	for _, m := range modules {
		fmt.Fprintf(&list, "%s %s\n", m.Path, m.Version)
		if err := add(w, m); err != nil {
			return err
		}
	}
	if err := write(w, "modules.txt", []byte(list.String())); err != nil {
		return err
	}
	if err := addFile(w, "LICENSE", own+"/LICENSE"); err != nil {
		return err
	}
	if err := addFile(w, path.Join(folder, "README.md"), own+"/README.md"); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(archive, out.Bytes(), 0o644)
}

// download fetches what the module in a folder needs into the module cache.
func download(folder string) (modules []module, err error) {
	cmd := exec.Command("go", "mod", "download", "-json")
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var m module
		switch err := decoder.Decode(&m); {
		case errors.Is(err, io.EOF):
			return modules, nil
		case err != nil:
			return nil, err
		case m.Error != "":
			return nil, fmt.Errorf("%s: %s", m.Path, m.Error)
		}
		modules = append(modules, m)
	}
}

func ownPath(folder string) (string, error) {
	cmd := exec.Command("go", "list", "-m")
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// add adds the sources and the licence of a module, under its path.
func add(w *zip.Writer, m module) error {
	files := os.DirFS(m.Dir)
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !wanted(path.Base(name)) {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return write(w, path.Join(m.Path, name), data)
	})
}

func addFile(w *zip.Writer, file, name string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return write(w, name, data)
}

func wanted(name string) bool {
	switch {
	case strings.HasSuffix(name, "_test.go"):
		return false
	case strings.HasSuffix(name, ".go"), strings.HasPrefix(name, "LICENSE"):
		return true
	}
	return name == "go.mod"
}

// write adds a file without a time, so that the same sources make the same archive.
func write(w *zip.Writer, name string, data []byte) error {
	f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return err
}
