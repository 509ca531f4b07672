package agent

import (
	"bytes"
	"fmt"
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
	term    *screen.Terminal
	now     time.Time // of the event or rule at work
	out     []session.Event
	answers []byte // to device queries, not yet taken
	known   known
	seen    seen
	typed   typed
	word    word
	turn    printed
	hooks   hooks
	traits  traits
	dialect dialect
	lost    bool                 // it was told that the conversation to resume is gone
	dialog  string               // the onboarding dialog that was told, "" = none
	said    [saidKinds]time.Time // since the known state last changed
	// readTo is the offset before which an earlier watch has taken evidence.
	readTo int64
	past   bool // the output at work lies before readTo: it is no news
}

// Feed takes one event of the terminal and returns what it proves. Events carry
// At, Source and Why; the run is the caller's to add. ProcessExited is only a
// reason to look once more: the supervisor classifies it.
func (w *Watch) Feed(at time.Time, e session.TerminalEvent) []session.Event {
	w.advance(at)
	switch e := e.(type) {
	case session.Output:
		w.output(e)
	case session.OutputGap:
		w.term.Write([]byte{can})
		w.word.state, w.word.at = "", at // whatever it said in there is lost
		if w.past = false; e.Full && e.To > w.readTo {
			w.say(session.FromHolder, fmt.Sprintf("the disk was full: %d bytes of output were lost", e.To-e.From), session.OutputLost{From: e.From, To: e.To})
		}
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
		w.say(session.FromHolder, why, session.SuspendSeen(e))
	case session.HookFired:
		w.hookFired(e)
	case session.RecordTail:
		w.dialect.record(w, e.Data)
	case session.ProcessExited:
		w.look() // what was printed last
	}
	return w.take()
}

// can is CAN, which ends a control sequence whose end was lost.
const can = 0x18

func (w *Watch) output(e session.Output) {
	if len(e.Data) == 0 {
		return
	}
	w.past = e.Offset+int64(len(e.Data)) <= w.readTo
	w.term.Write(e.Data)
	w.turn.lines += int64(bytes.Count(e.Data, []byte{'\n'}))
	w.lookSoon()
	switch {
	case !w.term.InSync():
		w.seen.frameAt = time.Time{}
	case w.seen.frameAt.IsZero():
		w.seen.frameAt = w.now
	}
	if w.past {
		w.past, w.word.askAt, w.word.backAt = false, time.Time{}, time.Time{}
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
// that it changes shows only that something is alive. What more it says is for
// the agent's dialect.
func (w *Watch) hear(e screen.Event) {
	switch e := e.(type) {
	case screen.TitleChanged:
		w.seen.titled = true
		w.dialect.title(w, e.Title)
	case screen.ModeChanged:
		if !e.Modes.SyncOutput {
			w.seen.frameAt = time.Time{}
		}
	case screen.AgentState, screen.PromptMark:
		w.mark(e)
	case screen.Query:
		if !w.past && len(w.answers)+len(e.Reply) <= maxAnswers {
			w.answers = append(w.answers, e.Reply...)
		}
	}
}

// maxAnswers bounds what is answered to one piece of output, in bytes.
const maxAnswers = 4096

// Answers is what the terminal replies to the device queries of the last Feed,
// once: on behalf of all who look on, whose own terminals never see a query.
// Output that is only replayed is not answered again.
func (w *Watch) Answers() []byte {
	out := w.answers
	w.answers = nil
	return out
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
	{(*Watch).guessDue, (*Watch).unguess},
	{func(w *Watch) time.Time { return w.word.lateAt }, (*Watch).lateMark},
	{(*Watch).frameDue, (*Watch).endFrame},
	{func(w *Watch) time.Time { return w.seen.lookAt }, (*Watch).look},
	{func(w *Watch) time.Time { return w.word.idleAt }, (*Watch).idleLasts},
	{func(w *Watch) time.Time { return w.word.workAt }, (*Watch).workLasts},
	{func(w *Watch) time.Time { return w.word.backAt }, (*Watch).promptBack},
	{func(w *Watch) time.Time { return w.word.askAt }, (*Watch).ask},
	{(*Watch).newLineDue, (*Watch).newLine},
	{(*Watch).readyDue, (*Watch).ready},
	{(*Watch).progressDue, (*Watch).progress},
	{(*Watch).quietDue, (*Watch).quiet},
	{(*Watch).farewellDue, (*Watch).farewell},
	{(*Watch).silenceDue, (*Watch).hooksSilent},
}

// next is the rule that is due first.
func (w *Watch) next() (at time.Time, act func(*Watch)) {
	if due, own := w.dialect.next(w); !due.IsZero() {
		at, act = due, func(*Watch) { own() }
	}
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

// begin starts the windows of a watch that has just come to see a run. Of a run
// that was watched before, what is read first may be the echo of keys that
// nobody remembers.
func (w *Watch) begin(at time.Time) {
	w.now, w.known.since = at, at
	w.seen.movedAt, w.seen.changedAt, w.seen.stirFrom = at, at, at
	w.hooks.from = at
	if w.readTo > 0 {
		w.echo(restartEcho)
	}
}

// shift moves every time along by a jump of the clock.
func (w *Watch) shift(by time.Duration) {
	s, t, o := &w.seen, &w.typed, &w.word
	times := []*time.Time{
		&w.known.since, &w.known.guessed,
		&s.lookAt, &s.leftAt, &s.leftFor, &s.frameAt, &s.movedAt, &s.changedAt, &s.stirFrom, &s.quietFor, &s.progressAt,
		&s.burst.from, &s.burst.last, &t.keyAt, &t.echoUntil, &t.interruptAt, &t.submit.at,
		&o.at, &o.askAt, &o.backAt, &o.lateAt, &o.idleAt, &o.workAt, &o.countFrom, &w.hooks.from,
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
	if w.past {
		return
	}
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

// latest is the latest of times.
func latest(times ...time.Time) (out time.Time) {
	for _, t := range times {
		if t.After(out) {
			out = t
		}
	}
	return out
}
