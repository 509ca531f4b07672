package session

import "time"

// Candidate is an ended session as the sweep rule sees it.
type Candidate struct {
	Exit *Exit // nil: no exit was seen
	// ExitAt is when the exit was first seen.
	ExitAt time.Time
	// Reads is how many authoritative reads in a row agree on this exit.
	Reads    int
	InFlight bool // a start, attach or relaunch is in flight
	Closing  bool
	// StartedAt is when the last start, attach or relaunch finished; zero when
	// none is on record.
	StartedAt time.Time
	MinAge    time.Duration // 10 000 ms
	MinReads  int           // 2
}

// CleanExit reports an explicit status 0 with no signal reported.
func (c Candidate) CleanExit() bool { return c.Exit.Clean() }

// ShouldClose is the sweep rule (DESIGN 4.5): when an exited session may close
// itself.
func (c Candidate) ShouldClose() bool {
	switch {
	case c.Closing, c.InFlight, !c.CleanExit(), c.Reads < c.MinReads:
		return false
	case c.StartedAt.IsZero():
		return true
	}
	return c.ExitAt.Sub(c.StartedAt) >= c.MinAge
}

func candidate(s Session) Candidate {
	return Candidate{
		Exit: s.Process.Exit, ExitAt: s.Process.EndedAt, Reads: s.Sweep.Reads,
		InFlight: !s.Ended(), Closing: s.Life.Closed != nil || s.Life.Intent != NoIntent,
		StartedAt: s.Process.AgeFrom, MinAge: s.Spec.Policy.SweepAge, MinReads: s.Spec.Policy.SweepReads,
	}
}

// sweepable reports whether only more reads are missing, or a viewer stands in
// the way: then the exit is read again.
func sweepable(s Session) bool {
	return !s.Spec.Policy.NoSweep && (s.State == Dead || s.State == Done) && s.Process.Phase == Exited &&
		!s.Sweep.Tried && SweepKeeps(s) == ""
}

// SweepKeeps names the rule that keeps an ended session on the list, "" when
// the sweep may close it once its exit has been read often enough.
func SweepKeeps(s Session) string {
	c := candidate(s)
	c.Reads = c.MinReads
	switch {
	case s.Life.Kept:
		return "it is kept"
	case s.Spec.Policy.NoSweep:
		return "the sweep is off"
	case len(s.Queue) > 0 && queued(s):
		return "a prompt is queued"
	case s.Attention != nil && !s.Attention.Acknowledged:
		return "it needs attention"
	case s.State == Resuming || s.State == NeedsAttention:
		return "it did not end well"
	case !s.Process.Exit.Clean():
		return "its exit was not clean: " + DescribeExit(s.Process.Exit)
	case s.Sweep.Tried:
		return "one attempt was made for this exit"
	case !c.ShouldClose():
		return "it ended within " + c.MinAge.String() + " of its start"
	}
	return ""
}

func queued(s Session) bool {
	for _, p := range s.Queue {
		if p.State == PromptQueued || p.InFlight() {
			return true
		}
	}
	return false
}

// exitRead counts authoritative reads that agree, and closes when the rule is
// met. A failed read neither confirms nor retracts; anything different starts
// again at one.
func (t *step) exitRead(w ExitRead) {
	switch {
	case t.s.Process.Phase != Exited:
		t.ignore("no exit is on record to compare it with")
		return
	case w.Failed || w.Exit == nil:
		t.ignore("the read failed, and proves nothing")
		return
	case !sameExit(w.Exit, t.s.Process.Exit):
		t.s.Process.Exit = w.Exit
		t.s.Sweep = Sweep{Reads: 1, FirstSeen: t.e.At}
		return
	}
	t.s.Sweep.Reads++
	if !sweepable(t.s) || w.Viewers > 0 || t.e.At.Sub(t.s.Sweep.FirstSeen) < t.s.Spec.Policy.SweepSettle {
		return
	}
	if c := candidate(t.s); c.ShouldClose() {
		t.s.Sweep.Tried = true
		t.archive("agent exited cleanly (status 0)")
	}
}

func sameExit(a, b *Exit) bool {
	eq := func(x, y *int) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	return a != nil && b != nil && eq(a.Code, b.Code) && eq(a.Signal, b.Signal)
}
