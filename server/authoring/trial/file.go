package trial

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
)

// File is a file of cases: YAML documents, a case each.
type File struct {
	Path  string
	Cases []Case
	texts []string // of the cases, so that what an author wrote around an expectation is kept
}

// Files reads the files, and those in the folders, that are named.
func Files(paths ...string) (files []*File, err error) {
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || name != path && filepath.Ext(name) != ".yaml" && filepath.Ext(name) != ".yml" {
				return err
			}
			file, err := ReadFile(name)
			files = append(files, file)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// ReadFile reads a file of cases.
func ReadFile(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path}
	var text strings.Builder
	lead := "" // documents of comments alone
	for line := range strings.Lines(string(data) + "\n---") {
		if strings.TrimRight(line, " \r\n") != "---" {
			text.WriteString(line)
			continue
		}
		if blank(text.String()) {
			if strings.TrimSpace(text.String()) != "" {
				lead += text.String() + line
			}
			text.Reset()
			continue
		}
		c, err := parseCase([]byte(text.String()))
		if err != nil {
			return nil, fmt.Errorf("%s, case %d: %w", path, len(f.Cases)+1, err)
		}
		f.Cases, f.texts = append(f.Cases, c), append(f.texts, lead+strings.TrimRight(text.String(), "\n")+"\n")
		lead = ""
		text.Reset()
	}
	return f, nil
}

// blank tells whether there is nothing but comments.
func blank(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// Record makes what came of a case what is expected of it. Fuel gets some room.
func (f *File) Record(i int, r Result) error {
	had := &f.Cases[i].Expect
	expect := Expect{Errors: Errors(r.Err), Warnings: r.Warnings, MaxFuel: room(r.Explanation.Fuel())}
	if r.Message != "" {
		expect.Message = &r.Message
	}
	if r.Deleted {
		expect.Deleted = &r.Deleted
	} else if r.Err == nil && len(r.Object) > 0 {
		expect.Object = json.RawMessage(recorded(r.Object, had.Object))
	}
	raw, err := json.Marshal(map[string]Expect{"expect": expect})
	if err != nil {
		return err
	}
	text, err := yaml.JSONToYAML(raw)
	if err != nil {
		return err
	}
	f.Cases[i].Expect = expect
	f.texts[i] = replaceExpect(f.texts[i], string(text))
	return nil
}

// room rounds up to two digits, a tenth above.
func room(fuel int64) int64 {
	step := int64(1)
	for fuel/step >= 100 {
		step *= 10
	}
	return (fuel + fuel/10 + step - 1) / step * step
}

// recorded is an object without what differs from run to run, unless the author had named it.
func recorded(obj engine.Object, had json.RawMessage) engine.Object {
	meta, named := obj.Meta(), engine.Object(had).Meta()
	for _, key := range []string{"uid", "resourceVersion", "managedFields", "creationTimestamp"} {
		if !named.Has(key) {
			meta.Set(key, nil)
		}
	}
	return obj.WithMeta(meta)
}

// replaceExpect replaces the member expect of a case: from its line to the next that is not indented.
func replaceExpect(text, expect string) string {
	lines := strings.SplitAfter(text, "\n")
	first := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "expect:") })
	if first < 0 {
		return text + expect
	}
	end := first + 1
	for end < len(lines) && (strings.HasPrefix(lines[end], " ") || strings.HasPrefix(lines[end], "- ") || strings.TrimSpace(lines[end]) == "") {
		end++
	}
	return strings.Join(lines[:first], "") + expect + strings.Join(lines[end:], "")
}

// Write writes the file back.
func (f *File) Write() error {
	return os.WriteFile(f.Path, []byte(strings.Join(f.texts, "---\n")), 0o644)
}
