package agent

import (
	"hash/fnv"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// The times of the screen's evidence (DESIGN 7 and 4.3).
const (
	lookEvery     = 100 * time.Millisecond // the screen is read at most this often
	frameLimit    = 2 * time.Second        // a synchronized frame that does not close is shown
	readyQuiet    = 750 * time.Millisecond // after its first output
	readyPaste    = 300 * time.Millisecond // with bracketed paste on and the cursor visible
	readyAnyway   = 20 * time.Second       // only a spinner or a clock has moved for so long
	stirring      = 10 * time.Second       // printing for so long without readyQuiet is work
	quietAfter    = 8 * time.Second
	progressEvery = 30 * time.Second // re-arms the stall deadline; the journal must not flood
	burstLength   = time.Second      // two changes at least so far apart are work
	burstGap      = 3 * time.Second  // changes further apart do not belong together
	settleAfter   = 2 * time.Second  // the end of a finished turn's own output
	personPause   = 2 * time.Second  // what moves this soon after a person's key is theirs
)

// seen is what the screen showed, and when.
type seen struct {
	fold, raw uint64    // of the last look: without, and with what only shows life
	shown     bool      // there was something to see
	titled    bool      // the title changed since the last look
	lookAt    time.Time // the next look, zero when nothing has come since the last
	frameAt   time.Time // since when a synchronized frame is open
	movedAt   time.Time // the last look at which anything had moved
	changedAt time.Time // the last look at which the agent had got somewhere
	stirFrom  time.Time // since when it moves without a pause
	settled   bool      // the screen stood still since the present state began
	burst     burst
	quietFor  time.Time // the standstill for which quiet was said
	// progressAt is when progress was last said.
	progressAt time.Time
	dressed    bool      // it has had a screen or an input line of its own
	leftAt     time.Time // when it gave them up, zero while it has them
	leftFor    time.Time // the giving up that was told
}

// burst is changes of the screen that nobody typed and that belong together.
type burst struct {
	from, last time.Time
	n          int
}

func (w *Watch) lookSoon() {
	if w.seen.lookAt.IsZero() {
		w.seen.lookAt = w.now.Add(lookEvery)
	}
}

func (w *Watch) frameDue() time.Time {
	if w.seen.frameAt.IsZero() {
		return time.Time{}
	}
	return w.seen.frameAt.Add(frameLimit)
}

func (w *Watch) endFrame() {
	w.term.EndSync()
	w.seen.frameAt = time.Time{}
	w.lookSoon()
}

// look reads the screen. Inside a synchronized frame it sees the screen before
// it, so half a frame is never judged.
func (w *Watch) look() {
	s := &w.seen
	fold, raw := w.term.Folded(), w.rawPrint()
	changed := fold != s.fold
	moved := changed || raw != s.raw || s.titled
	s.fold, s.raw, s.titled = fold, raw, false
	s.lookAt = time.Time{}
	w.dress()
	if !moved {
		return
	}
	if !s.shown && changed {
		s.shown = !blank(w.term.Text())
	}
	if w.now.Sub(s.movedAt) > readyQuiet {
		s.stirFrom = w.now
	}
	if w.now.Sub(latest(s.movedAt, w.known.since)) >= settleAfter {
		s.settled = true
	}
	s.movedAt = w.now
	echo := w.now.Before(w.typed.echoUntil)
	if changed && (!echo || w.starting()) {
		s.changedAt = w.now
	}
	w.judge(changed && !echo)
}

// judge says what a screen that has moved means in the known state. changed
// means that the agent, and not a key's echo or a spinner, has changed it.
func (w *Watch) judge(changed bool) {
	w.onboarding()
	w.resumeMissing()
	k := w.known
	w.dialect.shown(w)
	stalled := changed && k.state == session.NeedsAttention && k.cause == session.Stalled
	switch {
	case w.speaks() && !stalled:
	case w.starting():
		w.stir()
	case w.typed.submit.by != "":
		w.receipt()
	case !changed || w.word.resting:
	case k.state == session.Idle:
		w.sayOnce(saidProgress, session.FromScreen, "the screen goes on changing", session.Progress{})
	case stalled:
		w.sayOnce(saidProgress, session.FromScreen, "the screen changes again", session.Progress{})
	case k.state == session.Ready, k.state == session.NeedsAttention,
		k.state == session.WaitingOnInput && w.typed.answered,
		k.state == session.Done && w.seen.settled:
		w.burst()
	}
}

// burst is output without a person's key: one change may be a late repaint,
// several over a second are work.
func (w *Watch) burst() {
	b := &w.seen.burst
	if !w.typed.keyAt.IsZero() && w.now.Sub(w.typed.keyAt) < personPause {
		return
	}
	if b.n == 0 || w.now.Sub(b.last) > burstGap {
		*b = burst{from: w.now}
	}
	b.n, b.last = b.n+1, w.now
	if b.n > 1 && w.now.Sub(b.from) >= burstLength {
		w.sayOnce(saidBusy, session.FromScreen, "the screen keeps changing, and nobody types", session.BusySeen{})
	}
}

// starting reports whether readiness would be news.
func (w *Watch) starting() bool {
	k := w.known
	late := k.state == session.NeedsAttention && k.cause == session.StartupTimeout
	return k.kind != session.Job && (k.state == session.Starting || k.state == session.Resuming || late)
}

// stir: a command that has printed for long without a pause works already.
func (w *Watch) stir() {
	s := &w.seen
	if s.shown && s.changedAt.Equal(w.now) && w.now.Sub(s.stirFrom) >= stirring {
		w.sayOnce(saidBusy, session.FromScreen, "it has printed for "+stirring.String()+" without a pause", session.BusySeen{})
	}
}

// readyDue: something is to be seen and has stood still. A spinner holds it
// back, but not for ever.
func (w *Watch) readyDue() time.Time {
	s := &w.seen
	if !w.starting() || !s.shown || w.speaks() && !(w.traits.screenReady && w.hooks.heard) {
		return time.Time{}
	}
	at := s.movedAt.Add(w.readyPause())
	if anyway := s.changedAt.Add(readyAnyway); anyway.Before(at) {
		at = anyway
	}
	if said := w.said[saidReady]; !said.IsZero() {
		at = latest(at, said.Add(repeatAfter))
	}
	return at
}

func (w *Watch) readyPause() time.Duration {
	if w.term.Modes().BracketedPaste && w.term.Cursor().Visible {
		return readyPaste
	}
	return readyQuiet
}

func (w *Watch) ready() {
	why := "its screen stood still for " + readyQuiet.String() + " after its first output"
	switch {
	case w.now.Sub(w.seen.movedAt) < w.readyPause():
		why = "nothing but a spinner or digits has moved for " + readyAnyway.String()
	case w.readyPause() == readyPaste:
		why = "it shows a cursor, takes pastes, and stood still for " + readyPaste.String()
	}
	w.sayOnce(saidReady, session.FromScreen, why, session.ReadySeen{})
}

// progressDue: while busy, progress is told now and then, so that the stall
// deadline is armed again.
func (w *Watch) progressDue() time.Time {
	from := latest(w.known.since, w.seen.progressAt)
	if w.known.state != session.Busy || !w.seen.changedAt.After(from) {
		return time.Time{}
	}
	return latest(from.Add(progressEvery), w.seen.changedAt)
}

func (w *Watch) progress() {
	w.seen.progressAt = w.now
	w.say(session.FromScreen, "the text on the screen has changed", session.Progress{})
}

// quietDue: busy, and nothing on the screen has moved, not even a spinner. What
// the agent itself says outranks it: while it says working, or a shell says
// that a command runs, silence proves nothing and the stall deadline decides.
func (w *Watch) quietDue() time.Time {
	k := w.known
	if k.state != session.Busy || k.kind == session.Job || k.stopped || w.speaks() || w.word.state == stateWorking || w.commandRuns() {
		return time.Time{}
	}
	if from := w.stillFrom(); !from.Equal(w.seen.quietFor) {
		return from.Add(quietAfter)
	}
	return time.Time{}
}

// stillFrom is when the standstill began: nothing has moved since, and nothing
// was said.
func (w *Watch) stillFrom() time.Time { return latest(w.seen.movedAt, w.known.since, w.word.at) }

func (w *Watch) quiet() {
	w.seen.quietFor = w.stillFrom()
	w.say(session.FromQuiet, "nothing on its screen has moved for "+quietAfter.String(), session.QuietSeen{})
}

// rawPrint is a fingerprint of the visible text with all that Folded drops.
func (w *Watch) rawPrint() uint64 {
	h := fnv.New64a()
	for _, l := range w.term.Text() {
		_, _ = h.Write([]byte(l))
		_, _ = h.Write([]byte{'\n'})
	}
	return h.Sum64()
}

func blank(lines []string) bool {
	for _, l := range lines {
		if l != "" {
			return false
		}
	}
	return true
}
