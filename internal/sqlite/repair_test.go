package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

// seeded makes a database with n sessions of k journal entries each, closed.
func seeded(t *testing.T, path string, n, k int) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s := storetest.New(i)
		for range k {
			c := bulky(s, 1500)
			mustCommit(t, st, c)
			s = c.Session
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// scribble overwrites n bytes at off.
func scribble(t *testing.T, name string, off, n int64) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	junk := make([]byte, n)
	for i := range junk {
		junk[i] = byte(rand.Uint32())
	}
	_, err = f.WriteAt(junk, off)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// wantCorrupt checks that opening reports the damage and changes nothing.
func wantCorrupt(t *testing.T, path string) {
	t.Helper()
	before := content(t, path)
	err := openError(t, path)
	if e := (*sqlite.CorruptError)(nil); !errors.As(err, &e) || e.Path != path || !strings.Contains(err.Error(), "tend doctor --repair") {
		t.Fatalf("%v, want a CorruptError with its remedy", err)
	}
	if content(t, path) != before {
		t.Fatal("the damaged file has changed")
	}
	var broken []string
	for _, f := range sqlite.Check(t.Context(), path) {
		if f.Level == sqlite.Broken {
			broken = append(broken, f.Remedy)
		}
	}
	if len(broken) != 1 || broken[0] != "tend doctor --repair" {
		t.Errorf("the doctor's remedies are %q", broken)
	}
}

// TestRepairAnyPage: whichever page is damaged, it is reported, the file is
// kept, and all sessions whose rows are not on that page come back.
func TestRepairAnyPage(t *testing.T) {
	t.Parallel()
	const sessions = 12
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	seeded(t, good, sessions, 8)
	image := content(t, good)
	pages := int64(len(image) / 4096)
	reported := 0
	for page := int64(0); page < pages; page += 1 + pages/14 {
		path := filepath.Join(dir, fmt.Sprintf("page%d.db", page))
		if err := os.WriteFile(path, []byte(image), 0o600); err != nil {
			t.Fatal(err)
		}
		scribble(t, path, page*4096, 4096)
		damaged := content(t, path)
		st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err == nil { // junk may happen to make sense: overflow pages hold text
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		reported++
		wantCorrupt(t, path)
		kept, err := sqlite.Repair(t.Context(), path)
		if err != nil {
			t.Fatalf("page %d: %v", page, err)
		}
		if content(t, kept) != damaged {
			t.Errorf("page %d: the damaged file was not kept as it was", page)
		}
		n := countSessions(t, path)
		if n < sessions-3 {
			t.Errorf("page %d: %d of %d sessions are left", page, n, sessions)
		}
		wantSound(t, path)
	}
	if reported < 6 {
		t.Errorf("%d of %d damaged pages were reported", reported, pages)
	}
}

// TestRepairHeader: whichever bytes of the header are damaged, nothing is lost.
func TestRepairHeader(t *testing.T) {
	t.Parallel()
	const sessions = 5
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	seeded(t, good, sessions, 4)
	image := content(t, good)
	reported := 0
	for off := int64(0); off < 100; off += 5 {
		path := filepath.Join(dir, fmt.Sprintf("at%d.db", off))
		if err := os.WriteFile(path, []byte(image), 0o600); err != nil {
			t.Fatal(err)
		}
		scribble(t, path, off, 15)
		if _, err := sqlite.Repair(t.Context(), path); err != nil {
			t.Fatalf("bytes %d to %d: %v", off, off+14, err)
		}
		if content(t, path) != image {
			reported++
		}
		wantStored(t, path, sessions, sessions*4)
		wantSound(t, path)
	}
	if reported < 12 {
		t.Errorf("damage was found %d times", reported)
	}
}

// TestRepairRoots: rows come back to which no path leads any more.
func TestRepairRoots(t *testing.T) {
	t.Parallel()
	const sessions = 12
	path := filepath.Join(t.TempDir(), "tend.db")
	seeded(t, path, sessions, 8)
	scribble(t, path, 0, 4*4096) // the first page, and the roots of the sessions
	if kept, err := sqlite.Repair(t.Context(), path); err != nil || kept == "" {
		t.Fatalf("kept as %q, %v", kept, err)
	}
	if n := countSessions(t, path); n != sessions {
		t.Errorf("%d of %d sessions are left", n, sessions)
	}
	wantSound(t, path)
}

// countSessions opens the store, goes on with every session, and counts them.
func countSessions(t *testing.T, path string) int {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := st.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range rows {
		mustCommit(t, st, storetest.Step(s, "After"))
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return len(rows)
}

// TestRepairHopeless: what is no database at all is kept, and a fresh one made.
func TestRepairHopeless(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"junk":      strings.Repeat("no database", 1000),
		"short":     "no",
		"truncated": "",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tend.db")
			seeded(t, path, 2, 2)
			if text == "" {
				text = content(t, path)[:6000]
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			wantCorrupt(t, path)
			kept, err := sqlite.Repair(t.Context(), path)
			if err != nil || content(t, kept) != text {
				t.Fatalf("kept as %q, %v", kept, err)
			}
			wantSound(t, path)
			countSessions(t, path)
		})
	}
}

// TestRepairLogAlone: a log without its database is kept too.
func TestRepairLogAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	if err := os.WriteFile(path+"-wal", []byte("a log alone"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := sqlite.Repair(t.Context(), path)
	if err != nil || content(t, kept+"-wal") != "a log alone" {
		t.Fatalf("kept as %q, %v", kept, err)
	}
	wantStored(t, path, 0, 0)
}

func TestRepairNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	if kept, err := sqlite.Repair(t.Context(), path); kept != "" || err != nil {
		t.Errorf("no database: %q, %v", kept, err)
	}
	seeded(t, path, 2, 2)
	before := content(t, path)
	if kept, err := sqlite.Repair(t.Context(), path); kept != "" || err != nil || content(t, path) != before {
		t.Errorf("a sound database: %q, %v", kept, err)
	}
}

// TestDamagedMeanwhile: damage that a start does not look for is reported by
// whoever reads it.
func TestDamagedMeanwhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	seeded(t, path, 30, 10)
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scribble(t, path, 4096, fileSize(path)-4096) // all but the first page
	_, err = st.Load(t.Context())
	var e *sqlite.CorruptError
	if !errors.As(err, &e) {
		t.Errorf("load: %v, want a CorruptError", err)
	}
	if !errors.Is(err, session.ErrStoreUnavailable) {
		t.Errorf("%v: to whoever commits, this must be a store that cannot write", err)
	}
	if err := st.Close(); err != nil {
		t.Logf("close: %v", err)
	}
}

// TestCheck: the doctor's findings on a database in use, one open to others,
// and none.
func TestCheck(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	find := func() map[string]sqlite.Finding {
		all := map[string]sqlite.Finding{}
		for _, f := range sqlite.Check(t.Context(), path) {
			all[f.Name] = f
		}
		return all
	}
	if f := find()["file"]; f.Level != sqlite.Notice || !strings.Contains(f.Detail, "not there yet") {
		t.Errorf("no database: %v", f)
	}
	st := open(t, path, sqlite.Options{})
	someSessions(t, st)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	all := find()
	if f := all["file"]; f.Level != sqlite.Notice || f.Remedy != "chmod 0600 "+path {
		t.Errorf("open to others: %v", f)
	}
	if f := all["contents"]; f.Level != sqlite.OK || f.Detail != "3 open and 0 archived sessions, 3 journal entries" {
		t.Errorf("contents: %v", f)
	}
	for _, name := range []string{"folder", "log", "space", "schema", "integrity"} {
		if all[name].Level == "" || all[name].Level == sqlite.Broken {
			t.Errorf("%s: %v", name, all[name])
		}
	}
}
