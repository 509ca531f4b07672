package agent

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
)

var dawn = time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)

// story is a watch with the real machine behind it, on a clock of its own.
type story struct {
	t      *testing.T
	w      *Watch
	s      session.Session
	now    time.Time
	lines  []string // events as "state: Event(source)"
	whys   []string
	read   int64 // output so far
	hooked int64 // hooks so far
}

func newStory(t *testing.T, kind session.Kind) *story {
	t.Helper()
	return newStoryOf(t, generic, kind)
}

func newStoryOf(t *testing.T, a *Agent, kind session.Kind) *story {
	t.Helper()
	st := &story{t: t, now: dawn}
	spec := session.Spec{Agent: a.Name, Caps: a.Caps, Argv: []string{"sh"}, Host: "pty", Kind: kind, Policy: session.DefaultPolicy(), Size: session.Size{Cols: 80, Rows: 24}}
	st.apply(session.Event{What: session.Created{ID: "S1", Name: "s", Spec: spec}})
	st.apply(session.Event{What: session.Launched{StartedAt: st.now}})
	var err error
	if st.w, err = a.NewWatch(st.s, spec.Size, nil); err != nil {
		t.Fatal(err)
	}
	st.feed(session.Resized{Size: spec.Size})
	st.feed(session.Viewers{})
	return st
}

func (st *story) apply(e session.Event) {
	st.t.Helper()
	if e.At.IsZero() {
		e.At = st.now
	}
	next, _, err := session.Apply(st.s, e)
	var ignored *session.IgnoredError
	if err != nil && !errors.As(err, &ignored) {
		st.t.Fatalf("%s: %v", e.Name(), err)
	}
	if ignored != nil {
		st.whys = append(st.whys, e.Name()+" ignored: "+ignored.Why)
	}
	st.s = next
	if st.w != nil {
		st.w.Know(st.s)
	}
}

func (st *story) take(events []session.Event) {
	st.t.Helper()
	for _, e := range events {
		if e.At.IsZero() || e.At.After(st.now) || e.Source == "" || e.Why == "" {
			st.t.Errorf("evidence without time, source or reason: %+v", e)
		}
		e.Run = st.s.Process.Run
		st.apply(e)
		st.lines = append(st.lines, fmt.Sprintf("%s(%s) -> %s", e.Name(), e.Source, st.s.State))
		st.whys = append(st.whys, fmt.Sprintf("%s %s: %s", e.At.Sub(dawn), e.Name(), e.Why))
	}
}

func (st *story) feed(e session.TerminalEvent) *story {
	st.t.Helper()
	st.take(st.w.Feed(st.now, e))
	return st
}

// prints is output of the agent.
func (st *story) prints(s string) *story {
	st.t.Helper()
	st.read += int64(len(s))
	return st.feed(session.Output{Offset: st.read - int64(len(s)), Data: []byte(s)})
}

// wait lets time pass, with a Tick whenever the watch asked for one.
func (st *story) wait(d time.Duration) *story {
	st.t.Helper()
	end := st.now.Add(d)
	for range 100_000 {
		at := st.w.Wake()
		if at.IsZero() || at.After(end) {
			st.now = end
			return st
		}
		if at.After(st.now) {
			st.now = at
		}
		st.take(st.w.Tick(st.now))
	}
	st.t.Fatal("the watch never stops asking for a call")
	return st
}

func (st *story) types(submitted bool) *story {
	st.t.Helper()
	return st.feed(session.Typed{At: st.now, By: session.FromPerson, Submitted: submitted, Unfinished: !submitted})
}

// sends is a prompt of ours: the text, its echo, the submit key.
func (st *story) sends(text, echo string) *story {
	st.t.Helper()
	st.apply(session.Event{What: session.Send{PromptID: "p", Text: text}})
	if _, err := st.w.Paste(text); err != nil {
		st.t.Fatal(err)
	}
	st.feed(session.Typed{At: st.now, By: session.FromSupervisor})
	st.wait(20 * time.Millisecond).prints(echo).wait(150 * time.Millisecond)
	if !st.w.Holds(text) {
		st.t.Errorf("the text is not seen in the input line:\n%s", strings.Join(st.w.Terminal().Text(), "\n"))
	}
	st.apply(session.Event{Source: session.FromSupervisor, What: session.PromptMoved{PromptID: "p", State: session.PromptTyped}})
	st.feed(session.Typed{At: st.now, By: session.FromSupervisor, Submitted: true})
	st.apply(session.Event{Source: session.FromSupervisor, What: session.PromptMoved{PromptID: "p", State: session.PromptSubmitted}})
	return st
}

// said checks the evidence given since the last call, and forgets it.
func (st *story) said(want ...string) *story {
	st.t.Helper()
	got := st.lines
	st.lines, st.whys = nil, nil
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		st.t.Errorf("got:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	return st
}
