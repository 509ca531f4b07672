package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

const writers = 16

func contextWithCancel(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// together runs f n times at once and waits for all.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// testLostUpdates: many writers count in one row by read, add, commit.
func testLostUpdates(t *testing.T, st supervisor.Store) {
	const each = 15
	s := create(t, st, 1)
	var conflicts atomic.Int64
	together(writers, func(int) {
		for range each {
			for {
				now, err := st.Get(t.Context(), s.ID)
				if err != nil {
					t.Error(err)
					return
				}
				now.Turn.Number++
				_, err = st.Commit(t.Context(), Step(now, "Count"))
				if err == nil {
					break
				}
				if !errors.Is(err, session.ErrConflict) {
					t.Error(err)
					return
				}
				conflicts.Add(1)
			}
		}
	})
	if got := get(t, st, s.ID); got.Turn.Number != writers*each || got.Rev != 1+writers*each {
		t.Errorf("counted %d at revision %d, want %d (%d conflicts)", got.Turn.Number, got.Rev, writers*each, conflicts.Load())
	}
	if got := len(journal(t, st, s.ID, 0, 10_000)); got != 1+writers*each {
		t.Errorf("%d entries, want %d", got, 1+writers*each)
	}
}

// testOneConflictFailsNoOther: good and bad changes arrive together; each gets
// its own answer.
func testOneConflictFailsNoOther(t *testing.T, st supervisor.Store) {
	const rounds = 10
	stale := create(t, st, 1000)
	current, _ := commit(t, st, Step(stale, "Ready"))
	mine := make([]session.Session, writers)
	for i := range mine {
		mine[i] = create(t, st, i)
	}
	together(writers, func(i int) {
		for range rounds {
			switch i % 3 {
			case 0:
				next := Step(mine[i], "Good")
				if _, err := st.Commit(t.Context(), next); err != nil {
					t.Errorf("good change: %v", err)
					return
				}
				mine[i] = next.Session
			case 1:
				if _, err := st.Commit(t.Context(), Step(stale, "Stale")); !errors.Is(err, session.ErrConflict) {
					t.Errorf("stale change: %v, want ErrConflict", err)
				}
			case 2:
				taken := mine[i]
				taken.Name = current.Name
				if _, err := st.Commit(t.Context(), Step(taken, "Rename")); !errors.Is(err, session.ErrNameTaken) {
					t.Errorf("taken name: %v, want ErrNameTaken", err)
				}
			}
		}
	})
	for i := range mine {
		same(t, fmt.Sprint("session ", i), get(t, st, mine[i].ID), mine[i])
	}
	same(t, "the contested one", get(t, st, current.ID), current)
}

// testNamesAreContested: of many sessions that want a name, one gets it.
func testNamesAreContested(t *testing.T, st supervisor.Store) {
	const names = 8
	var won atomic.Int64
	together(writers, func(i int) {
		for _, n := range shuffled(names) {
			s := New(1 + i*names + n)
			s.Name = fmt.Sprint("name-", n)
			switch _, err := st.Commit(t.Context(), Step(s, "Created")); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, session.ErrNameTaken):
				t.Errorf("create: %v, want ErrNameTaken", err)
			}
		}
	})
	if got := won.Load(); got != names {
		t.Errorf("%d sessions got %d names", got, names)
	}
	if got := len(load(t, st)); got != names {
		t.Errorf("%d sessions are stored, want %d", got, names)
	}
}

