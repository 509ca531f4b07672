package agent

import (
	"time"

	"github.com/tendhq/tend/internal/session"
)

const (
	personEcho     = time.Second            // what a person's key makes appear
	pasteEcho      = 5 * time.Second        // what a pasted text makes appear, until it is submitted
	viewerEcho     = time.Second            // the repaint after a resize or a new viewer
	beyondEcho     = 300 * time.Millisecond // what moves so long after a person's Enter is not its echo
	restartEcho    = time.Second            // after a restart
	newLineAfter   = time.Second
	receiptLimit   = 20 * time.Second // after that a change has other reasons
	personReceipts = 10 * time.Second
)

// typed is what was written to the terminal, as far as it explains what the
// screen then does.
type typed struct {
	keyAt        time.Time // a person's last key
	echoUntil    time.Time // until then a change is the echo of keys
	submit       submit    // a submitted line that nothing has come of yet
	answered     bool      // a person typed something since the question
	pasted       string    // the end of the text that was pasted last, compact
	long         bool      // and it may be shown as a placeholder
	interrupting bool      // the interrupt key was asked for
	interruptAt  time.Time
	ever         bool // a line was submitted since this watch began
}

// submit is the screen at the moment of a submit key.
type submit struct {
	by   session.Source // "" = none
	at   time.Time
	fold uint64
	row  int
	// looked: that the cursor left the line was looked into.
	looked bool
}

// keys takes the news that somebody typed. Keys are no activity of the agent,
// and neither is what they make appear.
func (w *Watch) keys(e session.Typed) {
	t := &w.typed
	person := e.By != session.FromSupervisor
	if person {
		t.keyAt, t.answered = w.now, true
	}
	switch {
	case !e.Submitted && person:
		w.echo(personEcho)
		return
	case !e.Submitted:
		w.echo(pasteEcho)
		return
	}
	t.ever = true
	t.echoUntil = time.Time{}
	w.turn.submitted()
	w.word.resting, w.word.over = false, false
	if !person || w.known.state != session.Busy {
		t.submit = submit{by: e.By, at: w.now, fold: w.term.Folded(), row: w.term.Cursor().Row}
	}
}

// echo explains what appears within d.
func (w *Watch) echo(d time.Duration) {
	w.typed.echoUntil = latest(w.typed.echoUntil, w.now.Add(d))
}

// receipt looks for a sign that a submitted line was taken. For a prompt of
// ours it is any change once the text has left the input line. A person's Enter
// has many meanings, so it takes a screen that goes on moving, and an agent that
// says nothing of itself.
func (w *Watch) receipt() {
	s := w.typed.submit
	age := w.now.Sub(s.at)
	person := s.by != session.FromSupervisor
	switch {
	case age > receiptLimit, person && (age > personReceipts || w.word.state != "" || w.word.resting):
		w.typed.submit = submit{}
	case w.seen.fold == s.fold, person && w.now.Before(w.typed.echoUntil):
	case person && age >= beyondEcho:
		w.taken("a line was submitted, and the screen goes on changing")
	case !person && !w.holdsPasted():
		w.taken("the prompt left the input line, and the screen changed")
	}
}

// newLineDue: a program that reads lines may take one and print nothing.
func (w *Watch) newLineDue() time.Time {
	s := w.typed.submit
	if s.by != session.FromSupervisor || s.looked || w.speaks() || w.term.Cursor().Row == s.row {
		return time.Time{}
	}
	return s.at.Add(newLineAfter)
}

func (w *Watch) newLine() {
	w.typed.submit.looked = true
	if !w.holdsPasted() {
		w.taken("the prompt was submitted, and the cursor went on to a new line")
	}
}

func (w *Watch) taken(why string) {
	w.typed.submit = submit{}
	w.sayOnce(saidTurn, session.FromScreen, why, session.TurnStarted{})
}
