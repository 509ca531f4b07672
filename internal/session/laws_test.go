package session

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// unlawful names the law that a step breaks, "" if none. It holds for any
// session, also for one that no history leads to.
func unlawful(before Session, e Event, after Session, effects []Effect) string {
	for _, f := range effects {
		if ref, ok := runOf(f); ok && ref != after.Ref() && !(ref == before.Ref() && EffectName(f) == "ReleaseRun") {
			return "an effect on another run: " + EffectName(f)
		}
	}
	_, byPerson := e.What.(Command)
	_, read := e.What.(ExitRead)
	begins := after.Process.Run > before.Process.Run
	killed := before.State == Dead && before.Reason == Killed
	closes := after.Life.Closed != nil && before.Life.Closed == nil
	switch {
	case begins && !mayBegin(before, e):
		return "a new run that nobody asked for"
	case begins && before.State == Done && !byPerson && before.Life.Intent != IntentRestart:
		return "what is done was run again"
	case killed && after.State != Dead && !begins:
		return "a killed session came to life"
	case read && closes && (!before.Process.Exit.Clean() || badSweep(after)):
		return "a read archived what did not end cleanly"
	case !byPerson && before.Life.Closed != nil && (after.Life.Closed == nil || after.State != before.State):
		return "an archived session was touched"
	}
	return ""
}

// mayBegin: a new run begins by its creation, by a person's word, now or once
// the present run has ended, and at the end of a backoff.
func mayBegin(s Session, e Event) bool {
	switch w := e.What.(type) {
	case Created, ResumeNow, Retry:
		return true
	case ProcessEnded, LaunchFailed:
		return s.Life.Intent == IntentRestart
	case DeadlinePassed:
		return w.Kind == RelaunchDeadline && s.State == Resuming && s.Ended()
	}
	return false
}

// runOf is the run that an effect names; a reminder names none.
func runOf(f Effect) (RunRef, bool) {
	v := reflect.ValueOf(f).FieldByName("Ref")
	if !v.IsValid() {
		return RunRef{}, false
	}
	return v.Interface().(RunRef), true
}

// unlawfulAt names the law that a session breaks which a history has led to, ""
// if none.
func unlawfulAt(s Session) string {
	for _, f := range Pending(s) {
		if ref, ok := runOf(f); ok && ref != s.Ref() {
			return "still wanted, on another run: " + EffectName(f)
		}
	}
	switch {
	case s.Resume.Attempts > s.Spec.Policy.MaxResumes+1:
		return "more attempts than the budget has"
	case len(s.Resume.Crashes) > s.Spec.Policy.MaxCrashes+1:
		return "more crashes than lead to another run"
	case s.Life.Closed != nil && len(Deadlines(s)) > 0:
		return "an archived session waits"
	case !hasWayOut(s):
		return "nothing leads out of " + string(s.State)
	case s.State == Resuming && !s.Resume.ProvenAt.IsZero() && !s.Ended():
		return "a resume that is proven and still in progress"
	case endedUnnoticed(s):
		return "the process has ended and the state does not say so"
	case s.Turn.Open && s.Turn.DoneSeen:
		return "a turn that is done and open"
	}
	for _, law := range []func(Session) string{dueInTime, jumpsAlong, survivesJSON} {
		if wrong := law(s); wrong != "" {
			return wrong
		}
	}
	return ""
}

// hasWayOut: a live session waits for a deadline, or a person can change it.
func hasWayOut(s Session) bool {
	if s.Life.Closed != nil || s.State == Dead || len(Deadlines(s)) > 0 {
		return true
	}
	return slices.ContainsFunc([]What{Stop{}, ResumeNow{}, Retry{}, Close{}}, func(w What) bool {
		got, effects, err := Apply(s, Event{At: s.Life.UpdatedAt, Source: FromPerson, What: w})
		return err == nil && (len(effects) > 0 || got.State != s.State || got.Life.Closed != nil)
	})
}

// endedUnnoticed: only while the truth is looked for may an ended process be in
// a state that says it lives, and a resume must be on its way.
func endedUnnoticed(s Session) bool {
	if !s.Ended() || s.Life.Closed != nil {
		return false
	}
	switch s.State {
	case Starting, Ready, Busy, WaitingOnInput, Idle, Resuming:
		return !slices.ContainsFunc(Deadlines(s), func(d Deadline) bool {
			return d.Kind == TruthDeadline || s.State == Resuming && d.Kind == RelaunchDeadline
		})
	case Done, Dead, NeedsAttention:
	}
	return false
}

// dueInTime: every deadline has a time, is taken when it is due, and is not due
// again in the same instant.
func dueInTime(s Session) string {
	for _, d := range Deadlines(s) {
		if d.At.Before(epoch.Add(-24 * time.Hour)) {
			return fmt.Sprintf("%s was due at %s", d.Kind, d.At)
		}
		got, _, err := Apply(s, Event{At: d.At, Source: FromSupervisor, What: DeadlinePassed{d.Kind}})
		if err != nil {
			return fmt.Sprintf("%s is due and not taken: %v", d.Kind, err)
		}
		for _, next := range Deadlines(got) {
			if next.Kind == d.Kind && !next.At.After(d.At) {
				return fmt.Sprintf("%s is due again at once", d.Kind)
			}
		}
	}
	return ""
}

// jumpsAlong: a jump of the clock moves every deadline by as much.
func jumpsAlong(s Session) string {
	for _, by := range []time.Duration{-3 * time.Hour, 5 * time.Second} {
		want := Deadlines(s)
		for i := range want {
			want[i].At = want[i].At.Add(by)
		}
		got, _, err := Apply(s, Event{At: s.Life.UpdatedAt.Add(by), Source: FromSupervisor, What: ClockJumped{By: by}})
		if have := Deadlines(got); err != nil || !reflect.DeepEqual(have, want) {
			return fmt.Sprintf("after a jump by %s it waits for %v, not %v (%v)", by, have, want, err)
		}
	}
	return ""
}

// survivesJSON: what is stored and read back is the same session.
func survivesJSON(s Session) string {
	var back Session
	if err := json.Unmarshal([]byte(image(s)), &back); err != nil {
		return err.Error()
	}
	if len(s.Queue) == 0 {
		s.Queue = nil // an emptied queue is none
	}
	if !reflect.DeepEqual(s, back) {
		return fmt.Sprintf("read back it is another:\n%+v\n%+v", s, back)
	}
	return ""
}

// TestLawsHoldInTales holds every session that a story passes through to them.
func TestLawsHoldInTales(t *testing.T) {
	for k, script := range windowed() {
		s := Session{}
		for line := range strings.Lines(script) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			s, _, _ = checked(t, s, parseEvent(t, s, line))
			if wrong := unlawfulAt(s); wrong != "" {
				t.Errorf("%s: after %s: %s", k, line, wrong)
			}
		}
	}
}