// testReadersSeeNoGaps: whoever has seen a sequence number never sees a new
// entry with a smaller one, and no number is used twice.
func testReadersSeeNoGaps(t *testing.T, st supervisor.Store) {
	const each, readers = 40, 3
	stop := make(chan struct{})
	seen := make([][]int64, readers)
	var followers sync.WaitGroup
	for r := range readers {
		followers.Go(func() { seen[r] = follow(t, st, 1+r*7, stop) })
	}
	var mu sync.Mutex
	acknowledged := map[int64]session.ID{}
	together(writers, func(i int) {
		s := New(i)
		for range each {
			c := Step(s, "Step")
			seq, err := st.Commit(t.Context(), c)
			if err != nil {
				t.Error(err)
				return
			}
			s = c.Session
			mu.Lock()
			if other, twice := acknowledged[seq]; twice {
				t.Errorf("number %d for both %s and %s", seq, other, s.ID)
			}
			acknowledged[seq] = s.ID
			mu.Unlock()
		}
	})
	close(stop)
	followers.Wait()
	all := journal(t, st, "", 0, 10*writers*each)
	if len(all) != len(acknowledged) {
		t.Errorf("%d entries for %d acknowledged commits", len(all), len(acknowledged))
	}
	for r := range seen {
		if len(seen[r]) != len(all) {
			t.Errorf("reader %d saw %d of %d entries", r, len(seen[r]), len(all))
		}
	}
	for _, e := range all {
		if acknowledged[e.Seq] != e.Session {
			t.Errorf("number %d is %s's, acknowledged to %q", e.Seq, e.Session, acknowledged[e.Seq])
		}
	}
}

// follow reads the journal from the last number it has seen, as a follower of
// events does, until it has read everything there was at stop.
func follow(t *testing.T, st supervisor.Store, page int, stop <-chan struct{}) (seen []int64) {
	var last int64
	for ending := false; ; {
		es, err := st.Journal(background, "", last, page)
		if err != nil {
			t.Errorf("follow: %v", err)
			return seen
		}
		for _, e := range es {
			if e.Seq <= last {
				t.Errorf("number %d after %d", e.Seq, last)
			}
			last = e.Seq
			seen = append(seen, e.Seq)
		}
		if len(es) > 0 {
			continue
		}
		if ending {
			return seen
		}
		select {
		case <-stop:
			ending = true
		default:
		}
	}
}

// testReadYourWrites: whatever reads after Commit has returned sees the change.
func testReadYourWrites(t *testing.T, st supervisor.Store) {
	together(writers, func(i int) {
		s := New(i)
		for range 10 {
			c := Step(s, "Step")
			seq, err := st.Commit(t.Context(), c)
			if err != nil {
				t.Error(err)
				return
			}
			s = c.Session
			if got, err := st.Get(t.Context(), s.ID); err != nil || got.Rev != s.Rev {
				t.Errorf("revision %d, %v after committing %d", got.Rev, err, s.Rev)
			}
			if got, err := st.Head(t.Context()); err != nil || got < seq {
				t.Errorf("head %d, %v after committing %d", got, err, seq)
			}
			if es, err := st.Journal(t.Context(), s.ID, seq-1, 1); err != nil || len(es) != 1 || es[0].Rev != s.Rev {
				t.Errorf("journal %v, %v after committing %d", es, err, seq)
			}
		}
	})
}

// testCancelledMeanwhile: a commit whose context ends has happened if it says
// so, and has not if it says that.
func testCancelledMeanwhile(t *testing.T, st supervisor.Store) {
	var happened, cancelled atomic.Int64
	together(writers, func(i int) {
		s := New(i)
		for range 25 {
			ctx, cancel := context.WithCancel(background)
			c := Step(s, "Step")
			ended := make(chan struct{})
			go func() { cancel(); close(ended) }()
			_, err := st.Commit(ctx, c)
			<-ended
			want := s.Rev
			switch {
			case err == nil:
				happened.Add(1)
				s = c.Session
				want = s.Rev
			case errors.Is(err, context.Canceled):
				cancelled.Add(1)
			default:
				t.Errorf("commit: %v", err)
			}
			got, err := st.Get(background, s.ID)
			if err != nil && (want != 0 || !errors.Is(err, session.ErrNotFound)) {
				t.Error(err)
			}
			if got.Rev != want {
				t.Errorf("revision %d is stored, the commits said %d", got.Rev, want)
				return
			}
		}
	})
	t.Logf("%d happened, %d were cancelled", happened.Load(), cancelled.Load())
}
