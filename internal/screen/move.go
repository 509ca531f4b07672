package screen

// moveTo is CUP with zero-based coordinates, relative to the margins in
// origin mode (VT510 DECOM).
func (t *Terminal) moveTo(col, row int) {
	lo, hi := 0, t.rows-1
	if t.cur.origin {
		lo, hi = t.top, t.bottom
		row += t.top
	}
	t.cur.col = clamp(col, 0, t.cols-1)
	t.cur.row = clamp(row, lo, hi)
}

// toColumn is CHA; toRow is VPA.
func (t *Terminal) toColumn(col int) { t.cur.col = clamp(col, 0, t.cols-1) }

func (t *Terminal) toRow(row int) { t.moveTo(min(t.cur.col, t.cols-1), row) }

// up and down stop at the margin if they start inside it (ECMA-48 CUU, CUD).
func (t *Terminal) up(n int) {
	t.uncrowd()
	stop := 0
	if t.cur.row >= t.top {
		stop = t.top
	}
	t.cur.row = max(t.cur.row-n, stop)
}

func (t *Terminal) down(n int) {
	t.uncrowd()
	stop := t.rows - 1
	if t.cur.row <= t.bottom {
		stop = t.bottom
	}
	t.cur.row = min(t.cur.row+n, stop)
}

func (t *Terminal) right(n int) {
	t.uncrowd()
	t.cur.col = min(t.cur.col+n, t.cols-1)
}

func (t *Terminal) left(n int) {
	t.uncrowd()
	t.cur.col = max(t.cur.col-n, 0)
}

// rowsDown is VPR: down without regard to the margins.
func (t *Terminal) rowsDown(n int) {
	row := t.cur.row + n
	if t.cur.origin {
		row -= t.top
	}
	t.toRow(row)
}

// tab moves over n tab stops (HT, CHT); a pending wrap stays pending.
func (t *Terminal) tab(n int) {
	if t.cur.col >= t.cols {
		return
	}
	for range min(n, t.cols) {
		t.cur.col++
		for t.cur.col < t.cols-1 && !t.tabs[t.cur.col] {
			t.cur.col++
		}
		t.uncrowd()
	}
}

// backTab is CBT.
func (t *Terminal) backTab(n int) {
	t.uncrowd()
	for range min(n, t.cols) {
		t.left(1)
		for t.cur.col > 0 && !t.tabs[t.cur.col] {
			t.cur.col--
		}
	}
}

// clearTabs is TBC.
func (t *Terminal) clearTabs(how int) {
	switch how {
	case 0:
		if t.cur.col < t.cols {
			t.tabs[t.cur.col] = false
		}
	case 3:
		clear(t.tabs)
	}
}

// setMargins is DECSTBM with one-based rows; a region of less than two lines
// is ignored. The cursor goes home.
func (t *Terminal) setMargins(top, bottom int) {
	if bottom > t.rows {
		bottom = t.rows
	}
	if top >= bottom {
		return
	}
	t.top, t.bottom = top-1, bottom-1
	t.moveTo(0, 0)
}

// save and restore are DECSC and DECRC: cursor, pen, character sets and
// origin mode, for each screen its own. A pending wrap is not saved.
func (t *Terminal) save() {
	t.grid.saved = t.cur
	t.grid.saved.dirty = true
	t.grid.saved.col = min(t.cur.col, t.cols-1)
}

func (t *Terminal) restore() {
	t.cur = t.grid.saved
	t.cur.dirty = true
	t.cur.row = min(t.cur.row, t.rows-1)
	t.uncrowd()
	if t.cur.origin {
		t.cur.row = clamp(t.cur.row, t.top, t.bottom)
	}
}

// lineFeed is LF, VT and FF; newline mode returns the carriage too.
func (t *Terminal) lineFeed() {
	if t.modes.Newline {
		t.cur.col = 0
	}
	t.index(false)
}
