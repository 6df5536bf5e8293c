package etcd

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// DirLockedError reports a data dir that another process holds.
type DirLockedError struct{ Dir string }

func (e *DirLockedError) Error() string {
	return fmt.Sprintf("data dir %s is in use by another process", e.Dir)
}

// DirError reports a data dir that cannot be used.
type DirError struct {
	Dir string
	Err error
}

func (e *DirError) Error() string { return fmt.Sprintf("data dir %s is not usable: %v", e.Dir, e.Err) }

// Unwrap is the cause.
func (e *DirError) Unwrap() error { return e.Err }

// dirLock holds a data dir for this process.
type dirLock struct{ file *fileutil.LockedFile }

// openDir makes the data dir if it is missing (one that is there keeps its mode: what etcd puts into it is the owner's
// alone anyway), locks it, and looks whether etcd can open what it holds: etcd itself
// would wait for ever on a locked database and panic on a damaged one.
func openDir(dir string) (*dirLock, error) {
	if dir == "" {
		return nil, &DirError{Dir: dir, Err: errors.New("no path given")}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &DirError{Dir: dir, Err: err}
	}
	file, err := fileutil.TryLockFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fileutil.ErrLocked) {
		return nil, &DirLockedError{Dir: dir}
	}
	if err != nil {
		return nil, &DirError{Dir: dir, Err: err}
	}
	lock := &dirLock{file: file}
	if err := checkDatabase(dir); err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return lock, nil
}

func (l *dirLock) release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("unlock the data dir: %w", err)
	}
	return nil
}

// checkDatabase opens the database for a moment, if there is one.
func checkDatabase(dir string) error {
	path := filepath.Join(dir, "member", "snap", "db")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Nanosecond})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return &DirLockedError{Dir: dir}
	}
	if err != nil {
		return &DirError{Dir: dir, Err: fmt.Errorf("%s: %w", path, err)}
	}
	return db.Close()
}

// listenURL takes only addresses that other machines cannot reach, since the listener asks nobody who they are.
func listenURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("ListenClientURL: %w", err)
	}
	switch u.Scheme {
	case "unix":
		return u, nil
	case "http":
		if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() && u.Port() != "" {
			return u, nil
		}
	}
	return nil, fmt.Errorf("ListenClientURL %q: want unix:///PATH or http://127.0.0.1:PORT, since the listener has no authentication", text)
}
