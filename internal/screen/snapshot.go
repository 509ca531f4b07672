package screen

import "strconv"

// resetModes brings the modes a program may have set back to their defaults,
// on either screen, and ends on the primary one.
const resetModes = "\x1b[?2026l\x1b[?1047l\x1b[?6l\x1b[r\x1b[4l\x1b[20l\x1b[?7h\x1b[?5l\x1b[?1l\x1b>" +
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?1007l\x1b[?2004l" +
	"\x1b[>4;0m\x1b[<99u\x1b[?25h\x1b[0 q" +
	"\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b]8;;\x1b\\\x1b[0m"

// Snapshot is bytes that bring any terminal of the same size, whatever its
// state, to this one's cells, attributes, cursor, saved cursors, margins, tab
// stops, modes, title and screen. They begin with that many rows of
// scrollback, which end up above the screen; a negative number means all.
//
// A sequence or character that is not complete yet comes last, so that the
// rest of the stream may follow. Inside a synchronized frame the screen
// before it comes first, then the open frame with what it has drawn.
//
// What lies in the receiver's own scrollback is not touched.
func (t *Terminal) Snapshot(history int) []byte {
	p := &painter{dst: make([]byte, 0, 4096+t.cols*t.rows*2+t.history.size(history)), cols: t.cols, pens: &t.pens}
	p.put("\x18\x1b\\" + resetModes) // whatever sequence the receiver is in ends first
	end := t.history.len()
	shown := t.shownHistory()
	from := 0
	if history >= 0 {
		from = max(shown-history, 0)
	}
	if t.frozen.rows == nil {
		t.paintLive(p, from, end)
	} else {
		t.paintFrozen(p, from, shown)
		p.put("\x1b[?2026h\x1b[?1047l")
		t.paintLive(p, shown, end)
	}
	p.dst = t.parser.pending(p.dst)
	return p.dst
}

// paintFrozen paints the screen before the open synchronized update.
func (t *Terminal) paintFrozen(p *painter, from, end int) {
	p.clear(t.rows)
	rows := t.frozen.rows
	if t.frozen.alt {
		rows = t.primary.rows // for the history to scroll away
	}
	t.paintHistory(p, from, end, rows[0])
	p.rows(rows)
	if t.frozen.alt {
		p.use(pen{})
		p.put("\x1b[?1047h")
		p.clear(t.rows)
		p.rows(t.frozen.rows)
	}
	t.paintCursor(p, t.frozen.cursor)
}

// paintLive paints both screens and every state of the terminal.
func (t *Terminal) paintLive(p *painter, from, end int) {
	for _, title := range t.title.stack {
		p.title(title)
		p.put("\x1b[22;0t")
	}
	p.title(t.title.text)
	t.paintTabs(p)
	t.paintSaved(p, &t.primary)
	p.clear(t.rows)
	t.paintHistory(p, from, end, t.primary.rows[0])
	p.rows(t.primary.rows)
	p.keyboard(t.kitty[0])
	if t.grid == &t.alternate {
		p.use(pen{})
		p.put("\x1b[?1047h")
		p.keyboard(t.kitty[1])
		t.paintSaved(p, &t.alternate)
		p.clear(t.rows)
		p.rows(t.alternate.rows)
	}
	t.paintCursor(p, t.liveCursor())
	t.paintModes(p)
	t.paintPosition(p)
}

func (p *painter) title(s string) {
	p.put("\x1b]2;")
	p.put(s)
	p.put("\x1b\\")
}

func (p *painter) keyboard(stack []uint8) {
	p.put("\x1b[<99u")
	for _, flags := range stack {
		p.put("\x1b[>")
		p.put(strconv.Itoa(int(flags)))
		p.put("u")
	}
}

// rows paints a whole screen from its first row.
func (p *painter) rows(rows []*row) {
	for i, r := range rows {
		if i > 0 {
			p.join(rows[i-1], r)
		}
		p.row(r)
	}
}

// paintHistory paints the history rows from..end, wrapped anew where they are
// from another width, and goes on to first.
func (t *Terminal) paintHistory(p *painter, from, end int, first *row) {
	scratch, live := newPens(), p.pens
	p.pens = &scratch
	var line []*row // the rows of a logical line, of the first of those in use
	var rows []*row
	t.history.walk(from, end, func(enc []byte) {
		if len(line) == 0 && scratch.full() {
			scratch = newPens()
		}
		if len(line) == len(rows) {
			rows = append(rows, &row{})
		}
		r := rows[len(line)]
		scratch.decodeInto(r, enc)
		line = append(line, r)
		if !r.wrapped {
			p.rows(rewrap(line, p.cols))
			p.use(pen{})
			p.put("\r\n")
			line = line[:0]
		}
	})
	if len(line) > 0 {
		next := *first
		next.cells = append([]cell(nil), first.cells...)
		scratch.adopt(&next, live)
		line = rewrap(line, p.cols)
		p.rows(line)
		p.join(line[len(line)-1], &next)
	}
	p.pens = live
}

func (t *Terminal) paintTabs(p *painter) {
	p.put("\x1b[3g")
	for x, stop := range t.tabs {
		if stop {
			p.csi(x+1, 'G')
			p.put("\x1bH")
		}
	}
}

// paintSaved makes the cursor saved for a screen, while that screen is still
// blank.
func (t *Terminal) paintSaved(p *painter, g *grid) {
	c := g.saved
	p.use(pen{})
	if c.origin {
		p.put("\x1b[?6h") // the margins are the whole screen still
	}
	p.at(min(c.col, t.cols-1), min(c.row, t.rows-1))
	p.charsets(c)
	p.use(c.pen)
	p.put("\x1b7\x1b[?6l\x1b(B\x1b)B\x1b*B\x1b+B\x0f")
}

func (t *Terminal) paintMargins(p *painter) {
	if t.top > 0 || t.bottom < t.rows-1 {
		p.put("\x1b[" + strconv.Itoa(t.top+1) + ";" + strconv.Itoa(t.bottom+1) + "r")
	}
}

func (p *painter) charsets(c cursor) {
	for i, set := range c.sets {
		if set != 0 {
			p.put("\x1b" + string("()*+"[i]) + string(set))
		}
	}
	p.put([...]string{"", "\x0e", "\x1bn", "\x1bo"}[c.shift])
}

func (t *Terminal) paintCursor(p *painter, c Cursor) {
	p.at(c.Col, c.Row)
	p.put("\x1b[" + strconv.Itoa(c.Style) + " q")
	if c.Visible {
		p.put("\x1b[?25h")
	} else {
		p.put("\x1b[?25l")
	}
}

// paintModes sets what differs from the defaults, but for the cursor's own.
func (t *Terminal) paintModes(p *painter) {
	for _, n := range [...]int{1, 5, 1000, 1002, 1003, 1004, 1006, 1007, 2004} {
		if on, _ := t.privateMode(n); on {
			p.put("\x1b[?" + strconv.Itoa(n) + "h")
		}
	}
	if t.modes.AppKeypad {
		p.put("\x1b=")
	}
	if n := t.modes.ModifyOtherKeys; n != 0 {
		p.put("\x1b[>4;" + strconv.Itoa(n) + "m")
	}
	t.paintMargins(p)
	if t.cur.origin {
		p.put("\x1b[?6h")
	}
	if t.modes.InsertMode {
		p.put("\x1b[4h")
	}
	if t.modes.Newline {
		p.put("\x1b[20h")
	}
	if !t.modes.Autowrap {
		p.put("\x1b[?7l")
	}
}

// paintPosition puts the cursor, its pen and character sets, and whether a
// wrap is pending or a cluster may go on: those need the character before the
// cursor printed again.
func (t *Terminal) paintPosition(p *painter) {
	row := t.cur.row
	if t.cur.origin {
		row -= t.top
	}
	x, ok := t.before()
	if !ok || t.cur.col < t.cols && !t.joinable {
		p.charsets(t.cur)
		p.use(t.cur.pen)
		p.at(t.cur.col, row)
		return
	}
	last := t.grid.rows[t.cur.row].cells[x]
	if last.ch == 0 {
		p.erasedBehind(x, row, p.pens.list[last.pen])
		p.charsets(t.cur)
		p.use(t.cur.pen)
		return
	}
	if t.joinable {
		p.charsets(t.cur)
	}
	p.use(t.pens.list[last.pen])
	p.at(x, row)
	if t.modes.InsertMode {
		p.csi(t.cur.col-x, 'P')
	}
	p.dst = t.pens.appendText(p.dst, last)
	if !t.joinable {
		p.charsets(t.cur)
		p.use(t.cur.pen)
		p.dst = p.pen.append(p.dst) // whatever it is: nothing joins behind it
	}
}

// erasedBehind leaves a wrap pending at the end of a line erased with v.
func (p *painter) erasedBehind(x, row int, v pen) {
	p.at(x, row)
	p.use(v)
	p.put(" \x1b[2K")
}
