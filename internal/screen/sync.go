package screen

// frame is what is shown while a synchronized update (mode 2026) is open: the
// screen before it. Its rows are shared with the live screen until that
// writes to them. rows is nil when no update is open.
type frame struct {
	rows   []*row
	cursor Cursor
	alt    bool
	lines  int    // history rows ever pushed before the frame
	idle   []*row // the buffer of rows while there are none
	free   []*row // rows to write to
}

// InSync says that a synchronized update is open: Text, Plain, Folded and
// Cursor then show the screen before it. A caller that sees it open for 2 s
// calls EndSync.
func (t *Terminal) InSync() bool { return t.frozen.rows != nil }

// EndSync shows what an update that does not close has drawn so far.
func (t *Terminal) EndSync() { t.thaw() }

// freeze opens a synchronized update.
func (t *Terminal) freeze() {
	f := &t.frozen
	if f.rows != nil {
		return
	}
	f.rows = append(f.idle[:0], t.grid.rows...)
	f.cursor = t.liveCursor()
	f.alt = t.grid == &t.alternate
	f.lines = t.history.pushed
	for _, r := range f.rows {
		r.shared = true
	}
}

// thaw closes it.
func (t *Terminal) thaw() {
	f := &t.frozen
	for _, r := range f.rows {
		r.shared = false
		if !r.live && len(f.free) < t.rows && len(r.cells) == t.cols {
			f.free = append(f.free, r)
		}
	}
	if f.rows != nil {
		clear(f.rows)
		f.idle, f.rows = f.rows[:0], nil
	}
}

// replace is a copy of r for the live screen to write to.
func (f *frame) replace(r *row) *row {
	c := f.spare(len(r.cells))
	copy(c.cells[:max(r.n, c.n)], r.cells)
	c.n, c.wrapped = r.n, r.wrapped
	r.live = false
	return c
}

// spare is a row with any content.
func (f *frame) spare(cols int) *row {
	if n := len(f.free); n > 0 {
		r := f.free[n-1]
		f.free = f.free[:n-1]
		r.live = true
		return r
	}
	return newRow(cols)
}

// shown is the rows that are displayed.
func (t *Terminal) shown() []*row {
	if t.frozen.rows != nil {
		return t.frozen.rows
	}
	return t.grid.rows
}

// shownHistory is the number of history rows above them.
func (t *Terminal) shownHistory() int {
	n := t.history.len()
	if t.frozen.rows != nil {
		n -= t.history.pushed - t.frozen.lines
	}
	return max(n, 0)
}

// collect forgets the styles, links and clusters that no screen uses any more
// and numbers the others anew.
func (t *Terminal) collect() {
	old := t.pens
	t.pens = newPens()
	seen := make(map[*row]bool)
	for _, rows := range [][]*row{t.primary.rows, t.alternate.rows, t.frozen.rows} {
		for _, r := range rows {
			if !seen[r] {
				seen[r] = true
				t.pens.adopt(r, &old)
			}
		}
	}
	for _, c := range []*cursor{&t.cur, &t.primary.saved, &t.alternate.saved} {
		c.pen.link = t.pens.link(old.links[c.pen.link])
		c.dirty = true
	}
	t.pens.limit = max(minPens, 2*(len(t.pens.list)+len(t.pens.clusters)+len(t.pens.links)))
	t.pens.heavy = max(minHeavy, 2*t.pens.bytes)
}

// adopt renumbers the cells of r, which old numbered.
func (p *pens) adopt(r *row, old *pens) {
	for i := range r.cells[:r.n] {
		c := &r.cells[i]
		if c.pen != 0 {
			v := old.list[c.pen]
			v.link = p.link(old.links[v.link])
			c.pen = p.number(v)
		}
		if c.flag&cellCluster != 0 {
			c.ch = p.cluster([]byte(old.clusters[c.ch]))
		}
	}
}
