package screen

import "unicode/utf8"

// text prints a run of ASCII characters.
func (t *Terminal) text(p []byte) {
	if t.cur.sets != [4]byte{} || t.modes.InsertMode || t.joinable && t.prepend {
		for _, c := range p {
			t.char(t.mapped(c))
		}
		return
	}
	id := t.penID()
	for len(p) > 0 {
		if t.cur.col >= t.cols {
			if !t.modes.Autowrap {
				t.cur.col = t.cols - 1
				p = p[len(p)-1:] // each overwrites the one before
			} else {
				t.wrap()
			}
		}
		n := min(len(p), t.cols-t.cur.col)
		r := t.line(t.cur.row)
		from, to := t.cur.col, t.cur.col+n
		t.part(r, from, to)
		cells := r.cells[from:to]
		for i, c := range p[:n] {
			cells[i] = cell{ch: uint32(c), pen: id}
		}
		t.printed(r, to)
		p = p[n:]
	}
	t.joinable, t.prepend = true, false
}

// part makes columns from and to character boundaries of r.
func (t *Terminal) part(r *row, from, to int) {
	if from < r.n && r.cells[from].flag&cellTail != 0 {
		r.split(from, t.blank())
	}
	if to < r.n && r.cells[to].flag&cellTail != 0 {
		r.split(to, t.blank())
	}
}

// printed moves the cursor behind what was printed up to column to.
func (t *Terminal) printed(r *row, to int) {
	r.n = max(r.n, to)
	t.cur.col = to
	if to == t.cols {
		r.wrapped = false
	}
}

// char prints one character or joins it to the one before (UAX #29). A
// character without width of its own always belongs to the one left of the
// cursor; the others join only what was printed immediately before.
func (t *Terminal) char(r rune) {
	c := classOf(r)
	join := t.joinable
	if c.plain() && !(join && t.prepend) {
		t.place(cell{ch: uint32(r), pen: t.penID()}, c.width())
		t.prepend = false
		return
	}
	if x, ok := t.before(); ok && (join || c.width() == 0) && t.join(x, r, c) {
		t.prepend = c.brk == breakPrepend
		return
	}
	if c.width() > 0 {
		t.place(cell{ch: uint32(r), pen: t.penID()}, c.width())
		t.prepend = c.brk == breakPrepend
	}
}

// before is the column of the character left of the cursor.
func (t *Terminal) before() (int, bool) {
	x := t.cur.col - 1
	if x > 0 && t.grid.rows[t.cur.row].cells[x].flag&cellTail != 0 {
		x--
	}
	return x, x >= 0
}

// join adds r to the character in column x unless UAX #29 puts a boundary
// between them. Zero-width format characters are kept with it all the same.
func (t *Terminal) join(x int, r rune, c class) bool {
	t.penID() // may renumber, so before any number is read
	old := t.grid.rows[t.cur.row].cells[x]
	var buf [maxCluster + 2*utf8.UTFMax]byte
	text := t.pens.appendText(buf[:0], old)
	if len(text) == 0 {
		text = append(text, ' ')
	}
	if c.width() > 0 && !joins(text, r) {
		return false
	}
	w := 1
	if old.flag&cellWide != 0 {
		w = 2
	}
	grown := clusterWidth(text, w, r)
	if text = utf8.AppendRune(text, r); len(text) > maxCluster {
		return true
	}
	if t.pens.full() {
		t.collect()
		old = t.grid.rows[t.cur.row].cells[x]
	}
	now := cell{ch: t.pens.cluster(text), pen: old.pen, flag: old.flag | cellCluster}
	if grown > w {
		t.widen(x, now)
		return true
	}
	line := t.line(t.cur.row)
	line.cells[x] = now
	line.n = max(line.n, x+1)
	return true
}

// widen replaces the one-cell character in column x by the two-cell one now.
// Where there is no room it moves to the next line, as a wide character would
// have from the start; where that cannot be, what was added is lost.
func (t *Terminal) widen(x int, now cell) {
	if x+2 > t.cols && (!t.modes.Autowrap || t.cols < 2) {
		return
	}
	t.line(t.cur.row).fill(x, x+1, cell{})
	t.cur.col = x
	if x+2 <= t.cols && t.modes.InsertMode {
		t.deleteCells(x, 1)
	}
	t.place(now, 2)
}

// place puts a character of width w at the cursor: VT510's DECAWM and IRM. A
// wide character that does not fit wraps, or is lost without autowrap.
func (t *Terminal) place(c cell, w int) {
	if t.cur.col+w > t.cols {
		if !t.makeRoom(w) {
			return
		}
	}
	r := t.line(t.cur.row)
	x := t.cur.col
	if t.modes.InsertMode {
		t.insertCells(x, w, t.blank())
		r = t.line(t.cur.row)
	} else {
		t.part(r, x, x+w)
	}
	if w == 2 {
		c.flag |= cellWide
		r.cells[x+1] = cell{pen: c.pen, flag: cellTail}
	}
	r.cells[x] = c
	t.printed(r, x+w)
	t.joinable = true
}

// makeRoom makes room for a character that does not fit in the line.
func (t *Terminal) makeRoom(w int) bool {
	if !t.modes.Autowrap {
		t.cur.col = t.cols - 1
		if w > 1 {
			t.joinable = false
		}
		return w == 1
	}
	if w > t.cols {
		t.joinable = false
		return false
	}
	if t.cur.col < t.cols {
		r := t.line(t.cur.row)
		t.part(r, t.cols-1, t.cols)
		r.fill(t.cols-1, t.cols, cell{pen: t.penID(), flag: cellPad})
	}
	t.wrap()
	return true
}

// wrap goes on in the next line.
func (t *Terminal) wrap() {
	y := t.cur.row
	r := t.line(y)
	last := r.cells[t.cols-1]
	r.wrapped = (y == t.bottom || y < t.rows-1) && (last.ch != 0 || last.flag != 0)
	if !r.wrapped {
		r.unwrap()
	}
	t.cur.col = 0
	t.index(true)
}

// mapped is the character that c stands for in the character set in use
// (VT510 §5, DEC Special Graphic and UK).
func (t *Terminal) mapped(c byte) rune {
	switch t.cur.sets[t.cur.shift] {
	case '0':
		if c >= 0x5f && c <= 0x7e {
			return specialGraphic[c-0x5f]
		}
	case 'A':
		if c == '#' {
			return '£'
		}
	}
	return rune(c)
}

var specialGraphic = [32]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}
