package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// DaemonLock is the right to be the only daemon on a state folder. The kernel
// holds it (flock) for as long as this process lives: a killed one leaves
// nothing behind that could be stale. The file's contents only make messages
// clearer, and nobody deletes it, so that all ask for the same one.
type DaemonLock struct{ f *os.File }

// LockedError: another process holds the lock.
type LockedError struct {
	Path string
	PID  int // 0 when unknown
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("tend is running already: %s holds %s", who, e.Path)
}

// errMoved: the file was removed between opening and locking it.
var errMoved = errors.New("the lock file was removed meanwhile")

// Lock takes the lock at path, creating the file (0600) if need be, and does
// not wait: a *LockedError says who has it. A file left by a process that is
// gone never blocks.
func Lock(path string) (*DaemonLock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the lock's folder cannot be made: %w", err)
	}
	for {
		l, err := tryLock(path)
		if !errors.Is(err, errMoved) {
			return l, err
		}
	}
}

func tryLock(path string) (l *DaemonLock, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the lock cannot be opened: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	err = flock(f)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, &LockedError{Path: path, PID: holder(f)}
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	l = &DaemonLock{f}
	if !l.inPlace() {
		return nil, errMoved
	}
	text := fmt.Sprintf("%d %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	// On a full disk the message is poorer; the lock is not weaker.
	_ = errors.Join(f.Truncate(0), writeAt(f, text))
	return l, nil
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func writeAt(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

// holder is the living process named in a lock file, 0 when there is none: one
// that has just won has not written its number yet, and the file still names
// the one before it.
func holder(f *os.File) int {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 64))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	pid, err := strconv.Atoi(first)
	if err != nil || pid <= 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return 0
	}
	return pid
}

// inPlace reports whether the file that is locked is the one at its name.
func (l *DaemonLock) inPlace() bool {
	mine, err := l.f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(l.f.Name())
	return err == nil && os.SameFile(mine, now)
}

// Release gives the lock up. The file stays.
func (l *DaemonLock) Release() error {
	if err := l.f.Close(); err != nil {
		return fmt.Errorf("release %s: %w", l.f.Name(), err)
	}
	return nil
}
