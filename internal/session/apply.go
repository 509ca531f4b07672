package session

import (
	"fmt"
	"time"
)

// IgnoredError is an observation that changed nothing. It is journalled with
// Why: observations are never refused, and never lost.
type IgnoredError struct{ Why string }

func (e *IgnoredError) Error() string { return "ignored: " + e.Why }

// Apply is the one decider: it alone changes a session's state. It is total
// (any event in any state), deterministic, and has no clock.
//
// It returns the changed session and what is to be done about it once the
// change is durable. A refused command returns *InvalidTransitionError, an
// observation that changed nothing *IgnoredError; both return s as it was, save
// that a hook which is ignored is not read again.
func Apply(s Session, e Event) (Session, []Effect, error) {
	t := &step{s: s, e: e}
	if err := t.dispatch(); err != nil {
		return s, nil, err
	}
	if t.ignored != "" {
		return hooksTaken(s, e), nil, &IgnoredError{Why: t.ignored}
	}
	t.s = hooksTaken(t.s, e)
	t.pumpPrompts()
	t.s.Process.ReadTo = max(t.s.Process.ReadTo, e.Offset)
	t.s.Rev++
	t.s.Life.UpdatedAt = e.At
	return t.s, t.out, nil
}

// hooksTaken is s with the hook of e counted as read: exactly once, whatever came
// of it.
func hooksTaken(s Session, e Event) Session {
	if e.Run == s.Process.Run {
		s.Process.HooksTo = max(s.Process.HooksTo, e.HookOffset)
	}
	return s
}

// step is one application of one event. Slices and pointers of s are shared
// with the session it came from: they are replaced, never written through.
type step struct {
	s       Session
	e       Event
	out     []Effect
	ignored string
}

func (t *step) dispatch() error {
	if c, ok := t.e.What.(Command); ok {
		return t.command(c)
	}
	if t.ignored = t.stale(); t.ignored == "" {
		t.observe()
	}
	return nil
}

// observe is the table of DESIGN 4.2, a method a row.
func (t *step) observe() {
	switch w := t.e.What.(type) {
	case Created:
		t.created(w)
	case Launched:
		t.launched(w)
	case LaunchFailed:
		t.launchFailed(w)
	case ReadySeen:
		t.ready()
	case TurnStarted:
		t.turnStarted(w)
	case Progress:
		t.progress()
	case ToolActivity:
		t.toolActivity(w)
	case QuietSeen:
		t.quiet(w)
	case Asked:
		t.asked(w)
	case BusySeen:
		t.busy()
	case DoneSeen:
		t.done(w)
	case Interrupted:
		t.interrupted()
	case DeadlinePassed:
		t.deadlinePassed(w)
	case ResumeProven:
		t.resumeProven(w)
	case ResumeFailed:
		t.resumeFailed(w)
	case Escalate:
		t.escalate(w)
	case ProcessEnded:
		t.processEnded(w)
	case ExitRead:
		t.exitRead(w)
	case NativeSeen:
		t.nativeSeen(w)
	case ForeignSeen:
		t.ignore("it is about another conversation: " + w.ID)
	case PromptMoved:
		t.promptMoved(w)
	case StopFinished:
		t.stopFinished(w)
	case OutputLost:
		t.outputLost(w)
	case SuspendSeen:
		t.suspendSeen(w)
	case HooksSilent:
		t.hooksSilent(w)
	case InputFailed:
		t.s.Why = "it was not typed: " + w.Detail
	case ClockJumped:
		t.clockJumped(w)
	case Loaded:
		t.loaded()
	default:
		t.ignore(fmt.Sprintf("unknown event %T", w))
	}
}

