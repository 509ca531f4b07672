package session

import "fmt"

// This file is what people, and the agent by `tend done`, may ask for. A
// refusal names what stands in the way and the remedy.

func (t *step) command(c Command) error {
	if t.s.ID == "" {
		return &InvalidTransitionError{Intent: t.e.Name(), Why: "there is no such session"}
	}
	if t.e.Run != 0 && t.e.Run != t.s.Process.Run {
		return t.refuse(fmt.Sprintf("it is about run %d, the present run is %d", t.e.Run, t.s.Process.Run))
	}
	if t.s.Life.Closed != nil && !actsOnArchive(c) {
		return t.refuse("it is archived: tend reopen brings it back")
	}
	switch w := c.(type) {
	case Send:
		return t.send(w)
	case Answer:
		return t.answer(w)
	case Interrupt:
		return t.interrupt()
	case Stop:
		return t.stop()
	case ResumeNow:
		return t.resumeNow()
	case Retry:
		return t.retry()
	case Confirm:
		return t.confirm(w)
	case Dismiss:
		return t.dismiss()
	case Keep:
		t.s.Life.Kept = w.On
	case Close:
		return t.close(w)
	case Reopen:
		return t.reopen()
	case Rename:
		t.s.Name = w.Name
	case AgentDone:
		return t.agentDone(w)
	default:
		return fmt.Errorf("unknown command %T", w)
	}
	return nil
}

func actsOnArchive(c Command) bool {
	switch c.(type) {
	case ResumeNow, Retry, Reopen, Keep, Rename, Stop, Close:
		return true
	}
	return false
}

func (t *step) refuse(why string) error {
	return &InvalidTransitionError{From: t.s.State, Intent: t.e.Name(), Why: why}
}

func (t *step) send(w Send) error {
	switch {
	case t.s.Spec.Kind == Job:
		return t.refuse("a job's terminal is read-only")
	case t.s.Ended() && t.s.State != Resuming:
		return t.refuse("its process has ended: tend resume or tend retry starts it again")
	case t.s.Life.Intent != NoIntent:
		return t.refuse("it is being stopped")
	case t.s.State == NeedsAttention && !takesPrompts(t.s):
		return t.refuse(fmt.Sprintf("it needs a person (%s): tend attach shows its screen", t.cause()))
	}
	t.enqueue(Prompt{ID: w.PromptID, Text: w.Text, Sanitised: w.Sanitised})
	if t.s.Attention != nil {
		a := *t.s.Attention
		a.Helped = true
		t.s.Attention = &a
	}
	return nil
}

func (t *step) answer(w Answer) error {
	switch {
	case t.s.State != WaitingOnInput:
		return t.refuse("it asks nothing: tend send gives it a prompt")
	case t.s.Ended():
		return t.refuse("its process has ended, and its question with it")
	case t.s.Spec.Kind == Job:
		return t.refuse("a job's terminal is read-only: tend stop ends it")
	}
	t.do(TypeAnswer{Ref: t.s.Ref(), AnswerID: w.AnswerID, Text: w.Text, Key: w.Key})
	return nil
}

func (t *step) interrupt() error {
	switch {
	case t.s.Ended():
		return t.refuse("its process has ended")
	case t.s.Spec.Kind == Job:
		return t.refuse("a job's terminal is read-only: tend stop ends it")
	case t.s.State == Starting || t.s.State == Ready || t.s.State == Done || t.s.State == Resuming:
		return t.refuse("no turn is open")
	}
	t.do(TypeInterrupt{Ref: t.s.Ref()})
	return nil
}

// stop is idempotent: what has ended already stays as it is.
func (t *step) stop() error {
	switch {
	case !t.s.Ended():
		if t.s.Life.Intent != IntentClose {
			t.s.Life.Intent = IntentStop
		}
		t.s.Why = "stopping, as a person asked"
		t.do(StopProcess{Ref: t.s.Ref()})
	case undecided(t.s):
		t.s.Life.Intent = IntentStop
		t.endKilled()
	case t.s.Process.Exit != nil && len(t.s.Process.Exit.LeftBehind) > 0:
		t.do(StopProcess{Ref: t.s.Ref()}) // what it left behind
	}
	return nil
}

// undecided reports whether the machine has yet to say what follows from the end
// of the process. What is done stays done.
func undecided(s Session) bool { return s.State == Resuming || seeksTruth(s) && s.State != Done }

func (t *step) resumeNow() error {
	switch {
	case !t.s.Ended():
		return t.refuse("it runs: tend attach shows it, tend stop ends it")
	case t.s.Spec.Kind == Job || !t.s.Spec.Caps.Resume:
		t.startAfresh("started again by a person; " + t.s.Spec.Agent + " has no conversation to resume")
		return nil
	case t.s.NativeID() == "":
		return t.refuse("its conversation has no known id: tend retry starts a fresh one")
	}
	t.s.Resume = Resume{ByPerson: true}
	t.s.Reason = ""
	t.relaunch()
	return nil
}

func (t *step) retry() error {
	if !t.s.Ended() {
		t.s.Life.Intent = IntentRestart
		t.s.Why = "stopping, to start afresh"
		t.do(StopProcess{Ref: t.s.Ref()})
		return nil
	}
	t.startAfresh("started afresh by a person")
	return nil
}

func (t *step) confirm(w Confirm) error {
	if t.s.State != Idle && t.s.State != NeedsAttention {
		return t.refuse("only what looks finished or needs attention can be confirmed as done")
	}
	t.complete(w.Summary)
	return nil
}

func (t *step) dismiss() error {
	if t.s.Attention == nil {
		return t.refuse("it does not ask for attention")
	}
	a := *t.s.Attention
	a.Acknowledged = true
	t.s.Attention = &a
	return nil
}

func (t *step) close(w Close) error {
	if t.s.Life.Closed != nil {
		return nil
	}
	if !t.s.Ended() {
		t.s.Life.Intent = IntentClose
		t.s.Why = "stopping, to be closed"
		t.do(StopProcess{Ref: t.s.Ref()})
		return nil
	}
	if undecided(t.s) {
		t.s.Life.Intent = IntentClose
		t.endKilled()
		return nil
	}
	t.archive(w.Reason)
	return nil
}

// archive takes the session off the list. Nothing of it is deleted.
func (t *step) archive(reason string) {
	if reason == "" {
		reason = "closed by a person"
	}
	t.s.Process.Seeking = false
	t.s.Life.Closed = &Closed{At: t.e.At, Reason: reason}
}

func (t *step) reopen() error {
	if t.s.Life.Closed == nil {
		return t.refuse("it is not archived")
	}
	t.s.Life.Closed = nil
	t.s.Life.Kept = true // a person wants to see it: the sweep leaves it alone
	return nil
}

func (t *step) agentDone(w AgentDone) error {
	if t.s.Ended() {
		return t.refuse("its process has ended")
	}
	if t.s.State != Done {
		t.complete(w.Summary)
	}
	return nil
}
