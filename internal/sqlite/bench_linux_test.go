package sqlite_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

// round is how long each side of a comparison runs before the other's turn.
// Disks change their speed by the second: both sides see the same ones.
const round = 250 * time.Millisecond

// appender is the physical limit: 300 bytes appended, made durable.
type appender struct{ f *os.File }

func newAppender(b *testing.B, dir string) *appender {
	f, err := os.Create(filepath.Join(dir, "appended"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	return &appender{f}
}

func (a *appender) run(b *testing.B, d time.Duration) (n int) {
	line := make([]byte, 300)
	for end := time.Now().Add(d); time.Now().Before(end); n++ {
		if _, err := a.f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := syscall.Fdatasync(int(a.f.Fd())); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

// typical is a session as it is in the middle of its life.
func typical(n int) session.Session {
	s := storetest.New(n)
	code := 0
	now := time.Now().UTC().Truncate(time.Millisecond)
	s.State, s.Why = session.Busy, "the agent has taken a prompt"
	s.Spec.Argv = []string{"/usr/local/bin/agent", "--settings", "/home/somebody/.local/state/tend/sessions/x/settings.json"}
	s.Spec.EnvNames = []string{"PATH", "HOME", "LANG", "TERM", "COLORTERM"}
	s.Process = session.Process{Phase: session.Running, Run: 1, StartedAt: now, AgeFrom: now, Exit: &session.Exit{Code: &code, At: now}}
	s.Native = []session.NativeID{{ID: "4f6c2c1e-9f0e-4d5e-8a52-0a1b2c3d4e5f", At: now, Run: 1}}
	s.Queue = []session.Prompt{{ID: "01JPROMPT", Text: "Write the tests that are missing.", State: session.PromptSubmitted, At: now, StepAt: now}}
	return s
}

// transitions commits over and over from k writers, each on its own session,
// until d is over.
func transitions(b *testing.B, st *sqlite.Store, rows []session.Session, d time.Duration) int {
	var total atomic.Int64
	var wg sync.WaitGroup
	end := time.Now().Add(d)
	for i := range rows {
		wg.Go(func() {
			for time.Now().Before(end) {
				c := storetest.Step(rows[i], "ToolActivity")
				c.Entry.Detail = []byte(`{"running":true,"native":"toolu_01A09q90qw90lq917835lq9"}`)
				c.Entry.Why = "the agent uses a tool"
				if _, err := st.Commit(context.Background(), c); err != nil {
					b.Error(err)
					return
				}
				rows[i] = c.Session
				total.Add(1)
			}
		})
	}
	wg.Wait()
	return int(total.Load())
}

// BenchmarkTransitions compares durable transitions of 1 and of 64 writers with
// the physical limit, in turns on the same disk. Goals: 0.7 of the limit with
// one writer, and 8 times one writer's rate with 64.
func BenchmarkTransitions(b *testing.B) {
	dir := b.TempDir()
	st := open(b, filepath.Join(dir, "tend.db"), sqlite.Options{})
	limit := newAppender(b, dir)
	var one, many []session.Session
	for n := range 64 {
		many = append(many, typical(n))
	}
	one = append(one, typical(1000))
	transitions(b, st, one, 4*round) // the log has its blocks
	transitions(b, st, many, 4*round)
	var appends, ones, manys, rounds int
	for b.Loop() {
		appends += limit.run(b, round)
		ones += transitions(b, st, one, round)
		manys += transitions(b, st, many, round)
		rounds++
	}
	seconds := float64(rounds) * round.Seconds()
	b.ReportMetric(float64(appends)/seconds, "appends/s")
	b.ReportMetric(float64(ones)/seconds, "1-writer/s")
	b.ReportMetric(float64(manys)/seconds, "64-writers/s")
	b.ReportMetric(float64(ones)/float64(appends), "1-writer/append")
	b.ReportMetric(float64(manys)/float64(ones), "64-writers/1-writer")
	b.ReportMetric(0, "ns/op")
}

// archivedRows and journalRows are the history of a long and busy life.
const (
	archivedRows = 10_000
	journalRows  = 100_000
)

// history makes a database with that history and 20 open sessions.
func history(b *testing.B, path string) {
	st, err := sqlite.Open(b.Context(), path, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for n := range 20 {
		if _, err := st.Commit(b.Context(), storetest.Step(typical(n), "Created")); err != nil {
			b.Fatal(err)
		}
	}
	closed := typical(20)
	closed.Life.Closed = &session.Closed{At: time.Now().UTC(), Reason: "a person closed it"}
	if _, err := st.Commit(b.Context(), storetest.Step(closed, "Created")); err != nil {
		b.Fatal(err)
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	db := foreign(b, path)
	run(b, db, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?)
		INSERT INTO sessions SELECT printf('01JOLD%020d', i), node, name, rev, state, closed_at + i, created_at, updated_at,
			json_set(body, '$.id', printf('01JOLD%020d', i)) FROM n, sessions WHERE id = ?`, archivedRows, string(closed.ID))
	run(b, db, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?)
		INSERT INTO journal SELECT 1000 + i, node, printf('01JOLD%020d', i % ?), i, run, turn, at, source, event,
			'{"running":true,"native":"toolu_01A09q90qw90lq917835lq9"}', from_state, to_state, ignored, 'the agent uses a tool', effects
		FROM n, journal WHERE seq = 1`, journalRows, archivedRows)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOpenLoad is what a start of the daemon costs with a long history,
// after an orderly end and after a kill. Goal: under 100 ms.
func BenchmarkOpenLoad(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "tend.db")
	history(b, path)
	b.Run("closed", func(b *testing.B) {
		for range b.N {
			openLoad(b, path)
		}
		b.ReportMetric(float64(fileSize(path))/(1<<20), "MiB")
	})
	b.Run("killed", func(b *testing.B) {
		st := open(b, path, sqlite.Options{IdleEvery: time.Hour})
		rows, err := st.Load(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		transitions(b, st, rows[:1], round)
		for range b.N {
			b.StopTimer()
			for _, suffix := range []string{"", "-wal"} { // as a kill leaves them
				if out, err := exec.Command("cp", path+suffix, filepath.Join(dir, "killed.db")+suffix).CombinedOutput(); err != nil {
					b.Fatal(err, string(out))
				}
			}
			b.StartTimer()
			openLoad(b, filepath.Join(dir, "killed.db"))
		}
	})
}

func openLoad(b *testing.B, path string) {
	st, err := sqlite.Open(b.Context(), path, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if rows, err := st.Load(b.Context()); err != nil || len(rows) < 20 {
		b.Fatal(len(rows), err)
	}
	b.StopTimer()
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
}
