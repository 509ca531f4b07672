package screen

// index moves the cursor down, scrolling at the bottom margin (IND). wrapping
// says that the line left goes on in the next one.
func (t *Terminal) index(wrapping bool) {
	t.uncrowd()
	switch {
	case t.cur.row == t.bottom:
		t.scrollUp(t.top, 1, wrapping)
	case t.cur.row < t.rows-1:
		t.cur.row++
	}
}

// reverseIndex is RI.
func (t *Terminal) reverseIndex() {
	t.uncrowd()
	switch {
	case t.cur.row == t.top:
		t.scrollDown(t.top, 1)
	case t.cur.row > 0:
		t.cur.row--
	}
}

// uncrowd ends a pending wrap; the cursor stands on the last column.
func (t *Terminal) uncrowd() { t.cur.col = min(t.cur.col, t.cols-1) }

// settle is for when another line came under the cursor: a pending wrap goes
// on only behind a printed character or in an erased line, and ends that
// line.
func (t *Terminal) settle() {
	if t.cur.col < t.cols {
		return
	}
	r := t.grid.rows[t.cur.row]
	if c := r.cells[t.cols-1]; c.ch == 0 && c.flag&cellTail == 0 && !r.uniform() {
		t.cur.col = t.cols - 1
		return
	}
	t.unwrap(t.cur.row)
}

// scrollUp moves the lines from row from to the bottom margin up by n. What
// leaves the top of the primary screen goes to the history, as in xterm.
func (t *Terminal) scrollUp(from, n int, wrapping bool) {
	n = min(n, t.bottom-from+1)
	rows, blank := t.grid.rows, t.erased()
	keep := from == 0 && t.grid == &t.primary
	if !keep {
		t.breakAbove(from)
	}
	if !wrapping {
		t.unwrap(t.bottom)
	}
	for range n {
		old := rows[from]
		if keep {
			t.history.push(old, &t.pens)
		}
		copy(rows[from:t.bottom], rows[from+1:t.bottom+1])
		rows[t.bottom] = t.recycle(old, blank)
	}
}

// scrollDown moves the lines from row from to the bottom margin down by n.
func (t *Terminal) scrollDown(from, n int) {
	n = min(n, t.bottom-from+1)
	rows, blank := t.grid.rows, t.erased()
	t.breakAbove(from)
	for range n {
		old := rows[t.bottom]
		copy(rows[from+1:t.bottom+1], rows[from:t.bottom])
		rows[from] = t.recycle(old, blank)
	}
	t.unwrap(t.bottom)
}

// recycle is a blank row, made of old unless a frozen frame shows that.
func (t *Terminal) recycle(old *row, blank cell) *row {
	if old.shared {
		old.live = false
		old = t.frozen.spare(t.cols)
	}
	old.reset(blank)
	return old
}

// breakAbove ends the logical line above row y, whose content changes.
func (t *Terminal) breakAbove(y int) {
	if y > 0 {
		t.unwrap(y - 1)
	} else if t.grid == &t.primary {
		t.history.unwrap()
	}
}

func (t *Terminal) unwrap(y int) {
	if t.grid.rows[y].wrapped {
		t.line(y).unwrap()
	}
}

// erase blanks the columns from..to of row y.
func (t *Terminal) erase(y, from, to int) {
	r, blank := t.line(y), t.erased()
	t.partErased(r, from, to, blank)
	r.fill(from, to, blank)
	if to == t.cols {
		r.wrapped = false
	}
}

func (t *Terminal) partErased(r *row, from, to int, blank cell) {
	r.split(from, blank)
	r.split(to, blank)
}

// eraseLine is EL. Erasing a line from its start also ends the line above.
func (t *Terminal) eraseLine(how int) {
	y := t.cur.row
	switch how {
	case 0:
		if t.cur.col < t.cols {
			t.erase(y, t.cur.col, t.cols)
		}
		if t.cur.col == 0 {
			t.breakAbove(y)
		}
	case 1:
		t.erase(y, 0, min(t.cur.col+1, t.cols))
		t.breakAbove(y)
	case 2:
		t.erase(y, 0, t.cols)
		t.breakAbove(y)
	}
}

// eraseDisplay is ED; 3 drops the history (xterm).
func (t *Terminal) eraseDisplay(how int) {
	switch how {
	case 0:
		t.eraseLine(0)
		t.eraseRows(t.cur.row+1, t.rows)
	case 1:
		t.eraseRows(0, t.cur.row)
		t.eraseLine(1)
	case 2:
		t.eraseRows(0, t.rows)
	case 3:
		t.history.clear()
	}
}

func (t *Terminal) eraseRows(from, to int) {
	for y := from; y < to; y++ {
		t.line(y).reset(t.erased())
	}
	if from < to {
		t.breakAbove(from)
	}
}

// insertCells shifts the rest of the cursor's line right by n from column x
// and leaves blanks (ICH, IRM).
func (t *Terminal) insertCells(x, n int, blank cell) {
	r := t.line(t.cur.row)
	n = min(n, t.cols-x)
	r.unwrap()
	r.split(x, blank)
	r.split(t.cols-n, blank)
	copy(r.cells[x+n:], r.cells[x:t.cols-n])
	r.n = t.cols
	r.fill(x, x+n, blank)
}

// deleteCells is DCH at column x.
func (t *Terminal) deleteCells(x, n int) {
	r, blank := t.line(t.cur.row), t.erased()
	n = min(n, t.cols-x)
	r.unwrap()
	r.split(x, blank)
	r.split(x+n, blank)
	copy(r.cells[x:], r.cells[x+n:])
	r.fill(t.cols-n, t.cols, blank)
}

// insertLines and deleteLines are IL and DL: nothing outside the margins, and
// the cursor goes to the first column.
func (t *Terminal) insertLines(n int) {
	t.uncrowd()
	if t.cur.row < t.top || t.cur.row > t.bottom {
		return
	}
	t.scrollDown(t.cur.row, n)
	t.cur.col = 0
}

func (t *Terminal) deleteLines(n int) {
	t.uncrowd()
	if t.cur.row < t.top || t.cur.row > t.bottom {
		return
	}
	t.scrollUp(t.cur.row, n, false)
	t.cur.col = 0
}

// align is DECALN: a screen of E, margins and cursor reset.
func (t *Terminal) align() {
	t.top, t.bottom = 0, t.rows-1
	t.cur.origin = false
	t.cur.col, t.cur.row = 0, 0
	for y := range t.rows {
		r := t.line(y)
		r.reset(cell{})
		r.fill(0, t.cols, cell{ch: 'E'})
	}
	t.breakAbove(0)
}

// repeat is REP: the character just printed n times more.
func (t *Terminal) repeat(n int) {
	x, ok := t.before()
	if !t.joinable || !ok {
		return
	}
	c := t.grid.rows[t.cur.row].cells[x]
	if c.ch == 0 {
		return
	}
	w := 1
	if c.flag&cellWide != 0 {
		w = 2
	}
	c.flag &= cellCluster
	for range min(n, t.cols*t.rows) {
		t.place(c, w)
	}
}
