package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

// childCount adds to the one session's turn number for a while, as another
// program would, and prints how often it did.
func childCount(args []string) error {
	ctx := context.Background()
	d, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	st, err := sqlite.Open(ctx, args[0], sqlite.Options{})
	if err != nil {
		return err
	}
	n, err := count(ctx, st, d)
	if err := errors.Join(err, st.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, n)
	return err
}

func count(ctx context.Context, st *sqlite.Store, d time.Duration) (n int, err error) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		s, err := st.Get(ctx, storetest.New(1).ID)
		if err != nil {
			return n, err
		}
		s.Turn.Number++
		_, err = st.Commit(ctx, storetest.Step(s, "Count"))
		switch {
		case err == nil:
			n++
		case !errors.Is(err, session.ErrConflict):
			return n, err
		}
	}
	return n, nil
}

// foreign opens the database as another program does.
func foreign(t testing.TB, path string) *sql.DB {
	t.Helper()
	u := url.URL{Scheme: "file", Path: path, RawQuery: "_pragma=busy_timeout(20000)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func run(t testing.TB, db *sql.DB, q string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), q, args...); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

// TestLocked is field case B63: eight processes and this one read and write one
// session, another program holds the write lock for 3 s meanwhile, and nobody
// sees an error or loses an update.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tend.db")
	st := open(t, path, sqlite.Options{})
	if _, err := st.Commit(t.Context(), storetest.Step(storetest.New(1), "Created")); err != nil {
		t.Fatal(err)
	}
	const processes = 8
	counts := make(chan int, processes)
	for range processes {
		cmd := child(t, "count", path, countFor.String())
		go func() {
			out, err := cmd.Output()
			n, bad := strconv.Atoi(strings.TrimSpace(string(out)))
			if err != nil || bad != nil {
				t.Errorf("another process: %v, %q", err, out)
			}
			counts <- n
		}()
	}
	go func() {
		n, err := count(t.Context(), st, countFor)
		if err != nil {
			t.Errorf("this process: %v", err)
		}
		counts <- n
	}()
	db := foreign(t, path)
	run(t, db, "BEGIN IMMEDIATE")
	<-time.After(holdLock)
	run(t, db, "ROLLBACK")
	total := 0
	for range processes + 1 {
		total += <-counts
	}
	s, err := st.Get(t.Context(), storetest.New(1).ID)
	if err != nil {
		t.Fatal(err)
	}
	if s.Turn.Number != total || s.Rev != int64(total)+1 {
		t.Errorf("counted %d at revision %d; the processes added %d", s.Turn.Number, s.Rev, total)
	}
	t.Logf("%d added", total)
}

// TestLockedForGood: a lock that does not go away becomes an error that says so,
// and a commit that is withdrawn meanwhile has not happened.
func TestLockedForGood(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tend.db")
	st := open(t, path, sqlite.Options{BusyWait: time.Second})
	db := foreign(t, path)
	run(t, db, "BEGIN IMMEDIATE")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := st.Commit(ctx, storetest.Step(storetest.New(2), "Created")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("withdrawn: %v, want the context's error", err)
	}
	c := storetest.Step(storetest.New(1), "Created")
	_, err := st.Commit(t.Context(), c)
	wantUnavailable(t, err, "another program")
	run(t, db, "ROLLBACK")
	if _, err := st.Commit(t.Context(), c); err != nil {
		t.Errorf("the same commit, later: %v", err)
	}
	if _, err := st.Get(t.Context(), storetest.New(2).ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("the withdrawn commit: %v, want ErrNotFound", err)
	}
}

// TestCloseWhileLocked: closing does not wait for another program's lock, and
// the commits that did are told.
func TestCloseWhileLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	st := open(t, path, sqlite.Options{BusyWait: time.Hour})
	db := foreign(t, path)
	run(t, db, "BEGIN IMMEDIATE")
	answers := make(chan error)
	go func() {
		_, err := st.Commit(t.Context(), storetest.Step(storetest.New(1), "Created"))
		answers <- err
	}()
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	if err := <-answers; !errors.Is(err, session.ErrStoreUnavailable) && !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("the commit that waited: %v", err)
	}
	run(t, db, "ROLLBACK")
}

// wantUnavailable checks that err may go away, is one line and says why.
func wantUnavailable(t *testing.T, err error, why string) {
	t.Helper()
	if !errors.Is(err, session.ErrStoreUnavailable) {
		t.Fatalf("%v, want ErrStoreUnavailable", err)
	}
	if !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%q, want one line with %q", err, why)
	}
}
