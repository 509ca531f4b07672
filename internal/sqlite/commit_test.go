package sqlite

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// TestCommitUncertain: only a disk that does not answer for long leaves a
// caller whose context has ended without an answer, and it is told so.
func TestCommitUncertain(t *testing.T) {
	c := session.Change{Session: session.Session{ID: "a", Rev: 1}, Entry: session.Entry{Session: "a", Rev: 1}}
	for name, late := range map[string]time.Duration{"answered late": 9 * time.Second, "not answered": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &Store{queue: make(chan *request)}
				ctx, cancel := context.WithCancel(t.Context())
				go func() { // a writer whose disk hangs
					r := <-s.queue
					r.take()
					cancel()
					<-time.After(late)
					r.answer <- answer{seq: 7}
				}()
				began := time.Now()
				seq, err := s.Commit(ctx, c)
				if late < time.Minute && (seq != 7 || err != nil) {
					t.Errorf("%d, %v, want the late answer", seq, err)
				}
				if late > time.Minute && (!errors.Is(err, ErrUncertain) || !errors.Is(err, context.Canceled) || time.Since(began) != 10*time.Second) {
					t.Errorf("%v after %v, want ErrUncertain after 10 s", err, time.Since(began))
				}
				<-time.After(late)
			})
		})
	}
}

// TestBadOneAlone: a change that SQLite cannot take fails by itself; those that
// share its transaction are made.
func TestBadOneAlone(t *testing.T) {
	path := t.TempDir() + "/tend.db"
	s, err := Open(t.Context(), path, Options{pragmas: []string{"max_page_count(500)"}})
	if err != nil {
		t.Fatal(err)
	}
	var batch []*request
	for i, id := range []session.ID{"a", "b", "c"} {
		r, err := newRequest(session.Change{Session: session.Session{ID: id, Rev: 1}, Entry: session.Entry{Session: id, Rev: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			r.row.entry = r.row.entry[1:] // too few values: an error of the statement
		}
		batch = append(batch, r)
	}
	for _, r := range batch[1:] {
		go func() { s.queue <- r }()
	}
	s.queue <- batch[0]
	for i, r := range batch {
		if a := <-r.answer; (a.err != nil) != (i == 1) || errors.Is(a.err, session.ErrStoreUnavailable) {
			t.Errorf("change %d: %v", i, a.err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFullDatabase: a database that may not grow is a full disk, and the store
// works on as soon as it may.
func TestFullDatabase(t *testing.T) {
	path := t.TempDir() + "/tend.db"
	s, err := Open(t.Context(), path, Options{pragmas: []string{"max_page_count(40)"}})
	if err != nil {
		t.Fatal(err)
	}
	big := session.Session{ID: "big", Rev: 1, Why: strings.Repeat("x", 400_000)}
	c := session.Change{Session: big, Entry: session.Entry{Session: "big", Rev: 1}}
	for range 2 {
		if _, err := s.Commit(t.Context(), c); !errors.Is(err, session.ErrStoreUnavailable) || !strings.Contains(err.Error(), "disk is full") {
			t.Fatalf("%v, want a full disk", err)
		}
	}
	small := session.Change{Session: session.Session{ID: "small", Rev: 1}, Entry: session.Entry{Session: "small", Rev: 1}}
	if seq, err := s.Commit(t.Context(), small); err != nil || seq != 1 {
		t.Fatalf("a change that fits: %d, %v", seq, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), path, Options{}); err != nil {
		t.Fatal(err)
	}
	if seq, err := s.Commit(t.Context(), c); err != nil || seq != 2 {
		t.Errorf("the same change with room: %d, %v", seq, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
