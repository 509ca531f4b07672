package session

import (
	"slices"
	"time"
)

// Deadlines lists what a session waits for, earliest first. It is computed from
// stored times alone, so that a restarted daemon arms the same deadlines.
// Waiting for a person has no deadline, only reminders.
func Deadlines(s Session) []Deadline {
	var out []Deadline
	add := func(k DeadlineKind, from time.Time, d time.Duration) {
		if d > 0 {
			out = append(out, Deadline{Kind: k, At: from.Add(d)})
		}
	}
	if s.Life.Closed != nil {
		return nil
	}
	stateDeadlines(s, add)
	p := s.Spec.Policy
	if i := slices.IndexFunc(s.Queue, func(q Prompt) bool { return q.State == PromptSubmitted }); i >= 0 && !s.Ended() && s.State != WaitingOnInput {
		add(PromptDeadline, s.Queue[i].StepAt, p.PromptAccepted)
	}
	if seeksTruth(s) {
		add(TruthDeadline, s.Sweep.FirstSeen, p.ExitTruth)
	}
	if s.Process.Phase == Running && s.State != Resuming && s.Resume.Attempts > 0 && !s.Resume.ProvenAt.IsZero() {
		add(HealthyDeadline, s.Resume.ProvenAt, p.Healthy)
	}
	if sweepable(s) {
		from := s.Sweep.FirstSeen
		if s.Sweep.AskedAt.After(from) {
			from = s.Sweep.AskedAt // a read that does not answer is asked again
		}
		add(SweepDeadline, from, p.SweepSettle)
	}
	slices.SortStableFunc(out, func(a, b Deadline) int { return a.At.Compare(b.At) })
	return out
}

func stateDeadlines(s Session, add func(DeadlineKind, time.Time, time.Duration)) {
	p, running := s.Spec.Policy, s.Process.Phase == Running
	switch s.State {
	case Starting:
		if running {
			add(StartupDeadline, s.Life.ArmedAt, p.StartupTimeout)
		}
	case Busy:
		switch {
		case !running:
		case s.Turn.Tool || s.Spec.Kind == Job:
			add(StallDeadline, s.Life.ArmedAt, p.ToolStall)
		default:
			add(StallDeadline, s.Life.ArmedAt, p.Stall)
		}
	case WaitingOnInput:
		if running && s.Waiting != nil && s.Waiting.Reminded < len(Reminders) {
			add(ReminderDeadline, s.Life.ArmedAt, Reminders[s.Waiting.Reminded])
		}
	case Resuming:
		switch {
		case seeksTruth(s):
		case s.Ended():
			add(RelaunchDeadline, s.Resume.NextAt, time.Nanosecond)
		case !running || s.Resume.FailedRun == s.Process.Run:
		case !s.Resume.ReadyAt.IsZero():
			add(SettleDeadline, s.Resume.ReadyAt, max(p.ResumeSettle, time.Nanosecond))
		default:
			add(ProofDeadline, s.Life.ArmedAt, p.ResumeProof)
		}
	case Ready, Idle, Done, Dead, NeedsAttention:
	}
}

// deadlinePassed acts on a deadline that is due by the stored times. One that
// is not was armed for something that has changed since.
func (t *step) deadlinePassed(w DeadlinePassed) {
	due := slices.ContainsFunc(Deadlines(t.s), func(d Deadline) bool { return d.Kind == w.Kind && !d.At.After(t.e.At) })
	if !due {
		t.ignore("not due: what it waited for has changed")
		return
	}
	switch w.Kind {
	case StartupDeadline:
		t.attention(StartupTimeout, "not ready "+t.s.Spec.Policy.StartupTimeout.String()+" after its start")
	case StallDeadline:
		t.stalled()
	case PromptDeadline:
		t.promptLost("the agent gave no sign of taking the prompt within " + t.s.Spec.Policy.PromptAccepted.String())
	case RelaunchDeadline:
		t.relaunch()
	case ProofDeadline:
		t.attention(StartupTimeout, "resumed, and not proven to continue after "+t.s.Spec.Policy.ResumeProof.String())
	case SettleDeadline:
		t.resumeProven(ResumeProven{})
	case ReminderDeadline:
		q := *t.s.Waiting
		q.Reminded++
		t.s.Waiting = &q
		t.do(Remind{Count: q.Reminded})
	case TruthDeadline:
		t.truthMissing()
	case HealthyDeadline:
		t.s.Resume.Attempts = 0
	case SweepDeadline:
		t.s.Sweep.AskedAt = t.e.At
		t.do(ReadExit{Ref: t.s.Ref()})
	}
}

func (t *step) stalled() {
	d := t.s.Spec.Policy.Stall
	if t.s.Turn.Tool || t.s.Spec.Kind == Job {
		d = t.s.Spec.Policy.ToolStall
	}
	why := "no progress for " + d.String()
	if t.s.Process.Stopped {
		why += "; the process is suspended (state T), continue it with SIGCONT"
	}
	t.attention(Stalled, why)
}

// windows are the times that deadlines and ages are counted from. The ages of
// what has ended are settled. Times that people see are not among them.
func (t *step) windows() []*time.Time {
	s := &t.s
	out := []*time.Time{&s.Life.ArmedAt, &s.Resume.NextAt, &s.Resume.ReadyAt, &s.Resume.ProvenAt, &s.Sweep.FirstSeen, &s.Sweep.AskedAt, &s.Evidence.At}
	if !s.Ended() {
		out = append(out, &s.Process.AgeFrom)
	}
	s.Queue, s.Resume.Crashes = slices.Clone(s.Queue), slices.Clone(s.Resume.Crashes)
	for i := range s.Queue {
		out = append(out, &s.Queue[i].StepAt)
	}
	for i := range s.Resume.Crashes {
		out = append(out, &s.Resume.Crashes[i])
	}
	return out
}

// clockJumped moves every open window along, so that no deadline fires by the
// jump alone, and none waits longer.
func (t *step) clockJumped(w ClockJumped) {
	if w.By == 0 {
		t.ignore("no jump")
		return
	}
	for _, at := range t.windows() {
		if !at.IsZero() {
			*at = at.Add(w.By)
		}
	}
}

// loaded: a daemon has read the session back. Windows that were never opened,
// and those that the clock has since fallen behind, are opened now; what is
// still wanted is done again.
func (t *step) loaded() {
	s, wait := &t.s, Backoff(t.s)
	if s.State == Resuming && s.Ended() && !seeksTruth(*s) && (s.Resume.NextAt.IsZero() || s.Resume.NextAt.After(t.e.At.Add(wait))) {
		s.Resume.NextAt = t.e.At.Add(wait)
	}
	next := s.Resume.NextAt
	for _, at := range t.windows() {
		if at.After(t.e.At) {
			*at = t.e.At
		}
	}
	s.Resume.NextAt = next
	unset := []*time.Time{&s.Life.ArmedAt}
	if s.Ended() {
		unset = append(unset, &s.Sweep.FirstSeen)
	} else {
		unset = append(unset, &s.Process.AgeFrom)
	}
	for i := range s.Queue {
		unset = append(unset, &s.Queue[i].StepAt)
	}
	for _, at := range unset {
		if at.IsZero() {
			*at = t.e.At
		}
	}
	t.settleTyping()
	t.do(Pending(t.s)...)
}
