package agent

import (
	"time"

	"github.com/tendhq/tend/internal/session"
)

// known is the session as the machine has it.
type known struct {
	state   session.State // with what was said since the last Know
	told    session.State // by the last Know
	cause   session.Cause
	kind    session.Kind
	turn    int
	ask     string    // the kind of the question
	native  string    // the conversation in force
	since   time.Time // when state began, on the clock of the events
	guessed time.Time // when state was expected rather than told
	stopped bool
	stall   time.Duration // without progress for so long is no rest
}

// guessLimit is how long an expected state is believed that Know does not tell.
const guessLimit = 2 * time.Second

// The evidence that is not repeated while it changes nothing.
const (
	saidReady = iota
	saidBusy
	saidTurn
	saidProgress
	saidKinds
)

// Know tells the watch the session as it now is, after each change, so that it
// says only what would be news.
func (w *Watch) Know(s session.Session) {
	k := &w.known
	if s.State != k.told || s.Turn.Number != k.turn {
		w.said = [saidKinds]time.Time{}
	}
	if s.Turn.Number != k.turn && k.told != "" {
		w.turn.begin()
		w.word.over = false
	}
	w.believe(s.State, latest(w.now, s.Life.StateAt))
	k.guessed = time.Time{}
	k.told, k.turn, k.kind, k.stopped = s.State, s.Turn.Number, s.Spec.Kind, s.Process.Stopped
	k.stall = s.Spec.Policy.Stall
	k.native = s.NativeID()
	if w.hooks.native == "" {
		w.hooks.native = s.NativeID()
	}
	k.cause, k.ask = "", ""
	if s.Waiting != nil {
		k.ask = s.Waiting.Kind
	}
	if s.Attention != nil {
		k.cause = s.Attention.Cause
	}
}

// believe takes a state as the present one.
func (w *Watch) believe(st session.State, since time.Time) {
	if st == w.known.state {
		return
	}
	w.known.state, w.known.since, w.known.cause = st, since, ""
	w.seen.settled, w.seen.burst = false, burst{}
}

// expect is what the machine will make of evidence (DESIGN 4.2), so that what
// comes next is judged by it until Know says what it did.
func (w *Watch) expect(what session.What) {
	if w.known.state == session.Resuming {
		return
	}
	w.known.guessed = w.now
	switch what.(type) {
	case session.ReadySeen, session.Interrupted:
		w.believe(session.Ready, w.now)
	case session.TurnStarted, session.BusySeen, session.Progress:
		w.believe(session.Busy, w.now)
	case session.QuietSeen:
		w.believe(session.Idle, w.now)
	case session.Asked:
		w.believe(session.WaitingOnInput, w.now)
	case session.DoneSeen:
		w.believe(session.Done, w.now)
	case session.Escalate:
		w.believe(session.NeedsAttention, w.now)
	}
}

func (w *Watch) guessDue() time.Time {
	if w.known.guessed.IsZero() {
		return time.Time{}
	}
	return w.known.guessed.Add(guessLimit)
}

func (w *Watch) unguess() {
	w.known.guessed = time.Time{}
	w.believe(w.known.told, w.now)
}
