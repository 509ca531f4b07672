package agent

import (
	"bytes"
	"time"

	"github.com/tendhq/tend/internal/screen"
	"github.com/tendhq/tend/internal/session"
)

// lateAfter is how much later than its due time a rule may be looked at before
// the time in between counts as not lived through (a suspended machine, a
// stepped clock): then every window begins afresh (DESIGN 4.3).
const lateAfter = 5 * time.Second

// repeatAfter is when evidence that changed nothing is given again.
const repeatAfter = 5 * time.Second

// Watch observes one run of one agent: its terminal's bytes, what was typed and
// when. It belongs to one goroutine.
//
// The result depends on the bytes and their times alone, not on how the bytes
// were cut: the screen is looked at between times, never between two pieces of
// the same time.
type Watch struct {
	agent *Agent
	term  *screen.Terminal
	now   time.Time // of the event or rule at work
	out   []session.Event
	known known
	seen  seen
	typed typed
	word  word
	turn  printed
	said  [saidKinds]time.Time // since the known state last changed
}

// known is the session as the machine has it.
type known struct {
	state   session.State // with what was said since the last Know
	told    session.State // by the last Know
	cause   session.Cause
	kind    session.Kind
	turn    int
	since   time.Time // when state began, on the clock of the events
	stopped bool
}

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
	k.told, k.turn, k.kind, k.stopped = s.State, s.Turn.Number, s.Spec.Kind, s.Process.Stopped
	k.cause = ""
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
	k := w.known
	if k.state == session.Resuming {
		return
	}
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

// Feed takes one event of the terminal and returns what it proves. Events carry
// At, Source and Why; the run is the caller's to add. ProcessExited proves
// nothing here: the supervisor classifies it.
func (w *Watch) Feed(at time.Time, e session.TerminalEvent) []session.Event {
	w.advance(at)
	switch e := e.(type) {
	case session.Output:
		w.output(e.Data)
	case session.OutputGap:
		w.term.Write([]byte{can})
		w.word.state, w.word.at = "", at // whatever it said in there is lost
	case session.Resized:
		w.resized(e.Size)
	case session.Typed:
		w.keys(e)
	case session.Viewers:
		w.repaint()
	case session.Suspended:
		why := "the process was stopped (state T)"
		if !e.Stopped {
			why = "the process goes on"
			w.seen.movedAt = at
		}
		w.known.stopped = e.Stopped
		w.say(session.FromHolder, why, session.SuspendSeen{Stopped: e.Stopped})
	case session.ProcessExited:
	}
	return w.take()
}

// can is CAN, which ends a control sequence whose end was lost.
const can = 0x18

func (w *Watch) output(data []byte) {
	if len(data) == 0 {
		return
	}
	w.term.Write(data)
	w.turn.lines += int64(bytes.Count(data, []byte{'\n'}))
	w.lookSoon()
	switch {
	case !w.term.InSync():
		w.seen.frameAt = time.Time{}
	case w.seen.frameAt.IsZero():
		w.seen.frameAt = w.now
	}
}

func (w *Watch) resized(s session.Size) {
	if cols, rows := w.term.Size(); cols == s.Cols && rows == s.Rows || s.Cols <= 0 || s.Rows <= 0 {
		return
	}
	w.term.Resize(s.Cols, s.Rows)
	w.repaint()
	w.lookSoon()
}

// repaint: programs draw their screen again when the size changes or a terminal
// comes or goes.
func (w *Watch) repaint() {
	if w.seen.shown {
		w.echo(viewerEcho)
	}
}

// hear receives what the stream says beside its cells, in the order of the
// stream. A title proves nothing about a command of which nothing is known:
// that it changes shows only that something is alive.
func (w *Watch) hear(e screen.Event) {
	switch e := e.(type) {
	case screen.TitleChanged:
		w.seen.titled = true
	case screen.ModeChanged:
		if !e.Modes.SyncOutput {
			w.seen.frameAt = time.Time{}
		}
	case screen.AgentState, screen.PromptMark:
		w.mark(e)
	}
}

// Tick is to be called when the time of Wake has come: what did not happen
// until then is evidence too.
func (w *Watch) Tick(at time.Time) []session.Event {
	w.advance(at)
	return w.take()
}

