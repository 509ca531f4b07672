package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

const logLimit = 256 << 10

// grow commits until the log's file has n bytes.
func grow(t *testing.T, st *sqlite.Store, path string, s session.Session, n int64) session.Session {
	t.Helper()
	for range 10_000 {
		c := bulky(s, 3000)
		mustCommit(t, st, c)
		s = c.Session
		if fileSize(path+"-wal") > n {
			return s
		}
	}
	t.Fatalf("the log stays at %d bytes", fileSize(path+"-wal"))
	return s
}

// TestLogLimit is the log's part of field case B62: a reader that another
// program keeps open makes the log grow; once it ends, the log is back under
// its limit, with the next changes or with none.
func TestLogLimit(t *testing.T) {
	for name, o := range map[string]sqlite.Options{
		"writing": {WALLimit: logLimit, IdleEvery: time.Hour},
		"at rest": {WALLimit: logLimit, IdleEvery: 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tend.db")
			st := open(t, path, o)
			s := storetest.New(1)
			for range 300 { // four times the limit, were it not for checkpoints
				c := bulky(s, 3000)
				mustCommit(t, st, c)
				s = c.Session
			}
			if n := fileSize(path + "-wal"); n > logLimit {
				t.Errorf("the log has %d bytes without a reader, its limit is %d", n, logLimit)
			}
			db := foreign(t, path)
			run(t, db, "BEGIN")
			var n int
			if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM journal").Scan(&n); err != nil {
				t.Fatal(err)
			}
			s = grow(t, st, path, s, 4*logLimit)
			run(t, db, "ROLLBACK")
			if o.IdleEvery == time.Hour {
				for range 3 {
					c := storetest.Step(s, "Step")
					mustCommit(t, st, c)
					s = c.Session
				}
			}
			until(t, "the log is cut back", func() bool { return fileSize(path+"-wal") <= logLimit })
		})
	}
}
