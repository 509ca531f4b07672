package agent

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tendhq/tend/internal/session"
)

// maxLine is the longest line in bytes that a terminal in canonical mode takes
// (N_TTY_BUF_SIZE in the Linux kernel, less the newline); more is lost without
// a word.
const maxLine = 4095

// The frame of a bracketed paste (xterm, mode 2004).
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// Paste encodes a prompt for the terminal as it is now: framed if bracketed
// paste is on, else as one line of at most 4095 bytes. Control bytes are taken
// out in either case (session.Sanitise), and newlines at the end, which would
// submit or be absorbed. A *session.PasteError says why not; then nothing may
// be typed.
func (w *Watch) Paste(text string) ([]byte, error) {
	clean, _ := session.Sanitise(text)
	clean = strings.TrimRight(clean, "\n")
	framed := w.term.Modes().BracketedPaste
	switch lines := strings.Count(clean, "\n") + 1; {
	case framed:
	case lines > 1:
		return nil, &session.PasteError{Why: fmt.Sprintf(
			"the agent has not turned on bracketed paste, so each of the %d lines would be submitted by itself: send the text as one line", lines)}
	case len(clean) > maxLine:
		return nil, &session.PasteError{Why: fmt.Sprintf(
			"the agent has not turned on bracketed paste, and a terminal takes at most %d bytes as one line (this has %d): put the text in a file and name it", maxLine, len(clean))}
	}
	w.typed.pasted = tailOf(clean)
	w.typed.long = isLong(clean)
	if !framed || clean == "" {
		return []byte(clean), nil
	}
	return []byte(pasteBegin + clean + pasteEnd), nil
}

// Clear is the keys that empty the input line of what was pasted last and still
// stands there, as some agents put an interrupted prompt back; nil when it is
// not there, or no such key is known.
func (w *Watch) Clear() []byte {
	if w.typed.pasted == "" || !w.holdsPasted() {
		return nil
	}
	return []byte(w.traits.clear)
}

// Interrupt is the keys that end a turn, apart by a NUL. Asking for it is remembered:
// if the agent soon says that it is idle, that is its effect.
func (w *Watch) Interrupt() []byte {
	w.typed.interrupting = true
	return []byte(w.traits.interrupt)
}

// keys are the bytes of the keys with names, as xterm sends them.
var keys = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift-tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"delete": "\x1b[3~", "pageup": "\x1b[5~", "pagedown": "\x1b[6~",
}

// cursorKeys are the finals of the keys that DECCKM changes.
var cursorKeys = map[string]byte{
	"up": 'A', "down": 'B', "right": 'C', "left": 'D', "home": 'H', "end": 'F',
}

// Key encodes a key by name: enter, esc, tab, shift-tab, space, backspace,
// delete, up, down, left, right, home, end, pageup, pagedown, ctrl-a … ctrl-z,
// or a single printable character.
func (w *Watch) Key(name string) ([]byte, error) {
	if r, n := utf8.DecodeRuneInString(name); n > 0 && n == len(name) && r != utf8.RuneError && unicode.IsPrint(r) {
		return []byte(name), nil
	}
	low := strings.ToLower(name)
	if s, ok := keys[low]; ok {
		return []byte(s), nil
	}
	if c, ok := cursorKeys[low]; ok {
		if w.term.Modes().AppCursor {
			return []byte{0x1b, 'O', c}, nil
		}
		return []byte{0x1b, '[', c}, nil
	}
	if c, ok := strings.CutPrefix(low, "ctrl-"); ok && len(c) == 1 && c[0] >= 'a' && c[0] <= 'z' {
		return []byte{c[0] & 0x1f}, nil
	}
	return nil, fmt.Errorf("no key is called %q: known are enter, esc, tab, shift-tab, space, backspace, delete, "+
		"up, down, left, right, home, end, pageup, pagedown, ctrl-a to ctrl-z and single characters", name)
}
