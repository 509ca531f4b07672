package holder

// composer follows what a person types, as far as it must be known whether a
// line may be left in the agent's input: it begins with text, pasted or typed,
// or a step into the history, and ends with Enter, Ctrl-C, Ctrl-U or two Escs.
// When in doubt there is a line. What terminals send by themselves (focus and
// mouse reports, answers to queries) is no typing.
type composer struct {
	unfinished bool

	state  composerState
	params []byte // of the control sequence that has begun
	skip   int    // bytes of an old mouse report that follow
	paste  bool
	escs   int // Escs in a row
}

type composerState byte

const (
	ground  composerState = iota
	escape                // after ESC
	control               // after CSI
	keypad                // after SS3
	text                  // in OSC, DCS, APC: a terminal's answer
	textEsc               // ESC in there
)

// maxParams bounds a control sequence; a longer one is taken for text.
const maxParams = 64

// What somebody's bytes amount to.
type typing struct {
	keys      bool // a key was pressed
	submitted bool // with Enter, outside of a paste
}

// feed takes one frame.
func (c *composer) feed(p []byte) (t typing) {
	for _, b := range p {
		c.step(b, &t)
	}
	if c.state == escape { // no sequence: the key
		c.state = ground
		c.esc(&t)
	}
	return t
}

func (c *composer) step(b byte, t *typing) {
	switch {
	case c.skip > 0:
		c.skip--
	case c.state == ground:
		c.key(b, t)
	case c.state == escape:
		c.afterEsc(b, t)
	case c.state == control:
		c.controlByte(b, t)
	case c.state == keypad:
		c.state = ground
		c.pad(b, t)
	case c.state == text && b == 0x1b:
		c.state = textEsc
	case c.state == text && b == 0x07, c.state == textEsc && b == '\\':
		c.state = ground
	case c.state == textEsc:
		c.state = text
	}
}

func (c *composer) key(b byte, t *typing) {
	if b == 0x1b {
		c.state = escape
		return
	}
	c.escs, t.keys = 0, true
	switch {
	case c.paste:
		c.unfinished = true
	case b == '\r' || b == '\n':
		c.enter(t)
	case b == 0x03 || b == 0x15:
		c.unfinished = false
	case b >= 0x20 && b != 0x7f:
		c.unfinished = true
	}
}

func (c *composer) enter(t *typing) {
	c.unfinished, t.keys, t.submitted = false, true, true
}

func (c *composer) esc(t *typing) {
	t.keys = true
	if c.escs++; c.escs >= 2 {
		c.unfinished, c.escs = false, 0
	}
}

func (c *composer) afterEsc(b byte, t *typing) {
	c.state, c.params = ground, c.params[:0]
	switch b {
	case '[':
		c.state = control
	case 'O':
		c.state = keypad
	case ']', 'P', '_', '^', 'X':
		c.state = text
	case 0x1b:
		c.state = escape
		c.esc(t)
	default: // Alt with a key: a new line, a word, a menu
		c.escs, t.keys, c.unfinished = 0, true, true
	}
}

func (c *composer) controlByte(b byte, t *typing) {
	switch {
	case b >= 0x40 && b <= 0x7e:
		c.state = ground
		c.final(b, t)
	case len(c.params) >= maxParams:
		c.state, c.unfinished, t.keys = ground, true, true
	default:
		c.params = append(c.params, b)
	}
}

// final takes the end of a sequence: a key, the bounds of a paste, or a report.
func (c *composer) final(b byte, t *typing) {
	plain := len(c.params) == 0
	private := !plain && (c.params[0] == '?' || c.params[0] == '<' || c.params[0] == '>')
	switch {
	case private:
		return
	case b == 'u':
		c.kitty(t)
		return
	case b == '~':
		c.tilde(t)
		return
	case b == 'M' && plain:
		c.skip = 3 // the old mouse report
		return
	case b == 'I' || b == 'O' || b == 'R' && !plain || b == 'c' || b == 'n' || b == 'y' || b == 't' || b == 'm' || b == 'M':
		return
	}
	c.escs, t.keys = 0, true
	if b == 'A' || b == 'B' {
		c.unfinished = true // a step into the history
	}
}

// pad takes a key of the keypad, or an arrow in application mode.
func (c *composer) pad(b byte, t *typing) {
	c.escs, t.keys = 0, true
	switch b {
	case 'M':
		c.enter(t)
	case 'A', 'B':
		c.unfinished = true
	}
}

func (c *composer) tilde(t *typing) {
	t.keys, c.escs = true, 0
	switch string(c.params) {
	case "200":
		c.paste = true
	case "201":
		c.paste = false
	}
}

// kitty takes a key of the kitty keyboard protocol: code;modifiers:event.
func (c *composer) kitty(t *typing) {
	code, mods, event := kittyKey(c.params)
	if event == 3 {
		return // released
	}
	const ctrl = 4
	mods = max(mods-1, 0)
	t.keys = true
	if code == 27 && mods == 0 {
		c.esc(t)
		return
	}
	c.escs = 0
	switch {
	case (code == 13 || code == 57414) && mods == 0:
		c.enter(t)
	case (code == 'c' || code == 'u') && mods == ctrl:
		c.unfinished = false
	case code == 13 || code >= 0x20 && code != 127 && code < 57344 && mods&ctrl == 0:
		c.unfinished = true
	}
}

// kittyKey reads the first numbers of "code[:...];mods[:event][;...]".
func kittyKey(p []byte) (code, mods, event int) {
	field, sub := 0, 0
	for _, b := range p {
		switch {
		case b == ';':
			field, sub = field+1, 0
		case b == ':':
			sub++
		case b < '0' || b > '9':
			return code, mods, event
		case field == 0 && sub == 0 && code < 1<<24:
			code = code*10 + int(b-'0')
		case field == 1 && sub == 0 && mods < 1<<16:
			mods = mods*10 + int(b-'0')
		case field == 1 && sub == 1 && event < 1<<16:
			event = event*10 + int(b-'0')
		}
	}
	return code, mods, event
}
