package agent

import (
	"time"

	"github.com/tendhq/tend/internal/screen"
	"github.com/tendhq/tend/internal/session"
)

// The states of OSC 7501.
const (
	stateIdle    = "idle"
	stateWorking = "working"
	stateBlocked = "blocked"
	stateDone    = "done"
	stateError   = "error"
	stateClear   = "clear"
)

// Prompt marks of OSC 133.
const (
	markPrompt  = 'A'
	markInput   = 'B'
	markCommand = 'C'
	markEnd     = 'D'
)

const (
	askPause  = 150 * time.Millisecond // a question is read once it is drawn
	askLimit  = time.Second            // or after so long
	workPause = 5 * time.Second        // work that begins before anything was submitted
	idlePause = 500 * time.Millisecond
	backPause = 100 * time.Millisecond // a prompt that stays so long is back
	markLimit = 20                     // marks a second; of more, the last counts

	// interruptEffect is how long after the interrupt key the end of a turn is
	// its effect.
	interruptEffect = 10 * time.Second
)

// word is what the program in the terminal says of itself in its byte stream:
// OSC 7501 (state of an agent) and OSC 133 (prompts of a shell).
type word struct {
	state   string    // newest OSC 7501 state, "" when there is none
	app     string    // who said it
	kind    string    // of blocked
	at      time.Time // of the newest mark
	shell   rune      // newest OSC 133 mark, 0 when there is none
	ran     bool      // a command began after the last prompt
	resting bool      // it said that it waits for input: what the screen does is repainting
	over    bool      // it said how the turn ended
	askAt   time.Time
	backAt  time.Time

	count     int // marks in the second that began at countFrom
	countFrom time.Time
	late      screen.Event
	lateAt    time.Time
	idleAt    time.Time         // when its word idle counts, zero when there is none
	workAt    time.Time         // the same of its word working
	idle      screen.AgentState // the word that waits
}

// mark takes one mark of the stream. A stream that floods the terminal with
// marks gets its last word in, once a second.
func (w *Watch) mark(e screen.Event) {
	o := &w.word
	if w.past {
		w.heed(e)
		return
	}
	if w.now.Sub(o.countFrom) >= time.Second {
		o.count, o.countFrom = 0, w.now
	}
	if o.count++; o.count > markLimit {
		o.late, o.lateAt = e, o.countFrom.Add(time.Second)
		return
	}
	w.heed(e)
}

func (w *Watch) lateMark() {
	e := w.word.late
	w.word.late, w.word.lateAt = nil, time.Time{}
	w.heed(e)
}

func (w *Watch) heed(e screen.Event) {
	switch e := e.(type) {
	case screen.AgentState:
		w.agentState(e)
	case screen.PromptMark:
		w.promptMark(rune(e.Kind))
	}
}

// agentState takes the agent's own word. From then on it outranks what the
// screen and silence suggest, until it is cleared.
func (w *Watch) agentState(e screen.AgentState) {
	o := &w.word
	before := o.state
	w.hooks.heard, o.idleAt, o.workAt = true, time.Time{}, time.Time{}
	o.state, o.app, o.kind, o.at, o.askAt = e.State, e.App, e.Kind, w.now, time.Time{}
	o.resting = e.State == stateIdle || e.State == stateDone || e.State == stateError
	switch e.State {
	case stateWorking:
		o.over = false
		if w.untouched() {
			o.idle, o.workAt = e, w.now.Add(workPause)
			return
		}
		w.turn.maybe()
		w.typed.submit = submit{}
		if before != stateWorking || w.known.state != session.Busy {
			w.say(session.FromTitle, said(e, "is working"), session.BusySeen{})
		}
	case stateBlocked:
		o.over = false
		o.askAt = w.now.Add(askPause)
	case stateIdle:
		if before == stateWorking && w.traits.speaks {
			o.idle, o.idleAt = e, w.now.Add(idlePause)
			return
		}
		w.saidIdle(e, before)
	case stateDone:
		w.typed.submit = submit{}
		if w.known.state != session.Done || before == stateWorking || before == stateBlocked {
			w.say(session.FromTitle, said(e, "has finished its turn"), session.DoneSeen{})
		}
		o.over = true
	case stateError:
		w.dialect.failed(w)
		w.typed.submit = submit{}
		if before != stateError {
			why := said(e, "ended its turn with an error")
			w.say(session.FromTitle, why, session.Escalate{Cause: session.TurnFailed, Detail: why})
		}
		o.over = true
	case stateClear:
		o.state = ""
	}
}

// idleLasts: its word idle after work stood for a while. At a submit some say
// working, idle, working within milliseconds (measured, Codex 0.171.0).
func (w *Watch) idleLasts() {
	w.word.idleAt = time.Time{}
	if w.known.state == session.Ready || w.known.state == session.Done {
		return // its hooks have told how the turn ended
	}
	w.saidIdle(w.word.idle, stateWorking)
}

// untouched: nothing was submitted to an agent since its start. Its word working
// may be about the start itself, as of servers that it connects to, and must not
// pass for a turn, or for the proof of a resume.
func (w *Watch) untouched() bool {
	st := w.known.state
	return w.traits.speaks && !w.typed.ever && (st == session.Starting || st == session.Resuming || st == session.Ready)
}

