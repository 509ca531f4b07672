package session

import "time"

// This file is the upper half of the table in DESIGN 4.2: what a living agent's
// signs lead to, state by state.

func (t *step) ready() {
	switch t.s.State {
	case Starting:
		t.to(Ready, "the agent takes prompts")
	case Resuming:
		t.readyAgain()
	case NeedsAttention:
		if t.cause() != StartupTimeout {
			t.ignore("readiness does not settle " + string(t.cause()))
			return
		}
		if t.s.Interrupts == Resuming {
			t.s.Resume.ReadyAt = time.Time{}
			t.to(Resuming, "")
			t.readyAgain()
			return
		}
		t.to(Ready, "the agent takes prompts, late")
	case Ready, Busy, WaitingOnInput, Idle, Done, Dead:
		t.ignore("already past its start")
	}
}

// cause is the cause of attention, "" without.
func (t *step) cause() Cause {
	if t.s.Attention == nil {
		return ""
	}
	return t.s.Attention.Cause
}

// openTurn begins a new turn unless one is open.
func (t *step) openTurn(native string) {
	t.s.Reason = ""
	if t.s.Turn.Open && !t.s.Turn.Failed {
		if native != "" {
			t.s.Turn.Native = native
		}
		return
	}
	t.s.Turn = Turn{Number: t.s.Turn.Number + 1, Open: true, By: t.e.Source, Native: native}
}

// turnStarted: the agent has taken a prompt.
func (t *step) turnStarted(w TurnStarted) {
	confirmed := t.confirmPrompt(PromptTyped)
	if trust(t.e.Source) > trust(FromScreen) && t.s.State != Busy {
		t.s.Life.FreeAt = t.e.At
	}
	if t.s.State == Busy {
		if w.Native != "" && w.Native != t.s.Turn.Native {
			t.s.Turn.Native = w.Native // work was seen before its name, or goes on under another
		} else if !confirmed {
			t.ignore("the agent queues it; it stays one turn")
		}
		return
	}
	if !t.resumed() {
		return
	}
	if t.otherTurn(w.Native) {
		t.s.Turn.Open = false // it ended without a completion, as by an error
	}
	t.openTurn(w.Native)
	t.to(Busy, "the agent has taken a prompt")
}

func (t *step) progress() {
	switch t.s.State {
	case Busy:
		t.s.Life.ArmedAt = t.e.At
	case Idle:
		t.to(Busy, "it moves again")
	case NeedsAttention:
		if t.cause() != Stalled {
			t.ignore("progress does not settle " + string(t.cause()))
			return
		}
		back := interruptedState(t.s)
		if back == Busy {
			t.openTurn("")
		}
		t.to(back, "it moves again")
	case Starting, Ready, WaitingOnInput, Done, Resuming, Dead:
		t.ignore("output alone proves nothing while " + string(t.s.State))
	}
}

// interruptedState is the state to go back to after attention. A question that
// was interrupted is not known to stand still.
func interruptedState(s Session) State {
	switch s.Interrupts {
	case Starting, Ready, Idle, Done, Resuming:
		return s.Interrupts
	case Busy, WaitingOnInput, Dead, NeedsAttention:
	}
	return Busy
}

func (t *step) toolActivity(w ToolActivity) {
	switch {
	case t.s.State == Done:
		t.ignore("it belongs to a finished turn")
		return
	case t.otherTurn(w.Native):
		t.ignore("it belongs to another turn")
		return
	case !t.resumed():
		return
	case t.s.State == Busy:
		t.s.Life.ArmedAt = t.e.At
		t.s.Turn.Tool = w.Running
		return
	}
	t.openTurn(w.Native)
	t.s.Turn.Tool = w.Running
	t.to(Busy, "the agent uses a tool")
}

// otherTurn reports whether the agent's own name of a turn is not the open one's.
func (t *step) otherTurn(native string) bool {
	return native != "" && t.s.Turn.Native != "" && native != t.s.Turn.Native
}

func (t *step) quiet(w QuietSeen) {
	switch {
	case t.s.State != Busy:
		t.ignore("quiet proves nothing while " + string(t.s.State))
	case t.s.Process.Stopped:
		t.ignore("the process is suspended")
	case t.s.Spec.Kind == Job:
		t.ignore("a job ends with its process")
	case caps(t.s).NativeDone && !w.MissedNative:
		t.ignore("the agent says itself when it is done")
	default:
		t.to(Idle, "the screen looks finished; the agent did not say so")
	}
}

