package screen

// Resize changes the size. Soft-wrapped lines of the primary screen are
// wrapped anew; rows that no longer fit move to the history and come back
// when there is room. The alternate screen is cut or padded: its program
// repaints it. The scrolling region becomes the whole screen, and an open
// synchronized update is shown as far as it got.
func (t *Terminal) Resize(cols, rows int) {
	cols, rows = clamp(cols, 1, maxSide), clamp(rows, 1, maxSide)
	if cols == t.cols && rows == t.rows {
		return
	}
	t.thaw()
	t.frozen.free = nil
	t.collect()
	alt := t.grid == &t.alternate
	marks := [2]*cursor{&t.primary.saved, &t.cur}
	if alt {
		marks[1] = &cursor{}
		t.alternate.crop(cols, rows, &t.cur)
	}
	t.reflow(cols, rows, marks)
	old := t.cols
	t.cols, t.rows = cols, rows
	t.top, t.bottom = 0, rows-1
	t.resetTabs(min(old, cols))
	t.joinable = false
	for _, c := range []*cursor{&t.cur, &t.primary.saved, &t.alternate.saved} {
		c.col, c.row = min(c.col, cols), min(c.row, rows-1)
	}
	t.primary.saved.col = min(t.primary.saved.col, cols-1)
	t.alternate.saved.col = min(t.alternate.saved.col, cols-1)
	t.settle()
}

// crop resizes the alternate screen, keeping the cursor's row on it.
func (g *grid) crop(cols, rows int, c *cursor) {
	if drop := c.row - rows + 1; drop > 0 {
		g.rows = g.rows[drop:]
		c.row -= drop
	}
	g.rows = g.rows[:min(rows, len(g.rows))]
	for i, r := range g.rows {
		now := newRow(cols)
		r.unwrap()
		now.n = copy(now.cells, r.cells[:min(r.n, cols)])
		if cols < len(r.cells) && r.cells[cols].flag&cellTail != 0 {
			now.cells[cols-1] = cell{}
		}
		g.rows[i] = now
	}
	for len(g.rows) < rows {
		g.rows = append(g.rows, newRow(cols))
	}
	if c.col >= cols {
		c.col = cols - 1
	}
}

// reflow resizes the primary screen; marks are the places that move along
// with the text, the last one being the cursor.
func (t *Terminal) reflow(cols, rows int, marks [2]*cursor) {
	f := flow{cols: cols}
	full := t.lastUsed(marks[1]) == t.rows-1
	pulled := t.pullLine()
	for i, r := range append(pulled, t.primary.rows[:t.lastUsed(marks[1])+1]...) {
		for k, m := range marks {
			if m.row+len(pulled) == i {
				f.mark(k, m.col)
			}
		}
		f.add(r)
	}
	f.end()
	top := max(len(f.rows)-rows, 0)
	if at := f.at[1].row; at < top && t.grid == &t.primary {
		top = at // the cursor's line stays; what is far below it goes
	}
	for top == 0 && full && len(f.rows) < rows && t.history.len() > 0 {
		f.prepend(rewrap(t.pullAny(), cols), cols)
		top = max(len(f.rows)-rows, 0)
	}
	for _, r := range f.rows[:top] {
		t.history.push(r, &t.pens)
	}
	kept := f.rows[top:min(top+rows, len(f.rows))]
	for len(kept) < rows {
		kept = append(kept, newRow(cols))
	}
	kept[rows-1].unwrap()
	t.primary.rows = kept
	for k, m := range marks {
		m.col, m.row = f.at[k].col, clamp(f.at[k].row-top, 0, rows-1)
	}
}

// lastUsed is the last row with text or the cursor.
func (t *Terminal) lastUsed(c *cursor) int {
	y := len(t.primary.rows) - 1
	for y > c.row && t.primary.rows[y].used() == 0 {
		y--
	}
	return y
}

// pullLine takes back from the history the beginning of the line that goes on
// in the first row of the screen.
func (t *Terminal) pullLine() []*row {
	if !t.history.wrapped() {
		return nil
	}
	return t.pullAny()
}

