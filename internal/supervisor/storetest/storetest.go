// Package storetest is the contract of supervisor.Store as a test suite. An
// implementation's test is a factory and one call of Run.
//
// It tests promises, not tables: it sees a store only through the port.
package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

// Run tests the whole contract. open returns a new and empty store each time
// and closes it by itself when its test ends.
func Run(t *testing.T, open func(t *testing.T) supervisor.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, supervisor.Store)
	}{
		{"Empty", testEmpty},
		{"RoundTrip", testRoundTrip},
		{"AbsentIsNotZero", testAbsentIsNotZero},
		{"TextIsKept", testTextIsKept},
		{"CompareAndSet", testCompareAndSet},
		{"MalformedChange", testMalformedChange},
		{"RefusedLeavesNothing", testRefusedLeavesNothing},
		{"Names", testNames},
		{"Archive", testArchive},
		{"ArchiveMatch", testArchiveMatch},
		{"JournalPages", testJournalPages},
		{"JournalOfOneSession", testJournalOfOneSession},
		{"Values", testValues},
		{"LostUpdates", testLostUpdates},
		{"OneConflictFailsNoOther", testOneConflictFailsNoOther},
		{"NamesAreContested", testNamesAreContested},
		{"ReadersSeeNoGaps", testReadersSeeNoGaps},
		{"ReadYourWrites", testReadYourWrites},
		{"CancelledBefore", testCancelledBefore},
		{"CancelledMeanwhile", testCancelledMeanwhile},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

var start = time.Date(2026, 12, 1, 9, 0, 0, 123_000_000, time.UTC)

// New is a session that was never committed. Its id sorts by n.
func New(n int) session.Session {
	return session.Session{
		ID:   session.ID(fmt.Sprintf("01JTEST%019d", n)),
		Node: "node-1", Name: fmt.Sprintf("s%d", n), State: session.Starting,
		Spec: session.Spec{Agent: "generic", Argv: []string{"sh"}, Cwd: "/", Kind: session.Interactive, Policy: session.DefaultPolicy()},
		Life: session.Life{CreatedAt: start, UpdatedAt: start, StateAt: start, ArmedAt: start},
	}
}

// Step is the change that makes before, as the store has it, into after.
func Step(after session.Session, event string) session.Change {
	prev := after.Rev
	after.Rev++
	after.Life.UpdatedAt = start.Add(time.Duration(after.Rev) * time.Millisecond)
	return session.Change{Session: after, PrevRev: prev, Entry: session.Entry{
		Node: after.Node, Session: after.ID, Rev: after.Rev, Run: after.Process.Run, Turn: after.Turn.Number,
		At: after.Life.UpdatedAt, Source: session.FromSupervisor, Event: event, From: after.State, To: after.State,
	}}
}

// commit makes a change that must succeed and returns the session as stored.
func commit(t *testing.T, st supervisor.Store, c session.Change) (session.Session, int64) {
	t.Helper()
	seq, err := st.Commit(t.Context(), c)
	if err != nil {
		t.Fatalf("commit %s revision %d: %v", c.Session.ID, c.Session.Rev, err)
	}
	return c.Session, seq
}

func create(t *testing.T, st supervisor.Store, n int) session.Session {
	t.Helper()
	s, _ := commit(t, st, Step(New(n), "Created"))
	return s
}

func get(t *testing.T, st supervisor.Store, id session.ID) session.Session {
	t.Helper()
	s, err := st.Get(t.Context(), id)
	if err != nil {
		t.Fatalf("get %s: %v", id, err)
	}
	return s
}

func journal(t *testing.T, st supervisor.Store, id session.ID, after int64, limit int) []session.Entry {
	t.Helper()
	es, err := st.Journal(t.Context(), id, after, limit)
	if err != nil {
		t.Fatalf("journal after %d: %v", after, err)
	}
	return es
}

func head(t *testing.T, st supervisor.Store) int64 {
	t.Helper()
	n, err := st.Head(t.Context())
	if err != nil {
		t.Fatalf("head: %v", err)
	}
	return n
}

func load(t *testing.T, st supervisor.Store) []session.Session {
	t.Helper()
	ss, err := st.Load(t.Context())
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return ss
}

func ids(ss []session.Session) []session.ID {
	out := []session.ID{}
	for _, s := range ss {
		out = append(out, s.ID)
	}
	return out
}

func archive(t *testing.T, st supervisor.Store, s session.Session, at time.Time) session.Session {
	t.Helper()
	s.State = session.Dead
	s.Life.Closed = &session.Closed{At: at, Reason: "a person closed it"}
	s, _ = commit(t, st, Step(s, "Close"))
	return s
}

// shuffled is 0 to n-1 in some order.
func shuffled(n int) []int { return rand.Perm(n) }

var background = context.Background()
