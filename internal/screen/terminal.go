package screen

// DefaultHistory is how many lines of scrollback a Terminal keeps unless told
// otherwise.
const DefaultHistory = 5000

// maxSide bounds a side of the screen, as the kernel's winsize does not.
const maxSide = 2000

// Options are fixed at birth.
type Options struct {
	History int         // lines of scrollback; 0 means DefaultHistory, negative none
	OnEvent func(Event) // called from within Write, in the order of the stream; may be nil
}

// Cursor is where the next character goes, counted from 0. In the last
// column with a wrap pending Col is that column. Style is the parameter of
// DECSCUSR (0 default, 1-2 block, 3-4 underline, 5-6 bar).
type Cursor struct {
	Col, Row int
	Visible  bool
	Style    int
}

// Terminal is one emulated terminal. The zero value is not usable; see New.
type Terminal struct {
	parser     parser
	cols, rows int
	primary    grid
	alternate  grid
	grid       *grid // the one shown
	cur        cursor
	top        int // first and last row of the scrolling region
	bottom     int
	modes      Modes
	tabs       []bool
	// joinable says that the last thing read was a character, so that the
	// next may continue its cluster and REP may repeat it; prepend that it
	// joins whatever comes next (GB9b).
	joinable bool
	prepend  bool
	pens     pens
	history  history
	frozen   frame
	title    titles
	kitty    [2][]uint8 // stacks of keyboard flags: primary, alternate
	onEvent  func(Event)
}

// cursor is what DECSC saves. col equals the number of columns while a wrap
// is pending.
type cursor struct {
	col, row int
	pen      pen
	id       uint16 // pen's number, valid unless dirty
	dirty    bool
	origin   bool
	shift    uint8   // which of sets is in GL
	sets     [4]byte // finals of the designated character sets, 0 for ASCII
}

// grid is the cells of one screen and the cursor saved for it.
type grid struct {
	rows  []*row
	saved cursor
}

// New returns a terminal in the state of a reset. Sides are held between 1
// and 2000.
func New(cols, rows int, opts Options) *Terminal {
	t := &Terminal{cols: clamp(cols, 1, maxSide), rows: clamp(rows, 1, maxSide), pens: newPens(), onEvent: opts.OnEvent}
	t.history.limit = opts.History
	if opts.History == 0 {
		t.history.limit = DefaultHistory
	}
	t.history.limit = max(t.history.limit, 0)
	t.primary.rows = newRows(t.cols, t.rows)
	t.grid = &t.primary
	t.bottom = t.rows - 1
	t.modes = startModes()
	t.resetTabs(0)
	return t
}

func newRows(cols, rows int) []*row {
	list := make([]*row, rows)
	for i := range list {
		list[i] = newRow(cols)
	}
	return list
}

// Write reads p. It always takes all of it and never fails; the result does
// not depend on how a stream is cut into writes.
func (t *Terminal) Write(p []byte) (int, error) {
	t.parser.parse(t, p)
	return len(p), nil
}

// OnEvent replaces the receiver of events, for a terminal that was restored.
func (t *Terminal) OnEvent(f func(Event)) { t.onEvent = f }

// Size is the number of columns and rows.
func (t *Terminal) Size() (cols, rows int) { return t.cols, t.rows }

// Cursor is the cursor as shown: inside an unfinished synchronized frame, the
// one before it.
func (t *Terminal) Cursor() Cursor {
	if t.frozen.rows != nil {
		return t.frozen.cursor
	}
	return t.liveCursor()
}

func (t *Terminal) liveCursor() Cursor {
	return Cursor{Col: min(t.cur.col, t.cols-1), Row: t.cur.row, Visible: !t.modes.hidden, Style: t.modes.CursorStyle}
}

// Modes are the modes in force, also inside a synchronized frame.
func (t *Terminal) Modes() Modes {
	m := t.modes
	m.AltScreen = t.grid == &t.alternate
	m.Origin = t.cur.origin
	m.SyncOutput = t.InSync()
	if s := t.kitty[t.side()]; len(s) > 0 {
		m.KittyFlags = int(s[len(s)-1])
	}
	return m
}

// side is the index of the screen shown: 0 primary, 1 alternate.
func (t *Terminal) side() int {
	if t.grid == &t.alternate {
		return 1
	}
	return 0
}

// Title is the window title: at most 1 KiB, one line, without control or
// bidirectional formatting characters.
func (t *Terminal) Title() string { return t.title.text }

func (t *Terminal) emit(e Event) {
	if t.onEvent != nil {
		t.onEvent(e)
	}
}

// line is the row y, ready to be written.
func (t *Terminal) line(y int) *row {
	r := t.grid.rows[y]
	if r.shared {
		r = t.frozen.replace(r)
		t.grid.rows[y] = r
	}
	return r
}

// penID is the number of the current pen.
func (t *Terminal) penID() uint16 {
	if t.cur.dirty {
		if t.pens.full() {
			t.collect()
		}
		t.cur.id, t.cur.dirty = t.pens.number(t.cur.pen), false
	}
	return t.cur.id
}

// erased is the cell that erasing leaves: blank, in the current background
// (xterm's back-color-erase).
func (t *Terminal) erased() cell {
	if t.cur.pen.bg == 0 {
		return cell{}
	}
	return cell{pen: t.pens.number(pen{bg: t.cur.pen.bg})}
}

// blank is the cell that half a destroyed wide character leaves.
func (t *Terminal) blank() cell { return cell{ch: ' ', pen: t.penID()} }

// resetTabs puts a stop in every eighth column from column from on.
func (t *Terminal) resetTabs(from int) {
	stops := make([]bool, t.cols)
	copy(stops, t.tabs[:min(from, len(t.tabs))])
	for i := from; i < t.cols; i++ {
		stops[i] = i > 0 && i%8 == 0
	}
	t.tabs = stops
}

func clamp(v, lo, hi int) int { return min(max(v, lo), hi) }
