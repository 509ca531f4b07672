package screen

import "unicode/utf8"

// color is 0 for the default, else a kind in the top byte and a palette
// number or 0xRRGGBB below it.
type color uint32

const (
	colorPalette color = 1 << 24
	colorRGB     color = 2 << 24
	colorKind    color = 0xff << 24
)

// The attributes of SGR that are on or off.
const (
	attrBold uint16 = 1 << iota
	attrFaint
	attrItalic
	attrBlink
	attrInverse
	attrInvisible
	attrStrike
	attrOverline
)

// pen is everything a printed character takes along. under is the underline
// style of SGR 4:n; link is an index into pens.links, 0 for none.
type pen struct {
	fg, bg, ul color
	attr       uint16
	under      uint8
	link       uint16
}

// What a cell's ch means, and how it lies in its row.
const (
	cellCluster uint8 = 1 << iota // ch is an index into pens.clusters
	cellWide                      // the left half of a two-cell character
	cellTail                      // the right half; ch is 0
	cellPad                       // last column left empty because a wide character wrapped
)

// cell is one column of a row. ch is 0 where nothing was ever printed.
type cell struct {
	ch   uint32
	pen  uint16
	flag uint8
}

// row is one line of a screen. Cells from n on are zero. wrapped says that
// the text goes on in the next row because it did not fit.
type row struct {
	cells   []cell
	n       int
	wrapped bool
	shared  bool // also part of a frozen frame: copy before writing
	live    bool // part of a screen
}

func newRow(cols int) *row { return &row{cells: make([]cell, cols), live: true} }

// fill sets the cells from..to to one value.
func (r *row) fill(from, to int, c cell) {
	if c == (cell{}) {
		if from < r.n {
			clear(r.cells[from:min(to, r.n)])
			if to >= r.n {
				r.n = from
			}
		}
		return
	}
	for i := from; i < to; i++ {
		r.cells[i] = c
	}
	r.n = max(r.n, to)
}

// used is the number of columns up to the last printed one.
func (r *row) used() int {
	n := r.n
	for n > 0 && r.cells[n-1].ch == 0 && r.cells[n-1].flag&cellTail == 0 {
		n--
	}
	return n
}

// length is what a wrapped row adds to its logical line: all but the column
// that a wide character left empty.
func (r *row) length() int {
	if r.n > 0 && r.cells[r.n-1].flag&cellPad != 0 {
		return r.n - 1
	}
	return r.n
}

// uniform says that the row is as one erasing leaves it.
func (r *row) uniform() bool {
	for _, c := range r.cells {
		if c != r.cells[0] || c.ch != 0 || c.flag != 0 {
			return false
		}
	}
	return true
}

// split makes column x a character boundary: a wide character lying across
// it becomes two blanks.
func (r *row) split(x int, blank cell) {
	if x <= 0 || x >= len(r.cells) || r.cells[x].flag&cellTail == 0 {
		return
	}
	r.cells[x-1], r.cells[x] = blank, blank
	if x == len(r.cells)-1 {
		r.wrapped = false
	}
}

// unwrap ends the logical line here. The column a wide character left empty
// is then a blank like any other.
func (r *row) unwrap() {
	r.wrapped = false
	if last := len(r.cells) - 1; r.cells[last].flag&cellPad != 0 {
		r.cells[last] = cell{ch: ' ', pen: r.cells[last].pen}
	}
}

// reset makes the row all blank.
func (r *row) reset(blank cell) {
	r.fill(0, len(r.cells), cell{})
	if blank != (cell{}) {
		r.fill(0, len(r.cells), blank)
	}
	r.wrapped = false
}

// pens numbers the styles, links and clusters that cells on a screen use.
type pens struct {
	list     []pen
	index    map[pen]uint16
	recent   [64]uint16
	links    []link
	linked   map[link]uint16
	clusters []string
	found    map[string]uint32
	bytes    int // of links and clusters
	limit    int // collect before there are more entries
	heavy    int // or more bytes
}

type link struct{ id, uri string }

const (
	minPens    = 512
	minHeavy   = 32 << 10
	maxPens    = 60000
	maxCluster = 64 // bytes; later marks are dropped
)

func newPens() pens {
	return pens{list: make([]pen, 1, 8), index: map[pen]uint16{{}: 0}, links: make([]link, 1),
		clusters: make([]string, 1), limit: minPens, heavy: minHeavy}
}

func (p *pens) number(v pen) uint16 {
	if v == (pen{}) {
		return 0
	}
	h := uint32(v.fg)*0x9e3779b1 ^ uint32(v.bg)*0x85ebca6b ^ uint32(v.attr)<<7 ^ uint32(v.under)<<3 ^ uint32(v.link)
	slot := &p.recent[(h>>16^h)&63]
	if int(*slot) < len(p.list) && p.list[*slot] == v {
		return *slot
	}
	id, ok := p.index[v]
	if !ok {
		if len(p.list) >= maxPens {
			return 0 // more styles than a screen can show apart
		}
		id = uint16(len(p.list))
		p.list = append(p.list, v)
		p.index[v] = id
	}
	*slot = id
	return id
}

// link numbers a hyperlink; 0 when there are too many.
func (p *pens) link(l link) uint16 {
	if l == (link{}) {
		return 0
	}
	if i, ok := p.linked[l]; ok {
		return i
	}
	if len(p.links) >= maxPens {
		return 0
	}
	if p.linked == nil {
		p.linked = make(map[link]uint16)
	}
	i := uint16(len(p.links))
	p.links = append(p.links, l)
	p.linked[l] = i
	p.bytes += len(l.id) + len(l.uri)
	return i
}

func (p *pens) cluster(b []byte) uint32 {
	if i, ok := p.found[string(b)]; ok {
		return i
	}
	if p.found == nil {
		p.found = make(map[string]uint32)
	}
	s, i := string(b), uint32(len(p.clusters))
	p.clusters = append(p.clusters, s)
	p.found[s] = i
	p.bytes += len(s)
	return i
}

func (p *pens) full() bool {
	return len(p.list)+len(p.clusters)+len(p.links) >= p.limit || p.bytes >= p.heavy
}

// appendText appends what the cell shows; nothing for an unwritten cell.
func (p *pens) appendText(dst []byte, c cell) []byte {
	switch {
	case c.flag&cellCluster != 0:
		return append(dst, p.clusters[c.ch]...)
	case c.ch == 0:
		return dst
	case c.ch < utf8.RuneSelf:
		return append(dst, byte(c.ch))
	}
	return utf8.AppendRune(dst, rune(c.ch))
}