// Wake is when Tick has something to say, zero when it has not.
func (w *Watch) Wake() time.Time {
	at, _ := w.next()
	return at
}

// rule is evidence that needs time to pass: when it is due as things stand
// (zero: not at all), and what it then does, which moves its due time on.
type rule struct {
	due func(*Watch) time.Time
	act func(*Watch)
}

// rules in the order in which those of the same time act.
var rules = []rule{
	{func(w *Watch) time.Time { return w.word.lateAt }, (*Watch).lateMark},
	{(*Watch).frameDue, (*Watch).endFrame},
	{func(w *Watch) time.Time { return w.seen.lookAt }, (*Watch).look},
	{func(w *Watch) time.Time { return w.word.backAt }, (*Watch).promptBack},
	{func(w *Watch) time.Time { return w.word.askAt }, (*Watch).ask},
	{(*Watch).newLineDue, (*Watch).newLine},
	{(*Watch).readyDue, (*Watch).ready},
	{(*Watch).progressDue, (*Watch).progress},
	{(*Watch).quietDue, (*Watch).quiet},
}

// next is the rule that is due first.
func (w *Watch) next() (at time.Time, act func(*Watch)) {
	for _, r := range rules {
		if due := r.due(w); !due.IsZero() && (at.IsZero() || due.Before(at)) {
			at, act = due, r.act
		}
	}
	return at, act
}

// advance lets time pass: the rules that became due until at act at their own
// times, on the screen as it then was.
func (w *Watch) advance(at time.Time) {
	due, _ := w.next()
	switch {
	case w.now.IsZero():
		w.begin(at)
	case at.Before(w.now), !due.IsZero() && at.Sub(latest(due, w.now)) > lateAfter:
		w.shift(at.Sub(w.now))
		w.now = at
	}
	for {
		due, act := w.next()
		if due.IsZero() || due.After(at) {
			break
		}
		w.now = latest(w.now, due)
		act(w)
	}
	w.now = at
	if w.typed.interrupting {
		w.typed.interrupting, w.typed.interruptAt = false, at
	}
}

// begin starts the windows of a watch that has just come to see a run, perhaps
// a running one.
func (w *Watch) begin(at time.Time) {
	w.now, w.known.since = at, at
	w.seen.movedAt, w.seen.changedAt, w.seen.stirFrom = at, at, at
}

// shift moves every time along by a jump of the clock.
func (w *Watch) shift(by time.Duration) {
	s, t, o := &w.seen, &w.typed, &w.word
	times := []*time.Time{
		&w.known.since,
		&s.lookAt, &s.frameAt, &s.movedAt, &s.changedAt, &s.stirFrom, &s.quietFor, &s.progressAt,
		&s.burst.from, &s.burst.last, &t.keyAt, &t.echoUntil, &t.interruptAt, &t.submit.at,
		&o.at, &o.askAt, &o.backAt, &o.lateAt, &o.countFrom,
	}
	for i := range w.said {
		times = append(times, &w.said[i])
	}
	for _, at := range times {
		if !at.IsZero() {
			*at = at.Add(by)
		}
	}
}

// say records evidence.
func (w *Watch) say(from session.Source, why string, what session.What) {
	w.out = append(w.out, session.Event{At: w.now, Source: from, Why: why, What: what})
	w.expect(what)
}

// sayOnce records evidence unless the same was given a moment ago and nothing
// has come of it.
func (w *Watch) sayOnce(kind int, from session.Source, why string, what session.What) {
	if at := w.said[kind]; !at.IsZero() && w.now.Sub(at) < repeatAfter {
		return
	}
	w.said[kind] = w.now
	w.say(from, why, what)
}

func (w *Watch) take() []session.Event {
	out := w.out
	w.out = nil
	return out
}

// latest is the latest of times, earliest the earliest that is not zero.
func latest(times ...time.Time) (out time.Time) {
	for _, t := range times {
		if t.After(out) {
			out = t
		}
	}
	return out
}

func earliest(times ...time.Time) (out time.Time) {
	for _, t := range times {
		if !t.IsZero() && (out.IsZero() || t.Before(out)) {
			out = t
		}
	}
	return out
}