// pullAny takes back the newest logical line, or the part of it that is in
// the history.
func (t *Terminal) pullAny() []*row {
	var line []*row
	for t.history.len() > 0 && (len(line) == 0 || t.history.wrapped()) {
		line = append([]*row{t.pens.decode(t.history.last())}, line...)
		t.history.pop()
	}
	return line
}

// flow wraps rows of one width into rows of another.
type flow struct {
	cols int
	rows []*row
	line []cell // of the logical line being collected
	tail []cell // its unprinted but coloured end
	at   [2]struct{ col, row int }
	off  [2]int // offset of a mark in line, plus one
}

// mark notes that mark k stands in column col of the next row added.
func (f *flow) mark(k, col int) { f.off[k] = len(f.line) + col + 1 }

func (f *flow) add(r *row) {
	n := r.used()
	if r.wrapped {
		f.line = append(f.line, r.cells[:r.length()]...)
		return
	}
	f.line = append(f.line, r.cells[:n]...)
	f.tail = r.cells[n:r.n]
	f.end()
}

// end wraps the collected line.
func (f *flow) end() {
	if len(f.line) == 0 && f.tail == nil && f.off == [2]int{} {
		return
	}
	f.tail = append([]cell(nil), f.tail...)
	r, x := f.next(), 0
	for i, c := range f.line {
		switch {
		case c.flag&cellTail != 0:
			f.place(i, min(x, f.cols-1))
			if f.cols > 1 {
				r.cells[x], x = c, x+1
			}
			continue
		case c.flag&cellWide != 0 && x+2 > f.cols && f.cols > 1:
			if x < f.cols {
				r.cells[x] = cell{pen: c.pen, flag: cellPad}
			}
			r, x = f.follow(r), 0
		case x == f.cols:
			r, x = f.follow(r), 0
		}
		if c.flag&cellWide != 0 && f.cols < 2 {
			c = cell{ch: '?', pen: c.pen}
		}
		f.place(i, x)
		r.cells[x], x = c, x+1
	}
	f.finish(r, x)
}

// place moves the marks at offset i to column x of the last row.
func (f *flow) place(i, x int) {
	for k := range f.off {
		if f.off[k] == i+1 {
			f.at[k].col, f.at[k].row, f.off[k] = x, len(f.rows)-1, 0
		}
	}
}

// finish ends the line at column x of r. Marks beyond the text keep their
// distance from it as far as the row goes.
func (f *flow) finish(r *row, x int) {
	r.n = x
	if n := min(len(f.tail), f.cols-x); n > 0 {
		r.n = x + copy(r.cells[x:], f.tail[:n])
	}
	for k := range f.off {
		if f.off[k] > 0 {
			f.place(f.off[k]-1, min(x+f.off[k]-1-len(f.line), f.cols))
		}
	}
	f.line, f.tail = f.line[:0], nil
}

func (f *flow) next() *row {
	r := newRow(f.cols)
	f.rows = append(f.rows, r)
	return r
}

func (f *flow) follow(r *row) *row {
	if last := &r.cells[f.cols-1]; last.ch == 0 && last.flag == 0 {
		last.ch = ' ' // only a printed character makes a line go on
	}
	r.n, r.wrapped = f.cols, true
	return f.next()
}

func (f *flow) prepend(rows []*row, cols int) {
	for _, r := range rows {
		r.cells = append(r.cells, make([]cell, cols-len(r.cells))...)
		r.live = true
	}
	f.rows = append(rows, f.rows...)
	for k := range f.at {
		f.at[k].row += len(rows)
	}
}

// rewrap wraps the rows of one logical line to cols columns; the last one may
// go on elsewhere. The rows may have fewer cells than that.
func rewrap(line []*row, cols int) []*row {
	fits := true
	for _, r := range line {
		fits = fits && r.n <= cols && (!r.wrapped || r.n == cols)
	}
	if fits {
		return line
	}
	f := flow{cols: cols}
	open := line[len(line)-1].wrapped
	for _, r := range line {
		f.add(r)
	}
	f.end()
	if n := len(f.rows); n > 0 {
		f.rows[n-1].wrapped = open && f.rows[n-1].n == cols
		return f.rows
	}
	return []*row{newRow(cols)}
}
