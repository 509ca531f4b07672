package spool

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockWait bounds how long one hook waits for another of the same agent: a
// write under the lock takes well under a millisecond.
const lockWait = 500 * time.Millisecond

// Append adds one hook to the spool of the run in dir, whole and on a line of
// its own even after a writer that was killed in the middle of one. It waits at
// most half a second for other hooks of the run.
func Append(dir string, at time.Time, via string, payload []byte) (err error) {
	f, err := os.OpenFile(filepath.Join(dir, File), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // which unlocks it
	if err := take(lock); err != nil {
		return err
	}
	seq := next(lock)
	b, err := json.Marshal(lineOf(seq, at, via, payload))
	if err != nil {
		return err
	}
	if torn(f) {
		b = append([]byte{'\n'}, b...)
	}
	_, err = f.Write(append(b, '\n'))
	return err
}

func take(lock *os.File) error {
	for until := time.Now().Add(lockWait); ; {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || time.Now().After(until) {
			return err
		}
		<-time.NewTimer(time.Millisecond).C
	}
}

// next counts the hooks of the run, in the lock file.
func next(lock *os.File) int64 {
	var b [8]byte
	_, _ = lock.ReadAt(b[:], 0) // nothing yet: the first
	n := binary.BigEndian.Uint64(b[:]) + 1
	binary.BigEndian.PutUint64(b[:], n)
	_, _ = lock.WriteAt(b[:], 0) // a full disk fails the line itself, too
	return int64(n)              //nolint:gosec // a count
}

// torn reports whether the last line has no end: its writer was killed.
func torn(f *os.File) bool {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], st.Size()-1)
	return err == nil && last[0] != '\n'
}
