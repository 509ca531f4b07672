package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/tendhq/tend/internal/session"
)

// dialect is what one kind of agent says of itself in a way of its own. One
// value listens to one run; it says evidence by w.say and never decides.
type dialect interface {
	// hook takes the payload of one hook.
	hook(w *Watch, payload []byte)
	// title takes a changed window title.
	title(w *Watch, title string)
	// record takes the end of the agent's own record, after w.wantRecord.
	record(w *Watch, tail []byte)
	// failed is called when it said in its byte stream that an error ended the turn.
	failed(w *Watch)
	// shown is called when the screen has changed and is whole.
	shown(w *Watch)
	// next is a rule of its own, as things stand: when it is due (zero: not at
	// all), and what it then does.
	next(w *Watch) (due time.Time, act func())
}

// traits is what is known of an agent beforehand.
type traits struct {
	// speaks: it is heard from its start on, by hooks or in its byte stream, so
	// that its screen need not be asked.
	speaks      bool
	screenReady bool              // but its screen says better when it takes prompts
	interrupt   string            // the keys that end a turn and keep the agent, apart by a NUL
	clear       string            // the key that empties an input line that is not empty; "" = not known
	missing     string            // what it prints when the conversation it should resume is gone
	answers     map[string]string // the keys of yes, always and no in a dialog without numbers
	answering   string            // what such a dialog shows
	dialogs     []dialog          // what it may ask before it can say anything itself
}

// dialog is a dialog that is known by a text that it shows.
type dialog struct{ shows, kind string }

// shows counts a text on the screen.
func (w *Watch) shows(text string) int { return strings.Count(strings.Join(w.term.Text(), "\n"), text) }

// usesTool tells of a tool that begins or ends.
func (w *Watch) usesTool(name, how string, a session.ToolActivity) {
	why := "its tool " + cut(name, 60) + " has ended "
	if a.Running {
		why = "it uses the tool " + cut(name, 60) + " "
	}
	w.say(session.FromHook, why+how, a)
}

// onboarding tells of a dialog that stands where the agent would begin: nothing
// else could tell, and readiness would be a mistake.
func (w *Watch) onboarding() {
	list := w.traits.dialogs
	if len(list) == 0 || !w.starting() && w.dialog == "" {
		return
	}
	for _, d := range list {
		if w.shows(d.shows) == 0 {
			continue
		}
		w.hooks.from = time.Time{} // it is not its hooks that are silent
		if w.dialog != d.shows {
			w.dialog = d.shows
			w.say(session.FromScreen, "its screen shows a dialog: "+d.shows, session.Asked{Kind: d.kind, Text: w.asks(d)})
		}
		return
	}
	if w.dialog != "" && w.hooks.from.IsZero() {
		w.hooks.from = w.now
	}
	if w.known.state != session.WaitingOnInput {
		w.dialog = ""
	}
}

// resumeMissing tells that the conversation to resume is gone, in its own words.
func (w *Watch) resumeMissing() {
	gone := w.traits.missing
	if gone == "" || w.known.state != session.Resuming || w.lost {
		return
	}
	if w.shows(gone) > 0 {
		w.lost = true
		w.say(session.FromScreen, "it says: "+gone, session.ResumeFailed{Cause: session.NativeSessionMissing, Detail: "it says: " + gone})
	}
}

// asks is what a dialog asks, with its choices.
func (w *Watch) asks(d dialog) string {
	text := w.question()
	if strings.Contains(text, d.shows) {
		return text
	}
	text = d.shows
	for _, c := range w.choices() {
		text += fmt.Sprintf("\n%d. %s", c.number, cut(c.label, 80))
	}
	return text
}

// silence is the dialect of an agent that says nothing of its own. Dialects
// embed it for what they do not speak.
type silence struct{}

func (silence) hook(*Watch, []byte)             {}
func (silence) title(*Watch, string)            {}
func (silence) record(*Watch, []byte)           {}
func (silence) failed(*Watch)                   {}
func (silence) shown(*Watch)                    {}
func (silence) next(*Watch) (time.Time, func()) { return time.Time{}, nil }

// hookWait is how long after its start an agent may be silent whose hooks say
// when it is ready; after that its screen is believed instead.
const hookWait = 20 * time.Second

