package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

// openError opens what must not open and checks that the reason is one line.
func openError(t *testing.T, path string) error {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{BusyWait: time.Second})
	if err == nil {
		_ = st.Close()
		t.Fatal("opened")
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%q is not one line", err)
	}
	return err
}

func TestFilesAndModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b?c=%20#d e")
	path := filepath.Join(dir, "tend.db")
	st := open(t, path, sqlite.Options{})
	mustCommit(t, st, storetest.Step(storetest.New(1), "Created"))
	for name, want := range map[string]os.FileMode{dir: 0o700, filepath.Dir(dir): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want mode %04o", name, fi, err, want)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	wantStored(t, path, 1, 1)
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: others may still read it", fi, err)
	}
}

func TestOpenBadPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, why := range map[string]string{
		filepath.Join(file, "tend.db"): "folder cannot be made",
		dir:                            "is a folder",
		"/proc/tend.db":                "cannot be created",
		filepath.Join(dir, strings.Repeat("n", 300)): "cannot be read",
	} {
		if err := openError(t, path); !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %q, want %q", path, err, why)
		}
	}
}

// TestOpenForeign: another program's database is never touched.
func TestOpenForeign(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	db := foreign(t, path)
	run(t, db, "CREATE TABLE theirs(x)")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := content(t, path)
	if err := openError(t, path); !strings.Contains(err.Error(), "another program") {
		t.Errorf("%v", err)
	}
	if _, err := sqlite.Repair(t.Context(), path); err == nil {
		t.Error("repair takes another program's database")
	}
	if content(t, path) != before {
		t.Error("another program's database has changed")
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestOpenNewer: a database of a newer tend is left as it is.
func TestOpenNewer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	other(t, path)
	db := foreign(t, path)
	run(t, db, "PRAGMA user_version = 999")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := content(t, path)
	err := openError(t, path)
	if e := (*sqlite.NewerSchemaError)(nil); !errors.As(err, &e) || e.Have != 999 || !strings.Contains(err.Error(), "install the newer tend") {
		t.Errorf("%v, want a NewerSchemaError", err)
	}
	if kept, err := sqlite.Repair(t.Context(), path); err == nil || kept != "" {
		t.Errorf("repair: %q, %v: it must not touch a newer one", kept, err)
	}
	if content(t, path) != before {
		t.Error("the newer database has changed")
	}
}

// TestOpenAtOnce: many open a database that is not there yet; all succeed.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	var wg sync.WaitGroup
	for n := range 6 {
		wg.Go(func() {
			st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			_, err = st.Commit(t.Context(), storetest.Step(storetest.New(n), "Created"))
			if err := errors.Join(err, st.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantStored(t, path, 6, 6)
}

func TestClosed(t *testing.T) {
	t.Parallel()
	st := open(t, filepath.Join(t.TempDir(), "tend.db"), sqlite.Options{})
	var wg sync.WaitGroup
	for n := range 20 { // all are answered, by their number or by ErrClosed
		wg.Go(func() {
			if _, err := st.Commit(t.Context(), storetest.Step(storetest.New(n), "Created")); err != nil && !errors.Is(err, sqlite.ErrClosed) {
				t.Error(err)
			}
		})
	}
	for range 3 {
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if _, err := st.Commit(t.Context(), storetest.Step(storetest.New(30), "Created")); !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("commit: %v, want ErrClosed", err)
	}
	if _, err := st.Load(t.Context()); !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("load: %v, want ErrClosed", err)
	}
}

// TestOpenCancelled: a start that waits for a lock can be given up.
func TestOpenCancelled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	db := foreign(t, path) // a new file, locked before it is ours
	run(t, db, "BEGIN EXCLUSIVE")
	run(t, db, "CREATE TABLE theirs(x)")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	st, err := sqlite.Open(ctx, path, sqlite.Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("open = %v, %v, want the context's error", st, err)
	}
	run(t, db, "ROLLBACK")
}

// TestBigChange: a change as large as the largest prompt, many times over, and
// beside it small ones.
func TestBigChange(t *testing.T) {
	t.Parallel()
	st := open(t, filepath.Join(t.TempDir(), "tend.db"), sqlite.Options{})
	s := storetest.New(1)
	for range 3 {
		s.Queue = append(s.Queue, session.Prompt{ID: "p", Text: strings.Repeat("é", session.MaxPrompt/2), State: session.PromptQueued})
	}
	mustCommit(t, st, storetest.Step(s, "Send"))
	got, err := st.Get(t.Context(), s.ID)
	if err != nil || len(got.Queue) != 3 || got.Queue[2].Text != s.Queue[2].Text {
		t.Errorf("%d prompts, %v", len(got.Queue), err)
	}
}