// stale says why an observation is not about this session as it is now, "" when
// it is.
func (t *step) stale() string {
	_, isCreated := t.e.What.(Created)
	switch {
	case isCreated != (t.s.ID == ""):
		return "a session is created once"
	case t.e.Run != 0 && t.e.Run != t.s.Process.Run:
		return fmt.Sprintf("news of run %d, the present run is %d", t.e.Run, t.s.Process.Run)
	case !isTurnEvidence(t.e.What):
		return ""
	case t.s.Ended():
		return "the process has ended"
	case t.s.Resume.FailedRun == t.s.Process.Run:
		return "this attempt to resume has failed, and is being stopped"
	case t.e.Turn != 0 && t.e.Turn < t.s.Turn.Number:
		return fmt.Sprintf("news of turn %d, the present turn is %d", t.e.Turn, t.s.Turn.Number)
	case t.e.At.Before(t.s.Evidence.At) && trust(t.e.Source) < trust(t.s.Evidence.Source):
		return fmt.Sprintf("the state rests on newer and better evidence (%s)", t.s.Evidence.Source)
	}
	return ""
}

// isTurnEvidence reports whether an observation is about what a living agent is
// doing. Once the process has ended such news changes nothing.
func isTurnEvidence(w What) bool {
	switch w.(type) {
	case ReadySeen, TurnStarted, Progress, ToolActivity, QuietSeen, Asked, BusySeen, DoneSeen, Interrupted, ResumeProven:
		return true
	}
	return false
}

// trust ranks the sources: person > hook > transcript > title > screen > quiet.
func trust(s Source) int {
	switch s {
	case FromPerson, FromHolder, FromSupervisor:
		return 6
	case FromHook:
		return 5
	case FromTranscript:
		return 4
	case FromTitle:
		return 3
	case FromScreen:
		return 2
	case FromQuiet:
		return 1
	case FromTerminal:
	}
	return 0
}

// ignore records that the event changes nothing.
func (t *step) ignore(why string) { t.ignored = why }

// to changes the state. why is the event's own evidence, or else usual.
func (t *step) to(st State, usual string) {
	t.s.Why = usual
	if t.e.Why != "" {
		t.s.Why = t.e.Why
	}
	if t.s.State != st {
		t.s.Life.StateAt = t.e.At
	}
	t.s.State = st
	t.s.Evidence = Evidence{Source: t.e.Source, At: t.e.At}
	t.s.Life.ArmedAt = t.e.At
	if st != WaitingOnInput {
		if t.s.Waiting != nil {
			t.s.Life.FreeAt = t.e.At // what was typed was the answer
		}
		t.s.Waiting = nil
	}
	if st != Resuming {
		t.s.Resume.NextAt = time.Time{}
	}
	if st != NeedsAttention {
		t.s.Attention, t.s.Interrupts = nil, ""
	}
	if !t.s.Ended() && (st == Ready || st == Busy || st == Idle || st == Done) {
		t.s.Process.WasReady = true // a question may be about the start itself
	}
}

func (t *step) attention(c Cause, detail string) {
	if t.s.State != NeedsAttention {
		t.s.Interrupts = t.s.State
	}
	since := t.e.At
	interrupts := t.s.Interrupts
	t.to(NeedsAttention, detail)
	t.s.Interrupts = interrupts
	t.s.Attention = &Attention{Cause: c, Detail: detail, Since: since}
}

func (t *step) do(e ...Effect) { t.out = append(t.out, e...) }

func (t *step) created(w Created) {
	at := t.e.At
	t.s = Session{
		ID: w.ID, Node: w.Node, Name: w.Name, Spec: w.Spec,
		Process: Process{Run: max(w.Run-1, 0), Phase: NoProcess},
		Life:    Life{CreatedAt: at, StateAt: at, ArmedAt: at, Kept: w.Kept},
	}
	if w.Prompt != "" {
		t.enqueue(Prompt{ID: w.PromptID, Text: w.Prompt, Sanitised: w.Sanitised})
	}
	t.launch(Starting, "starting "+w.Spec.Agent)
	if w.Native != "" {
		t.s.Native = []NativeID{{ID: w.Native, At: at, Run: t.s.Process.Run}}
	}
}

// launch records a new run, and the wish to start it.
func (t *step) launch(st State, why string) {
	t.s.Process = Process{Phase: Launching, Run: t.s.Process.Run + 1}
	t.s.Sweep = Sweep{}
	t.s.Life.Intent = NoIntent
	t.s.Life.Closed = nil
	t.s.Resume.ReadyAt, t.s.Resume.ProvenAt, t.s.Resume.NextAt = time.Time{}, time.Time{}, time.Time{}
	t.s.Resume.Unproven = st == Resuming
	t.to(st, why)
	t.do(startEffect(t.s))
}

