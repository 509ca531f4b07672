package sqlite

import (
	"errors"
	"fmt"
	"strings"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/tendhq/tend/internal/session"
)

// ErrClosed is returned by every method of a store after Close.
var ErrClosed = errors.New("the store is closed")

// ErrUncertain means that the caller's context ended while the disk did not
// answer: the change may or may not be durable. Load the session to know.
var ErrUncertain = errors.New("it is not known whether the change was written")

// CorruptError is a database that cannot be trusted. The file is left as it is.
// To a Commit it is one of the ways in which the store cannot write.
type CorruptError struct {
	Path   string
	Detail string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("the database %s is damaged (%s): run `tend doctor --repair`, which keeps the damaged file aside", e.Path, e.Detail)
}

func (e *CorruptError) Unwrap() error { return session.ErrStoreUnavailable }

// NewerSchemaError is a database written by a newer tend. It is left as it is.
type NewerSchemaError struct {
	Path        string
	Have, Known int // the file's schema version, and the newest that this program knows
}

func (e *NewerSchemaError) Error() string {
	return fmt.Sprintf("the database %s has schema version %d and this tend knows only %d: install the newer tend again", e.Path, e.Have, e.Known)
}

// UnavailableError is a store that cannot write now. It wraps
// session.ErrStoreUnavailable: the same commit may work later.
type UnavailableError struct {
	Reason string
	Remedy string
	Cause  error // nil when the store itself saw it
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("%v: %s: %s", session.ErrStoreUnavailable, e.Reason, e.Remedy)
}

func (e *UnavailableError) Unwrap() []error {
	if e.Cause == nil {
		return []error{session.ErrStoreUnavailable}
	}
	return []error{session.ErrStoreUnavailable, e.Cause}
}

// code is SQLite's extended result code, 0 for an error from elsewhere.
func code(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// isBusy reports a lock held by another connection: trying again helps.
func isBusy(err error) bool {
	switch code(err) & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		return true
	}
	return false
}

func isFull(err error) bool { return code(err)&0xff == lib.SQLITE_FULL }

func isConstraint(err error) bool { return code(err)&0xff == lib.SQLITE_CONSTRAINT }

// isUnavailable reports an error that has nothing to do with what was written.
func isUnavailable(err error) bool { return errors.Is(err, session.ErrStoreUnavailable) }

// explain turns SQLite's error into one that says what is wrong with the file
// at path and how to put it right. Other errors are wrapped as they are.
func explain(path, doing string, err error) error {
	if err == nil {
		return nil
	}
	u := &UnavailableError{Cause: err}
	c := code(err)
	if c == lib.SQLITE_ERROR && strings.Contains(err.Error(), "unsupported file format") {
		c = lib.SQLITE_CORRUPT // no other format was ever written
	}
	switch c & 0xff {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return fmt.Errorf("%s: %w", doing, &CorruptError{Path: path, Detail: err.Error()})
	case lib.SQLITE_FULL:
		u.Reason, u.Remedy = "the disk is full", "free some space beside "+path
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_AUTH:
		u.Reason, u.Remedy = "the database is read-only", "make "+path+" and its folder writable"
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		u.Reason, u.Remedy = "another program holds the database locked", "end the program that uses "+path
	case lib.SQLITE_CANTOPEN:
		u.Reason, u.Remedy = "the database cannot be opened", "check that "+path+" can be read and written, and the limit of open files"
	case lib.SQLITE_NOMEM:
		u.Reason, u.Remedy = "out of memory", "free some memory"
	case lib.SQLITE_IOERR:
		u.Reason, u.Remedy = "disk I/O error ("+err.Error()+")", "check the disk that holds "+path
		if c == lib.SQLITE_IOERR_SHMSIZE {
			u.Reason, u.Remedy = "the disk is full", "free some space beside "+path
		}
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s: %w", doing, u)
}
