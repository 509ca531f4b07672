package agent

import (
	"time"

	"github.com/tendhq/tend/internal/session"
)

// dress notes whether the program has a screen or an input line of its own. One
// that has given them up has said goodbye, as far as its terminal can tell.
func (w *Watch) dress() {
	s, m := &w.seen, w.term.Modes()
	switch {
	case m.AltScreen || m.BracketedPaste:
		s.dressed, s.leftAt = true, time.Time{}
	case s.dressed && s.leftAt.IsZero():
		s.leftAt = w.now
	}
}

// farewellDue: it has left its screen, and neither ends nor does anything for
// as long as a stall. A shell that runs a silent command looks the same; it is
// taken back as soon as anything moves.
func (w *Watch) farewellDue() time.Time {
	s, k := &w.seen, w.known
	resting := k.state == session.Ready || k.state == session.Idle || k.state == session.Done
	if s.leftAt.IsZero() || s.leftAt.Equal(s.leftFor) || !resting || k.stall == 0 || k.stopped {
		return time.Time{}
	}
	return latest(s.leftAt, s.movedAt, k.since).Add(k.stall)
}

func (w *Watch) farewell() {
	w.seen.leftFor = w.seen.leftAt
	why := "it has left its screen and still runs; nothing has moved for " + w.known.stall.String()
	w.say(session.FromScreen, why, session.Escalate{Cause: session.Stalled, Detail: why})
}
