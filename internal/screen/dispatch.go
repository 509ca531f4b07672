package screen

// control acts on a C0 control (ECMA-48 §8.3; ENQ and the rest are nothing).
func (t *Terminal) control(c byte) {
	t.joinable = false
	switch c {
	case 0x07:
		t.emit(Bell{})
	case 0x08:
		t.left(1)
	case 0x09:
		t.tab(1)
	case 0x0a, 0x0b, 0x0c:
		t.lineFeed()
	case 0x0d:
		t.cur.col = 0
	case 0x0e:
		t.cur.shift = 1
	case 0x0f:
		t.cur.shift = 0
	}
}

// escape acts on ESC I F.
func (t *Terminal) escape(s *sequence) {
	t.joinable = false
	switch s.inter {
	case 0:
		t.escapePlain(s.final)
	case '#':
		if s.final == '8' {
			t.align()
		}
	case '(', ')', '*', '+':
		t.cur.sets[s.inter-'('] = charset(s.final)
	}
}

// charset is the known set of a designation, 0 for ASCII and unknown ones.
func charset(final byte) byte {
	if final == '0' || final == 'A' {
		return final
	}
	return 0
}

func (t *Terminal) escapePlain(final byte) {
	switch final {
	case '7':
		t.save()
	case '8':
		t.restore()
	case '=':
		t.setKeypad(true)
	case '>':
		t.setKeypad(false)
	case 'D':
		t.index(false)
	case 'E':
		t.cur.col = 0
		t.index(false)
	case 'H':
		if t.cur.col < t.cols {
			t.tabs[t.cur.col] = true
		}
	case 'M':
		t.reverseIndex()
	case 'Z':
		t.query("DA1")
	case 'c':
		t.reset()
	case 'n':
		t.cur.shift = 2
	case 'o':
		t.cur.shift = 3
	}
}

func (t *Terminal) setKeypad(on bool) {
	before := t.Modes()
	t.modes.AppKeypad = on
	t.modesChanged(before)
}

// csi acts on a control sequence; unknown ones do nothing.
func (t *Terminal) csi(s *sequence) {
	if s.final != 'b' {
		t.joinable = false
	}
	switch {
	case s.plain():
		t.csiPlain(s)
	case s.inter == 0:
		t.csiPrefixed(s)
	case s.prefix == 0 && s.inter == ' ' && s.final == 'q':
		t.setCursorStyle(s.param(0, 0))
	case s.prefix == 0 && s.inter == '!' && s.final == 'p':
		t.softReset()
	case s.inter == '$' && s.final == 'p':
		t.queryMode(s)
	}
	t.joinable = false
}

func (t *Terminal) csiPlain(s *sequence) {
	n := s.param(0, 1)
	switch s.final {
	case '@':
		t.uncrowd()
		t.insertCells(t.cur.col, n, t.erased())
	case 'A':
		t.up(n)
	case 'B':
		t.down(n)
	case 'C', 'a':
		t.right(n)
	case 'D':
		t.left(n)
	case 'E':
		t.down(n)
		t.cur.col = 0
	case 'F':
		t.up(n)
		t.cur.col = 0
	case 'G', '`':
		t.toColumn(n - 1)
	case 'H', 'f':
		t.moveTo(s.param(1, 1)-1, n-1)
	case 'I':
		t.tab(n)
	case 'J':
		t.eraseDisplay(s.param(0, 0))
	case 'K':
		t.eraseLine(s.param(0, 0))
	case 'L':
		t.insertLines(n)
	case 'M':
		t.deleteLines(n)
	case 'P':
		t.uncrowd()
		t.deleteCells(t.cur.col, n)
	case 'Z':
		t.backTab(n)
	default:
		t.csiMore(s, n)
	}
}

func (t *Terminal) csiMore(s *sequence, n int) {
	switch s.final {
	case 'S':
		t.scrollUp(t.top, n, false)
		t.settle()
	case 'T':
		if s.n <= 1 { // with more it is xterm's highlight tracking
			t.scrollDown(t.top, n)
			t.settle()
		}
	case 'X':
		t.uncrowd()
		t.erase(t.cur.row, t.cur.col, min(t.cur.col+n, t.cols))
	case 'b':
		t.repeat(n)
	case 'c', 'n':
		t.queryDevice(s)
	case 'd':
		t.toRow(n - 1)
	case 'e':
		t.rowsDown(n)
	case 'g':
		t.clearTabs(s.param(0, 0))
	case 'h', 'l':
		t.setModes(s, s.final == 'h')
	case 'm':
		t.cur.pen.sgr(s)
		t.cur.dirty = true
	case 'r':
		t.setMargins(n, s.param(1, t.rows))
	case 's':
		t.save()
	case 't':
		t.titleStack(s)
	case 'u':
		t.restore()
	}
}

func (t *Terminal) csiPrefixed(s *sequence) {
	switch {
	case s.prefix == '?' && (s.final == 'h' || s.final == 'l'):
		t.setModes(s, s.final == 'h')
	case s.prefix == '?' && s.final == 'J':
		t.eraseDisplay(s.param(0, 0))
	case s.prefix == '?' && s.final == 'K':
		t.eraseLine(s.param(0, 0))
	case s.final == 'u':
		t.kittyKeyboard(s)
	case s.prefix == '>' && s.final == 'm' && s.param(0, 0) == 4:
		before := t.Modes()
		t.modes.ModifyOtherKeys = min(s.param(1, 0), 3)
		t.modesChanged(before)
	default:
		t.queryDevice(s)
	}
}

func (t *Terminal) setCursorStyle(n int) {
	if n <= 6 {
		before := t.Modes()
		t.modes.CursorStyle = n
		t.modesChanged(before)
	}
}

// maxKitty bounds the stack of keyboard flags; the oldest entry is dropped.
const maxKitty = 16

// kittyKeyboard is the progressive enhancement of the kitty keyboard
// protocol: CSI > flags u, CSI < n u, CSI = flags ; how u, CSI ? u.
func (t *Terminal) kittyKeyboard(s *sequence) {
	before := t.Modes()
	stack := &t.kitty[t.side()]
	switch s.prefix {
	case '>':
		if len(*stack) == maxKitty {
			*stack = append((*stack)[:0], (*stack)[1:]...)
		}
		*stack = append(*stack, uint8(s.param(0, 0)&31))
	case '<':
		*stack = (*stack)[:max(len(*stack)-s.param(0, 1), 0)]
	case '=':
		if len(*stack) == 0 {
			*stack = append(*stack, 0)
		}
		top, flags := &(*stack)[len(*stack)-1], uint8(s.param(0, 0)&31)
		switch s.param(1, 1) {
		case 1:
			*top = flags
		case 2:
			*top |= flags
		case 3:
			*top &^= flags
		}
	case '?':
		t.query("kitty keyboard")
	}
	t.modesChanged(before)
}
