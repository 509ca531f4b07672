package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

func remove(t *testing.T, names ...string) {
	t.Helper()
	for _, n := range names {
		if err := os.Remove(n); err != nil {
			t.Fatal(err)
		}
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// someSessions commits three sessions and returns them.
func someSessions(t *testing.T, st *sqlite.Store) (all []session.Session) {
	t.Helper()
	for n := range 3 {
		c := storetest.Step(storetest.New(n), "Created")
		mustCommit(t, st, c)
		all = append(all, c.Session)
	}
	return all
}

func mustCommit(t *testing.T, st *sqlite.Store, c session.Change) {
	t.Helper()
	if _, err := st.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// wantStored checks that a store opened anew has n sessions and k entries.
func wantStored(t *testing.T, path string, n, k int) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err1 := st.Load(t.Context())
	es, err2 := st.Journal(t.Context(), "", 0, 0)
	if err := errors.Join(err1, err2, st.Close()); err != nil {
		t.Fatal(err)
	}
	if len(rows) != n || len(es) != k {
		t.Errorf("%s has %d sessions and %d entries, want %d and %d", filepath.Base(path), len(rows), len(es), n, k)
	}
	wantSound(t, path)
}

// TestDeleted: whatever is deleted under a running store is written anew, with
// everything, before the next change is acknowledged.
func TestDeleted(t *testing.T) {
	for name, suffixes := range map[string][]string{
		"database": {""}, "log": {"-wal"}, "index": {"-shm"}, "log and index": {"-wal", "-shm"},
		"database and log": {"", "-wal"}, "everything": {"", "-wal", "-shm"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tend.db")
			st := open(t, path, sqlite.Options{IdleEvery: time.Hour})
			all := someSessions(t, st)
			for round := range 2 { // the second loss finds the first's repair
				for _, suffix := range suffixes {
					remove(t, path+suffix)
				}
				c := storetest.Step(all[round], "After")
				mustCommit(t, st, c)
				if rows, err := st.Load(t.Context()); err != nil || len(rows) != 3 || rows[round].Rev != 2 {
					t.Fatalf("loaded %v, %v", rows, err)
				}
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			wantStored(t, path, 3, 5)
			if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v, want mode 0600", fi, err)
			}
			wantNothingElse(t, path)
		})
	}
}

// wantNothingElse checks that nothing is left beside the database.
func wantNothingElse(t *testing.T, path string) {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, n := range names {
		if n != path && n != path+"-wal" && n != path+"-shm" {
			t.Errorf("%s is left", n)
		}
	}
}

func TestFolderDeleted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "tend")
	path := filepath.Join(dir, "tend.db")
	st := open(t, path, sqlite.Options{IdleEvery: time.Hour})
	all := someSessions(t, st)
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, st, storetest.Step(all[0], "After"))
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	wantStored(t, path, 3, 4)
}

// TestDeletedAtRest: a store that nobody writes to notices by itself; one that
// is closed first, then.
func TestDeletedAtRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tend.db")
	st := open(t, path, sqlite.Options{IdleEvery: 10 * time.Millisecond})
	someSessions(t, st)
	remove(t, path)
	until(t, "the database is written anew", func() bool { return fileSize(path) > 0 })
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	wantStored(t, path, 3, 3)

	st = open(t, path, sqlite.Options{IdleEvery: time.Hour})
	remove(t, path)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	wantStored(t, path, 3, 3)
}

// other makes another database with one session.
func other(t *testing.T, path string) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mustCommit(t, st, storetest.Step(storetest.New(77), "Created"))
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestReplaced: a store whose file was replaced takes no more changes, says
// why, goes on reading, saves what it had, and leaves the new file alone.
func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tend.db")
	other(t, filepath.Join(dir, "backup.db"))
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{IdleEvery: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	all := someSessions(t, st)
	rename(t, filepath.Join(dir, "backup.db"), path)
	for range 2 {
		_, err := st.Commit(t.Context(), storetest.Step(all[0], "After"))
		wantUnavailable(t, err, "was replaced by another one while tend used it")
	}
	if rows, err := st.Load(t.Context()); err != nil || len(rows) != 3 {
		t.Errorf("reading: %d sessions, %v, want 3", len(rows), err)
	}
	if err := st.Close(); !errors.Is(err, session.ErrStoreUnavailable) {
		t.Errorf("close: %v, want to hear of it again", err)
	}
	aside, err := filepath.Glob(path + ".displaced-*Z")
	if err != nil || len(aside) != 1 {
		t.Fatalf("saved as %v, %v, want one file", aside, err)
	}
	wantStored(t, aside[0], 3, 3)
	wantStored(t, path, 1, 1)
}

// TestReplacedAndPutBack: the store goes on once its own file is back.
func TestReplacedAndPutBack(t *testing.T) {
	dir := t.TempDir()
	path, backup, mine := filepath.Join(dir, "tend.db"), filepath.Join(dir, "backup.db"), filepath.Join(dir, "mine.db")
	other(t, backup)
	st := open(t, path, sqlite.Options{IdleEvery: time.Hour})
	all := someSessions(t, st)
	rename(t, path, mine)
	rename(t, backup, path)
	c := storetest.Step(all[0], "After")
	_, err := st.Commit(t.Context(), c)
	wantUnavailable(t, err, "replaced")
	rename(t, path, backup)
	rename(t, mine, path)
	mustCommit(t, st, c)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	wantStored(t, path, 3, 4)
	wantStored(t, backup, 1, 1)
}

// TestLogReplaced: a log that another program has put there is not touched.
func TestLogReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tend.db")
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{IdleEvery: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	all := someSessions(t, st)
	remove(t, path+"-wal")
	if err := os.WriteFile(path+"-wal", []byte("another program's"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = st.Commit(t.Context(), storetest.Step(all[0], "After"))
	wantUnavailable(t, err, "log was replaced")
	if err := st.Close(); err == nil {
		t.Error("close does not tell")
	}
	if text, err := os.ReadFile(path + "-wal"); err != nil || string(text) != "another program's" {
		t.Errorf("the other log is %q, %v", text, err)
	}
}

// TestRescueInterrupted: a copy that was complete when the process died becomes
// the database; a log whose database is gone is never ignored.
func TestRescueInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tend.db")
	other(t, path)
	rename(t, path, path+".rescue")
	if err := os.WriteFile(path+"-wal", []byte("the lost database's log"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantStored(t, path, 1, 1)
	if stray, err := filepath.Glob(path + ".stray-*-wal"); err != nil || len(stray) != 1 {
		t.Errorf("the log was set aside as %v, %v", stray, err)
	}
	remove(t, path)
	if err := os.WriteFile(path+"-wal", []byte("a log alone"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if e := (*sqlite.CorruptError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), "tend doctor --repair") {
		t.Errorf("a log without its database: %v, want a CorruptError", err)
	}
}