func (t *step) asked(w Asked) {
	switch {
	case w.IdleNotice && t.s.State != Busy && t.s.State != Starting:
		t.ignore("only the notice that it has been idle")
		return
	case w.IdleNotice:
		t.ignore("an idle notice does not end a turn")
		return
	case t.s.State == WaitingOnInput && t.s.Waiting != nil && t.s.Waiting.Kind == w.Kind && (w.Text == "" || t.s.Waiting.Text == w.Text):
		t.ignore("the question is known already")
		return
	case t.s.State == WaitingOnInput && t.s.Waiting != nil && t.s.Waiting.Kind == w.Kind && trust(t.e.Source) < trust(t.s.Evidence.Source):
		t.ignore("the question is known from better evidence")
		return
	}
	q := Waiting{Kind: w.Kind, Text: w.Text, Since: t.e.At}
	if t.s.State == WaitingOnInput && t.s.Waiting != nil {
		q.Since, q.Reminded = t.s.Waiting.Since, t.s.Waiting.Reminded
	}
	armed := t.s.Life.ArmedAt
	again := t.s.State == WaitingOnInput
	t.to(WaitingOnInput, "the agent asks")
	if again {
		t.s.Life.ArmedAt = armed
	}
	t.s.Waiting = &q
}

// busy: the agent is seen working.
func (t *step) busy() {
	if !t.resumed() {
		return
	}
	if !caps(t.s).Confirms {
		t.confirmPrompt(PromptTyped)
	}
	if t.s.State == Busy {
		t.s.Life.ArmedAt = t.e.At
		return
	}
	t.openTurn("")
	t.to(Busy, "the agent is seen working")
}

func (t *step) done(w DoneSeen) {
	switch {
	case trust(t.e.Source) <= trust(FromScreen):
		t.ignore("a screen is no completion signal")
	case t.s.State == Done:
		t.ignore("the turn is done already")
	case t.otherTurn(w.Native):
		t.ignore("it answers an earlier turn")
	case caps(t.s).Confirms && t.e.Source != FromPerson && t.submitted():
		t.ignore("the prompt it should answer is not confirmed yet")
	case !t.resumed():
	case w.Background > 0:
		t.confirmPrompt()
		t.openTurn("")
		t.s.Turn.Background = w.Background
		t.to(Busy, "the agent said done, and background tasks still run")
	default:
		t.complete(w.Summary)
	}
}

// complete ends the turn well.
func (t *step) complete(summary string) {
	if !t.s.Ended() && unproven(t.s) {
		t.proven()
	}
	why := "the agent said that the turn is complete"
	if t.e.Source == FromPerson {
		why = "a person confirmed it"
	}
	if summary != "" {
		why += ": " + summary
	}
	t.confirmPrompt()
	t.s.Turn.Open, t.s.Turn.DoneSeen, t.s.Turn.Tool, t.s.Turn.Background = false, true, false, 0
	t.s.Reason = Completed
	if !t.s.Resume.ProvenAt.IsZero() {
		t.s.Resume.Attempts = 0 // the resumed agent has been of use
	}
	t.to(Done, why)
}

func (t *step) interrupted() {
	switch t.s.State {
	case Busy, WaitingOnInput, Idle, NeedsAttention:
		dialog := t.s.State == WaitingOnInput && t.s.Resume.Unproven
		t.resumed()
		if dialog && !t.s.Resume.Unproven {
			t.goOn(ResumeProven{}) // what it asked was about the resume itself
			return
		}
		t.s.Turn.Open, t.s.Turn.Tool, t.s.Turn.Background = false, false, 0
		t.to(Ready, "the turn was interrupted")
	case Starting, Ready, Done, Resuming, Dead:
		t.ignore("no turn to interrupt")
	}
}

func (t *step) escalate(w Escalate) {
	if t.s.State == Dead && t.s.Reason == Killed {
		t.ignore("it was stopped on purpose")
		return
	}
	if t.s.Life.Closed != nil {
		t.ignore("it is archived")
		return
	}
	detail := w.Detail
	if detail == "" {
		detail = "a person is needed"
	}
	t.attention(w.Cause, detail)
	if w.Cause == TurnFailed || w.Cause == RateLimited || w.Cause == AuthFailedCause {
		t.s.Turn.Failed = t.s.Turn.Open // what comes next is another turn
	}
}
