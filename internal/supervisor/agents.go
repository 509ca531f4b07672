package supervisor

import (
	"time"

	"github.com/tendhq/tend/internal/session"
)

// Agent is what the supervisor needs to know of one kind of agent. It is a
// value of functions, so that package agent need not know the supervisor.
type Agent struct {
	Name string
	Caps session.Caps
	// Install is how a person gets its program, "" when that is not known.
	Install string
	// Launch is how to start it, anew or to go on with a conversation.
	Launch func(spec session.Spec, o session.LaunchOrder) (session.LaunchPlan, error)
	// Kind is what a command line is by itself, "" when the caller decides.
	Kind func(argv []string) session.Kind
	// Posture is by what it would act without asking, empty when it asks.
	Posture func(argv []string, cwd string, env []string) []string
	// Streams: it tells what it does on a port of loopback. Stream is where.
	Streams bool
	Stream  func(s session.Session) session.Stream
	// Watch begins to read a run whose output before offset is summed up in
	// checkpoint (nil: offset is 0).
	Watch func(s session.Session, size session.Size, checkpoint []byte) (Watch, error)
}

// Watch is one run of one agent under observation. Its parts are one object,
// used from one goroutine; none of them has a clock or does I/O.
type Watch struct {
	Reader   Reader
	Composer Composer
	Screen   Screen
}

// Reader turns what a terminal shows into evidence.
type Reader interface {
	// Feed takes one event of the terminal and returns what it proves. Events
	// that it returns carry At, Source and Why; the run is added by the caller.
	Feed(at time.Time, e session.TerminalEvent) []session.Event
	// Tick is to be called when the time of Wake has come: what did not happen
	// until then is evidence too.
	Tick(at time.Time) []session.Event
	// Wake is when Tick has something to say, zero when it has not.
	Wake() time.Time
	// Answers is what the terminal replies to the device queries in what was
	// fed, once, nil when there was none.
	Answers() []byte
	// Wants is the path of the agent's own record when its end would tell more,
	// once; "" mostly. It is fed back as a session.RecordTail.
	Wants() string
	// Know tells the reader the session as it now is, after each change, so
	// that it says only what would be news.
	Know(s session.Session)
}

// Composer knows how to put text into the agent's input line.
type Composer interface {
	// Paste encodes a prompt for the terminal as it is now: framed if the agent
	// has bracketed paste on, else as one line. A *PasteError says why not.
	Paste(text string) ([]byte, error)
	// Holds reports whether the text, or the agent's placeholder for it, stands
	// in the input line at this moment.
	Holds(text string) bool
	// Clear is the keys that empty the input line of what was pasted before and
	// stands there again; nil when it does not.
	Clear() []byte
	// Key encodes a key by name: enter, esc, tab, space, up, down, left, right,
	// backspace, ctrl-a … ctrl-z, a single character.
	Key(name string) ([]byte, error)
	// Answer encodes an answer to the question on the screen as it is now: yes,
	// always or no, the number or the beginning of a choice where there are
	// choices, else any text. An error says why it is none, and nothing may be
	// typed.
	Answer(text string) ([]byte, error)
	// Interrupt is the keys that end a turn; those apart by a NUL are pressed one
	// after the other.
	Interrupt() []byte
}

// PasteError is text that cannot be typed to this terminal as one prompt.
// Nothing was typed.
type PasteError = session.PasteError

// Screen is the emulated terminal of a run.
type Screen interface {
	// Look is the screen as it is now.
	Look() ScreenView
	// Recent is the plain text printed since the turn began, at most n lines.
	Recent(n int) string
	// Checkpoint is the emulator's whole state, for Agent.Watch.
	Checkpoint() []byte
}