// workLasts: what it works on since its start is a turn that its command line
// began.
func (w *Watch) workLasts() {
	w.word.workAt = time.Time{}
	w.say(session.FromTitle, said(w.word.idle, "has been working for "+workPause.String()), session.BusySeen{})
}

// said is the evidence of OSC 7501 in one sentence.
func said(e screen.AgentState, what string) string {
	who := "the agent"
	if e.App != "" {
		who = e.App
	}
	return who + " says that it " + what + " (OSC 7501 " + e.State + ")"
}

// saidIdle is the word idle. It says where the agent is, not how it got there:
// an agent whose vocabulary has no done says it after finished work too. So it
// is readiness at the start; after working it is QuietSeen and leads to idle,
// never to done; only after our interrupt key is it Interrupted. After blocked,
// with no work in between, it is Interrupted as well: the question was
// withdrawn or refused, and nothing came of it. After done and error, which
// have said how the turn ended, it is no news.
func (w *Watch) saidIdle(e screen.AgentState, before string) {
	k := w.known
	why := said(e, "is idle")
	switch {
	case w.word.over:
	case before == stateBlocked, before == "" && k.state == session.WaitingOnInput:
		w.say(session.FromTitle, why+" and asks nothing any more", session.Interrupted{})
	case k.state == session.Ready && before == stateWorking:
	case before == stateWorking && !w.starting(), k.state == session.Busy:
		w.turnLeft(why)
	case w.starting():
		w.sayOnce(saidReady, session.FromTitle, why, session.ReadySeen{})
	case k.state == session.NeedsAttention && k.cause == session.Stalled:
		w.say(session.FromTitle, why, session.Progress{})
		w.turnLeft(why)
	}
}

// turnLeft: the agent waits for input and did not say how its turn ended.
func (w *Watch) turnLeft(why string) {
	at := w.typed.interruptAt
	switch {
	case w.known.kind == session.Job:
	case !at.IsZero() && w.now.Sub(at) < interruptEffect:
		w.typed.interruptAt = time.Time{}
		w.say(session.FromTitle, why+", after the interrupt key", session.Interrupted{})
	default:
		w.say(session.FromTitle, why+"; how the turn ended was not said", session.QuietSeen{MissedNative: true})
	}
}

// promptMark takes a shell's mark. An agent's own word, where there is one,
// outranks it; the end of the command (D) is also the end of that agent. An agent
// that marks its messages so, as pi does, is no shell.
func (w *Watch) promptMark(kind rune) {
	if w.traits.speaks {
		return
	}
	o := &w.word
	o.shell, o.at = kind, w.now
	if kind == markEnd {
		o.state, o.over = "", false
	}
	own := o.state != ""
	switch {
	case kind == markCommand:
		o.ran, o.backAt = true, time.Time{}
		w.turn.maybe()
		if own || w.known.kind == session.Job {
			return
		}
		o.resting = false
		w.typed.submit = submit{}
		w.sayOnce(saidTurn, session.FromTitle, "the shell runs a command (OSC 133 C)", session.TurnStarted{})
	case own:
	default:
		o.resting = true
		o.backAt = w.now.Add(backPause)
		if kind != markEnd && w.starting() && !o.ran {
			w.sayOnce(saidReady, session.FromTitle, "the shell shows its prompt (OSC 133 "+string(kind)+")", session.ReadySeen{})
		}
	}
}

// promptBack: the shell's prompt has come back and stayed. It does not say that
// the work is done: the last command may have been one step of many, or have
// failed.
func (w *Watch) promptBack() {
	o := &w.word
	o.backAt = time.Time{}
	o.ran = false
	if o.state != "" {
		return
	}
	w.said[saidTurn] = time.Time{}
	why := "the shell's prompt is back (OSC 133 " + string(o.shell) + ")"
	switch {
	case w.known.state == session.Busy:
		w.turnLeft(why)
	case w.known.state == session.WaitingOnInput:
		w.say(session.FromTitle, why+", and with it nothing is asked any more", session.Interrupted{})
	}
}

// commandRuns: the shell says that a command runs, and it is not an interactive
// program that takes prompts itself.
func (w *Watch) commandRuns() bool {
	m := w.term.Modes()
	return w.word.shell == markCommand && !m.AltScreen && !m.BracketedPaste
}

// ask tells what the agent asks, once it has drawn it.
func (w *Watch) ask() {
	o := &w.word
	if (w.term.InSync() || !w.seen.lookAt.IsZero()) && w.now.Sub(o.at) < askLimit {
		o.askAt = w.now.Add(askPause)
		return
	}
	o.askAt = time.Time{}
	why := said(screen.AgentState{State: stateBlocked, App: o.app}, "waits for an answer")
	if w.typed.submit.by == session.FromSupervisor {
		w.say(session.FromTitle, why+" after the prompt was submitted", session.TurnStarted{})
	}
	w.typed.submit, w.typed.answered = submit{}, false
	w.say(session.FromTitle, why, session.Asked{Kind: questionKind(o.kind), Text: w.question()})
}
