package policy

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// File is a policy that follows its file. A nil File has no policy.
type File struct {
	path    string
	log     *slog.Logger
	current atomic.Pointer[loaded]
	tried   [sha256.Size]byte // what was last read, valid or not; of Follow alone
}

type loaded struct {
	policy     *Policy
	generation int64
}

// Open reads a policy file, which must be valid.
func Open(path string, log *slog.Logger) (*File, error) {
	f := &File{path: path, log: log}
	p, sum, err := f.read()
	if err != nil {
		return nil, err
	}
	f.tried = sum
	f.current.Store(&loaded{p, 1})
	return f, nil
}

// Current is the policy in force, and a number that is another one for each that has been.
func (f *File) Current() (*Policy, int64) {
	if f == nil {
		return nil, 0
	}
	now := f.current.Load()
	return now.policy, now.generation
}

// pollPause is the time between two looks at the file. Looking, not notifications: the file may be on any file system, and be
// replaced through links as Kubernetes replaces mounted ConfigMaps.
const pollPause = time.Second

// Follow reads the file again when it or a key file has changed, until ctx ends, and calls changed after each new policy. An invalid
// file changes nothing, and is logged.
func (f *File) Follow(ctx context.Context, changed func()) {
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if f.reload() {
				changed()
			}
		}
	}
}

// reload reads the file and tells whether another policy is in force.
func (f *File) reload() bool {
	p, sum, err := f.read()
	if sum == f.tried {
		return false
	}
	f.tried = sum
	if err != nil {
		f.log.Error("the plugin policy cannot be used; the former stays in force", "error", err)
		return false
	}
	f.current.Store(&loaded{p, f.current.Load().generation + 1})
	f.log.Info("a new plugin policy is in force", "file", f.path)
	return true
}

// read reads policy and key files; sum tells apart what was read, and what went wrong.
func (f *File) read() (p *Policy, sum [sha256.Size]byte, err error) {
	text, err := os.ReadFile(f.path)
	if err == nil {
		p, err = Parse(text, filepath.Dir(f.path))
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\x00%v", text, err)
	if err == nil {
		for _, rule := range p.rules {
			for _, key := range rule.Keys {
				fmt.Fprintf(hash, "\x00%s", key.ID)
			}
		}
	} else {
		err = fmt.Errorf("%s: %w", f.path, err)
	}
	return p, [sha256.Size]byte(hash.Sum(nil)), err
}
