package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func openBare(t *testing.T, path string) *writeConn {
	t.Helper()
	if err := create(path); err != nil {
		t.Fatal(err)
	}
	w, err := openWrite(t.Context(), path, Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// TestMigrate: a failed step leaves the version before it, and the next start
// goes on from there.
func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tend.db")
	w := openBare(t, path)
	ctx := t.Context()
	add := "CREATE TABLE more(x); INSERT INTO more VALUES (1)"
	if err := migrate(ctx, w.conn, path, []string{schema1, add, "CREATE TABLE half(x); INSERT INTO nowhere VALUES (1)"}); err == nil || !strings.Contains(err.Error(), "version 3") {
		t.Fatalf("a step that fails: %v", err)
	}
	if v, err := schemaVersion(ctx, w.conn, path, 3); v != 2 || err != nil {
		t.Errorf("version %d, %v, want 2", v, err)
	}
	for range 2 {
		if err := migrate(ctx, w.conn, path, []string{schema1, add, "CREATE TABLE half(x)"}); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	if err := w.conn.QueryRowContext(ctx, "SELECT count(*) FROM more").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows, %v: a step was applied twice", n, err)
	}
}

// TestMigrateAtOnce: processes that start together apply each step once.
func TestMigrateAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tend.db")
	steps := []string{schema1, "CREATE TABLE more(x)", "INSERT INTO more VALUES (1)", "INSERT INTO more VALUES (2)"}
	var wg sync.WaitGroup
	for range 4 {
		w := openBare(t, path)
		wg.Go(func() {
			for {
				err := migrate(context.Background(), w.conn, path, steps)
				if isBusy(err) {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				return
			}
		})
	}
	wg.Wait()
	var n int
	if err := openBare(t, path).conn.QueryRowContext(t.Context(), "SELECT count(*) FROM more").Scan(&n); err != nil || n != 2 {
		t.Errorf("%d rows, %v, want 2", n, err)
	}
}

// TestPlans: what a start and a follower read is found by index, never by
// going through everything.
func TestPlans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tend.db")
	w := openBare(t, path)
	if err := migrate(t.Context(), w.conn, path, migrations); err != nil {
		t.Fatal(err)
	}
	for q, want := range map[string]string{
		loadOpen:       "USING INDEX sessions_open",
		getOne:         "SEARCH sessions USING INDEX",
		listArchived:   "USING INDEX sessions_archived",
		pageOfAll:      "SEARCH journal USING INTEGER PRIMARY KEY",
		pageOfOne:      "SEARCH journal USING INDEX journal_session",
		newestNumber:   "SEARCH journal",
		rewriteSession: "SEARCH sessions USING INDEX",
	} {
		var plan strings.Builder
		rows, err := w.conn.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+q, make([]any, parameters(q))...)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(detail + "\n")
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan.String(), want) || strings.Contains(plan.String(), "TEMP B-TREE") {
			t.Errorf("%s\n%swant %s and no sorting", q, plan.String(), want)
		}
	}
}

// parameters is how many values a statement takes.
func parameters(q string) int {
	if strings.Contains(q, "?2") {
		return 2
	}
	return strings.Count(q, "?")
}

// TestNumbersAreNotReused: the newest journal row stays, whatever is cleared
// away, so that its number is never given twice.
func TestNumbersAreNotReused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tend.db")
	w := openBare(t, path)
	if err := migrate(t.Context(), w.conn, path, migrations); err != nil {
		t.Fatal(err)
	}
	const insert = `INSERT INTO journal(node, session, rev, run, turn, source, event, from_state, to_state, ignored, why)
		VALUES ('', 's', ?, 0, 0, '', '', '', '', '', '')`
	for rev := range 5 {
		if _, err := w.conn.ExecContext(t.Context(), insert, rev); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.conn.ExecContext(t.Context(), "DELETE FROM journal"); err == nil {
		t.Error("the newest row can be deleted")
	}
	if _, err := w.conn.ExecContext(t.Context(), "DELETE FROM journal WHERE seq < 5"); err != nil {
		t.Errorf("older rows cannot be deleted: %v", err)
	}
	var seq int
	if err := w.conn.QueryRowContext(t.Context(), insert+" RETURNING seq", 5).Scan(&seq); err != nil || seq != 6 {
		t.Errorf("number %d, %v, want 6", seq, err)
	}
}