// hooks is what came through the agent's hooks, or by its own word in its byte
// stream.
type hooks struct {
	heard  bool
	silent bool      // was said
	from   time.Time // of the silence; zero: it does not count now
	record string    // the path of the agent's own record
	wanted bool      // its end is wanted
	native string    // the conversation, as far as it was named
	at     time.Time // when the hook at work was called, which may be long before it is heard
	// taken is the offset in the spool before which an earlier watch has taken
	// evidence.
	taken int64
}

// hookFired takes one line of the spool. Everything that it says carries the
// offset after it, so that it is taken once.
func (w *Watch) hookFired(e session.HookFired) {
	h := &w.hooks
	before := len(w.out)
	if e.Torn {
		return
	}
	w.past = e.Offset > 0 && e.Offset <= h.taken // a stream has no offsets
	if h.silent {
		w.say(session.FromHook, "its hooks are heard again", session.HooksSilent{})
	}
	h.heard, h.silent, h.at = true, false, w.now
	if e.At.Before(w.now) && !e.At.IsZero() {
		h.at = e.At
	}
	w.dialect.hook(w, e.Payload)
	w.past = false
	if n := len(w.out); n > before && e.Offset > 0 {
		w.out[n-1].HookOffset = e.Offset // the last: what comes before it may be said twice
	}
}

// owns takes note of whose hook it is. Another conversation's is foreign, as of an
// agent that this one has started; renames tells that this one goes on under
// another name.
func (w *Watch) owns(id, event string, renames bool) bool {
	h := &w.hooks
	switch {
	case !validID(id):
		w.say(session.FromHook, "a hook named no conversation", session.ForeignSeen{ID: cut(id, 60), Detail: cut(event, 60)})
		return false
	case id == h.native:
		return true
	case h.native == "" || renames:
		h.native = id
		w.say(session.FromHook, "its conversation is "+id, session.NativeSeen{ID: id})
		return true
	}
	w.say(session.FromHook, "a hook of another conversation", session.ForeignSeen{ID: id, Detail: cut(event, 60)})
	return false
}

// started: its hooks say that it has begun, or gone on with a conversation. Some
// call every start the same; then the name of the conversation is the proof.
func (w *Watch) started(source string, same bool) {
	why := "(hook, " + cut(source, 20) + ")"
	switch {
	case w.known.state == session.Resuming && (source == "resume" || same && w.hooks.native == w.known.native):
		w.say(session.FromHook, "it has taken its conversation up again "+why, session.ResumeProven{})
	case w.dialog != "" && w.known.state == session.WaitingOnInput:
		w.say(session.FromHook, "its dialog is answered, and it has started "+why, session.Interrupted{})
	default:
		w.say(session.FromHook, "it has started "+why, session.ReadySeen{})
	}
}

// speaks reports whether the agent itself says what it does, so that the screen
// need not be asked.
func (w *Watch) speaks() bool { return w.traits.speaks && !w.hooks.silent }

func (w *Watch) silenceDue() time.Time {
	h := w.hooks
	if !w.traits.speaks || h.heard || h.silent || h.from.IsZero() {
		return time.Time{}
	}
	return h.from.Add(hookWait)
}

func (w *Watch) hooksSilent() {
	w.hooks.silent = true
	w.say(session.FromSupervisor, "none of its hooks was heard within "+hookWait.String()+" of its start: its screen is read instead",
		session.HooksSilent{Silent: true})
}

// Wants is the path of a record whose end the reader wants to see, once; ""
// mostly. It is fed back as session.RecordTail.
func (w *Watch) Wants() string {
	if !w.hooks.wanted {
		return ""
	}
	w.hooks.wanted = false
	return w.hooks.record
}

func (w *Watch) wantRecord() { w.hooks.wanted = w.hooks.record != "" }

// validID reports whether an agent's name for a conversation can be one: it is
// shown, stored and put on a command line.
func validID(id string) bool {
	if id == "" || len(id) > 128 || id[0] == '-' {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool {
		return r != '-' && r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}) < 0
}

// cut is at most n bytes of s on one line, without what cannot be shown.
func cut(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return strings.TrimSpace(s)
}

// decode reads a payload; false when it is none.
func decode(payload []byte, into any) bool {
	return len(payload) > 0 && json.Unmarshal(payload, into) == nil
}
