package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

// smallLog makes checkpoints frequent, so that kills hit them too.
var smallLog = sqlite.Options{WALLimit: 64 << 10}

// childWrite commits without end, from four writers, and prints a line for
// every commit that was acknowledged.
func childWrite(args []string) error {
	st, err := sqlite.Open(context.Background(), args[0], smallLog)
	if err != nil {
		return err
	}
	rows, err := st.Load(context.Background())
	if err != nil {
		return err
	}
	for n := len(rows); n < 4; n++ {
		rows = append(rows, storetest.New(n))
	}
	var wg sync.WaitGroup
	errs := make([]error, len(rows))
	for i := range rows {
		wg.Go(func() { errs[i] = writeForEver(st, rows[i]) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func writeForEver(st *sqlite.Store, s session.Session) error {
	for {
		s.Why = fmt.Sprintf("%0*d", rand.IntN(3000), s.Rev)
		c := storetest.Step(s, "Step")
		seq, err := st.Commit(context.Background(), c)
		if err != nil {
			return err
		}
		s = c.Session
		if _, err := fmt.Fprintf(os.Stdout, "%s %d %d\n", s.ID, s.Rev, seq); err != nil {
			return err
		}
	}
}

// acknowledged is what the killed writers were told, by sequence number.
type acknowledged map[int64]string

// TestKill: a writer is killed at random moments, over and over. The database
// is never damaged, and no acknowledged commit is missing.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	acks := acknowledged{}
	for range kills {
		killOnce(t, path, 1+rand.IntN(150), acks)
		st, err := sqlite.Open(t.Context(), path, smallLog)
		if err != nil {
			t.Fatal(err)
		}
		checkAcknowledged(t, st, acks)
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range sqlite.Check(t.Context(), path) {
		if f.Level == sqlite.Broken {
			t.Error(f)
		}
	}
	t.Logf("%d kills, %d acknowledged commits", kills, len(acks))
}

// killOnce runs a writer and kills it once it has acknowledged n commits.
func killOnce(t *testing.T, path string, n int, acks acknowledged) {
	t.Helper()
	cmd := child(t, "write", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() { // on to the end: what was printed before the kill counts
		var id string
		var rev, seq int64
		if _, err := fmt.Sscan(lines.Text(), &id, &rev, &seq); err != nil {
			continue // torn by the kill
		}
		acks[seq] = fmt.Sprint(id, " ", rev)
		if n--; n == 0 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || n > 0 {
		t.Fatalf("the writer ended by itself: %v", err)
	}
}

func checkAcknowledged(t *testing.T, st *sqlite.Store, acks acknowledged) {
	t.Helper()
	es, err := st.Journal(t.Context(), "", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	newest := map[session.ID]int64{}
	have := acknowledged{}
	for _, e := range es {
		have[e.Seq] = fmt.Sprint(e.Session, " ", e.Rev)
		if newest[e.Session]++; newest[e.Session] != e.Rev {
			t.Fatalf("entry %d of %s has revision %d", newest[e.Session], e.Session, e.Rev)
		}
	}
	for seq, what := range acks {
		if have[seq] != what {
			t.Fatalf("number %d: acknowledged %q, found %q", seq, what, have[seq])
		}
	}
	rows, err := st.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range rows {
		if s.Rev != newest[s.ID] {
			t.Fatalf("%s is at revision %d, its journal at %d", s.ID, s.Rev, newest[s.ID])
		}
	}
}
