package screen

// Modes are the modes a program has set that a viewer, a keyboard or a paste
// must respect. The zero value of every field but Autowrap is the default.
// Of MouseClick, MouseDrag and MouseAny at most one is set.
type Modes struct {
	AppCursor       bool // DECCKM, 1
	AppKeypad       bool // DECKPAM, or DECNKM 66
	Autowrap        bool // DECAWM, 7; on by default
	BracketedPaste  bool // 2004
	FocusEvents     bool // 1004
	InsertMode      bool // IRM, 4 (ANSI)
	Newline         bool // LNM, 20 (ANSI)
	Origin          bool // DECOM, 6
	ReverseScreen   bool // DECSCNM, 5
	SyncOutput      bool // 2026: an update is open
	AltScreen       bool // 47, 1047 or 1049
	AltScroll       bool // 1007: the wheel sends cursor keys on the alternate screen
	MouseClick      bool // 1000
	MouseDrag       bool // 1002
	MouseAny        bool // 1003
	MouseSGR        bool // 1006
	CursorStyle     int  // DECSCUSR
	KittyFlags      int  // kitty keyboard protocol, of the screen shown
	ModifyOtherKeys int  // xterm, CSI > 4 ; n m
	hidden          bool // DECTCEM reset
}

// Mouse says that the program wants mouse events of any kind.
func (m Modes) Mouse() bool { return m.MouseClick || m.MouseDrag || m.MouseAny }

// CursorVisible is DECTCEM.
func (m Modes) CursorVisible() bool { return !m.hidden }

func startModes() Modes { return Modes{Autowrap: true} }

// setModes is SM and RM.
func (t *Terminal) setModes(s *sequence, on bool) {
	before := t.Modes()
	for i := range s.n {
		switch n := s.param(i, 0); {
		case s.prefix == '?':
			t.setPrivate(n, on)
		case n == 4:
			t.modes.InsertMode = on
		case n == 20:
			t.modes.Newline = on
		}
	}
	t.modesChanged(before)
}

func (t *Terminal) modesChanged(before Modes) {
	if t.onEvent == nil {
		return
	}
	if now := t.Modes(); now != before {
		t.emit(ModeChanged{now})
		if now.AltScreen != before.AltScreen {
			t.emit(AltScreen{now.AltScreen})
		}
	}
}

// privateFlag is the field that a DEC private mode switches on and off, nil
// for modes that do more.
func (m *Modes) privateFlag(n int) *bool {
	switch n {
	case 1:
		return &m.AppCursor
	case 5:
		return &m.ReverseScreen
	case 7:
		return &m.Autowrap
	case 66:
		return &m.AppKeypad
	case 1004:
		return &m.FocusEvents
	case 1006:
		return &m.MouseSGR
	case 1007:
		return &m.AltScroll
	case 2004:
		return &m.BracketedPaste
	}
	return nil
}

// setPrivate is DECSET and DECRST.
func (t *Terminal) setPrivate(n int, on bool) {
	if flag := t.modes.privateFlag(n); flag != nil {
		*flag = on
		return
	}
	switch n {
	case 6:
		t.cur.origin = on
		t.moveTo(0, 0)
	case 1000, 1002, 1003:
		t.modes.MouseClick = on && n == 1000
		t.modes.MouseDrag = on && n == 1002
		t.modes.MouseAny = on && n == 1003
	case 25:
		t.modes.hidden = !on
	case 47, 1047, 1049:
		t.switchScreen(n, on)
	case 1048:
		if on {
			t.save()
		} else {
			t.restore()
		}
	case 2026:
		t.setSync(on)
	}
}

func (t *Terminal) setSync(on bool) {
	if on {
		t.freeze()
	} else {
		t.thaw()
	}
}

// switchScreen is the alternate screen of xterm. 1049 also saves the cursor
// on entry and restores it on leaving. The alternate screen is always entered
// blank, as in xterm.js, and forgotten when left.
func (t *Terminal) switchScreen(n int, on bool) {
	shown := t.grid == &t.alternate
	if on && n == 1049 {
		t.save()
	}
	switch {
	case on && !shown:
		t.alternate = grid{rows: newRows(t.cols, t.rows)}
		t.grid = &t.alternate
		t.eraseRows(0, t.rows)
	case !on && shown:
		t.grid = &t.primary
		t.alternate = grid{}
		t.kitty[1] = nil
	}
	if !on && n == 1049 {
		t.restore()
	}
	t.settle()
}

// softReset is DECSTR (VT510), with xterm's choice of autowrap on.
func (t *Terminal) softReset() {
	before := t.Modes()
	t.modes.hidden = false
	t.modes.InsertMode = false
	t.modes.AppCursor = false
	t.modes.AppKeypad = false
	t.modes.Autowrap = true
	t.top, t.bottom = 0, t.rows-1
	t.cur.origin = false
	t.cur.pen, t.cur.dirty = pen{}, true
	t.cur.sets, t.cur.shift = [4]byte{}, 0
	t.grid.saved = cursor{}
	t.modesChanged(before)
}

// reset is RIS: everything but the size and the history.
func (t *Terminal) reset() {
	before := t.Modes()
	t.thaw()
	t.modes = startModes()
	t.kitty = [2][]uint8{}
	t.cur = cursor{}
	t.top, t.bottom = 0, t.rows-1
	t.primary.saved, t.alternate = cursor{}, grid{}
	t.grid = &t.primary
	t.eraseRows(0, t.rows)
	t.resetTabs(0)
	t.title.stack = nil
	t.modesChanged(before)
}
