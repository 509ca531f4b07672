package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// files are the database's three files as found at their names; nil = absent.
type files struct{ db, wal, shm os.FileInfo }

// look costs three stats. The files are never opened: closing any descriptor of
// a database drops the locks that this process holds on it.
func look(path string) files {
	stat := func(name string) os.FileInfo {
		fi, err := os.Stat(name)
		if err != nil {
			return nil
		}
		return fi
	}
	return files{db: stat(path), wal: stat(path + "-wal"), shm: stat(path + "-shm")}
}

func (f files) complete() bool { return f.db != nil && f.wal != nil && f.shm != nil }

func (f files) same(g files) bool {
	return f.complete() && g.complete() && os.SameFile(f.db, g.db) && os.SameFile(f.wal, g.wal) && os.SameFile(f.shm, g.shm)
}

func (s *Store) known() files {
	s.filesMu.Lock()
	defer s.filesMu.Unlock()
	return s.files
}

// verify refuses to go on with other files than the store's own.
func (s *Store) verify() error {
	if known := s.known(); known.complete() && !known.same(look(s.path)) {
		return &UnavailableError{Reason: "the database's files were deleted or replaced", Remedy: "tend writes them anew with its next change"}
	}
	return nil
}

// watch sees to it that what is committed next ends up in the file at path. A
// deleted file, or log, is written anew from the handle that is still open; a
// replaced one is left alone, and the store takes no more changes.
func (s *Store) watch() error {
	now, known := look(s.path), s.known()
	switch {
	case s.w == nil:
		return s.reopen()
	case known.same(now):
		s.replaced = nil
		return nil
	case now.db == nil:
		return s.rescue()
	case !os.SameFile(now.db, known.db):
		return s.refuse("the database file was replaced by another one", s.emptyLog)
	case now.wal != nil && !os.SameFile(now.wal, known.wal) && now.wal.Size() > 0:
		// What ours held stays out of a file that another program may log for.
		return s.refuse("the database's log was replaced by another one", func() error { return nil })
	}
	return s.reattach()
}

// reattach answers the loss of the log or its index: all that the log holds is
// put into the database through the open handle, then new ones are made.
func (s *Store) reattach() error {
	if err := s.emptyLog(); err != nil {
		return fmt.Errorf("the database's log was deleted: %w", err)
	}
	return errors.Join(s.detach(), s.reopen())
}

// emptyLog moves the whole log into the database through the open handle.
func (s *Store) emptyLog() error {
	busy, _, _, err := s.checkpoint("TRUNCATE")
	if err == nil && busy {
		err = &UnavailableError{Reason: "another program reads the database", Remedy: "end the program that uses " + s.path}
	}
	return err
}

// rescue writes a deleted database anew. The copy is complete and durable under
// a name of its own (rescueName) before anything else is touched, and Open
// takes it from there if this process dies in between.
func (s *Store) rescue() error {
	if err := os.MkdirAll(dirOf(s.path), 0o700); err != nil {
		return &UnavailableError{Reason: "the database file was deleted", Remedy: "make it possible to create " + s.path, Cause: err}
	}
	if err := s.copyTo(rescueName(s.path)); err != nil {
		return fmt.Errorf("the database file was deleted; write it anew: %w", err)
	}
	known := s.known()
	return errors.Join(s.detach(), removeOwn(s.path+"-wal", known.wal), removeOwn(s.path+"-shm", known.shm), s.reopen())
}

// removeOwn removes the file called name if it is still the one known by it.
func removeOwn(name string, known os.FileInfo) error {
	now, err := os.Stat(name)
	if err != nil || !os.SameFile(now, known) {
		return nil
	}
	return os.Remove(name)
}

// reopen attaches to the file at path, which is the store's own.
func (s *Store) reopen() error {
	s.filesMu.Lock()
	s.files = files{}
	s.filesMu.Unlock()
	if err := finishRescue(s.path); err != nil {
		return &UnavailableError{Reason: "the database file is gone", Remedy: "its contents are in " + rescueName(s.path) + "; restart tend", Cause: err}
	}
	if fi, err := os.Stat(s.path); err != nil || fi.Size() == 0 {
		return &UnavailableError{Reason: "the database file is gone", Remedy: "restart tend", Cause: err}
	}
	return s.attach(context.Background(), func(w *writeConn) error {
		if _, err := schemaVersion(context.Background(), w.conn, s.path, len(migrations)); err != nil {
			return err
		}
		return w.useLog(context.Background(), s.path) // a copy has none yet
	})
}

// refuse makes the store read-only because of what reason says. What it holds
// is saved once, beside the file that took its place, and then made safe: a log
// left beside a database that it does not belong to would damage that.
func (s *Store) refuse(reason string, makeSafe func() error) error {
	if s.replaced != nil {
		return s.replaced
	}
	aside := fmt.Sprintf("%s.displaced-%s", s.path, stamp(time.Now()))
	if err := s.copyTo(aside); err != nil {
		return &UnavailableError{Reason: reason + ", and saving tend's own failed", Remedy: "free some space beside " + s.path, Cause: err}
	}
	if err := makeSafe(); err != nil {
		return fmt.Errorf("%s: %w", reason, err)
	}
	s.replaced = &UnavailableError{
		Reason: reason + " while tend used it",
		Remedy: "tend's own is saved as " + aside + "; put the one you want at " + s.path + " and restart tend",
	}
	return s.replaced
}

// copyTo writes the whole database to a new file, durably; a file of that name
// is a leftover and is replaced.
func (s *Store) copyTo(name string) error {
	part := name + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("copy the database: %w", err)
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return &UnavailableError{Reason: "a copy of the database cannot be created", Remedy: "make " + dirOf(name) + " writable", Cause: err}
	}
	_, err = s.w.conn.ExecContext(context.Background(), "VACUUM INTO ?", part)
	if err != nil {
		s.undo(err)
		return errors.Join(explain(s.path, "copy the database", err), f.Close(), os.Remove(part))
	}
	if err := errors.Join(f.Sync(), f.Close(), os.Rename(part, name), syncDir(name)); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

func dirOf(path string) string { return filepath.Dir(path) }

// stamp is a time as part of a file name.
func stamp(t time.Time) string { return t.UTC().Format("20060102T150405.000Z") }