func (t *step) launched(w Launched) {
	if t.s.Process.Phase != Launching {
		t.ignore("the process is on record already")
		return
	}
	p := &t.s.Process
	p.Phase, p.Proof, p.StartedAt, p.AgeFrom = Running, w.Proof, w.StartedAt, w.StartedAt
	if p.StartedAt.IsZero() {
		p.StartedAt, p.AgeFrom = t.e.At, t.e.At
	}
	t.s.Life.ArmedAt = t.e.At
	if t.s.Spec.Kind == Job && t.s.State == Starting {
		t.openTurn("")
		t.to(Busy, "the job runs")
	}
	if toBeStopped(t.s) {
		t.do(StopProcess{Ref: t.s.Ref()})
	}
}

// toBeStopped reports whether the present run is to end: somebody asked for it,
// or it is an attempt to resume that came to nothing.
func toBeStopped(s Session) bool {
	return s.Life.Intent != NoIntent || s.Resume.FailedRun == s.Process.Run
}

// launchFailed: a session that never had a process is archived at once, so that
// a mistyped command leaves its record and no half-made session.
func (t *step) launchFailed(w LaunchFailed) {
	if t.s.Process.Phase != Launching {
		t.ignore("the process is on record already")
		return
	}
	first, intent := t.s.Process.Run == 1, t.s.Life.Intent
	t.s.Process.Phase, t.s.Process.EndedAt = NoProcess, t.e.At
	t.requeuePrompts()
	if intent == IntentStop || intent == IntentClose {
		t.endKilled()
		return
	}
	t.s.Life.Intent = NoIntent
	switch {
	case intent == IntentRestart && !first:
		t.startAfresh("started afresh, as a person asked")
	case t.s.Resume.FailedRun == t.s.Process.Run:
		t.s.Why = "the failed attempt never had a process: " + w.Detail
	case first:
		t.to(Dead, w.Detail)
		t.s.Life.Closed = &Closed{At: t.e.At, Reason: "never started: " + w.Detail}
	case t.s.State == Resuming && w.Kind == "badDirectory":
		t.attention(WorktreeMissing, w.Detail)
	case t.s.State == Resuming:
		t.failedAttempt(w.Detail)
	default:
		t.attention(StartupFailed, w.Detail)
	}
}

func (t *step) nativeSeen(w NativeSeen) {
	if w.ID == "" || w.ID == t.s.NativeID() {
		t.ignore("nothing new")
		return
	}
	t.s.Native = append(t.s.Native[:len(t.s.Native):len(t.s.Native)], NativeID{ID: w.ID, At: t.e.At, Run: t.s.Process.Run})
}

func (t *step) stopFinished(w StopFinished) {
	if len(w.LeftBehind) == 0 {
		t.ignore("nothing survived it")
		return
	}
	t.s.Process.LeftBehind = w.LeftBehind
	t.s.Why = fmt.Sprintf("stopped; these processes survived it: %v", w.LeftBehind)
}

// outputLost counts what is missing; what the agent did is told by other output.
func (t *step) outputLost(w OutputLost) {
	if w.To <= w.From {
		t.ignore("nothing is missing")
		return
	}
	t.s.Process.OutputLost += w.To - w.From
}

func (t *step) suspendSeen(w SuspendSeen) {
	if t.s.Ended() || t.s.Process.Stopped == w.Stopped {
		t.ignore("nothing new")
		return
	}
	t.s.Process.Stopped = w.Stopped
	if !w.Stopped {
		t.s.Life.ArmedAt = t.e.At
	}
}

// hooksSilent: an agent whose hooks are not heard is judged by its screen alone,
// and that is said.
func (t *step) hooksSilent(w HooksSilent) {
	if t.s.Ended() || t.s.Process.HooksSilent == w.Silent {
		t.ignore("nothing new")
		return
	}
	t.s.Process.HooksSilent = w.Silent
}

// caps is what the agent is able to tell in the present run.
func caps(s Session) Caps {
	c := s.Spec.Caps
	if s.Process.HooksSilent {
		c.NativeReady, c.NativeDone, c.NativeWaiting, c.Confirms = false, false, false, false
	}
	return c
}
