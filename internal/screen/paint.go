package screen

import (
	"strconv"
	"unicode/utf8"
)

// painter writes the bytes that make a terminal show given rows.
type painter struct {
	dst  []byte
	cols int
	pens *pens // of the cells being painted
	pen  pen   // in force at the receiver, links aside
	link link
	text []byte // the character printed last, nil if something moved since
}

func (p *painter) put(s string) {
	p.dst = append(p.dst, s...)
	p.text = nil
}

// csi writes CSI n final; n == 1 is left out.
func (p *painter) csi(n int, final byte) {
	p.dst = append(p.dst, 0x1b, '[')
	if n != 1 {
		p.dst = strconv.AppendInt(p.dst, int64(n), 10)
	}
	p.dst = append(p.dst, final)
	p.text = nil
}

// at moves to zero-based coordinates.
func (p *painter) at(col, row int) {
	p.dst = append(p.dst, 0x1b, '[')
	p.dst = strconv.AppendInt(p.dst, int64(row+1), 10)
	p.dst = append(p.dst, ';')
	p.dst = strconv.AppendInt(p.dst, int64(col+1), 10)
	p.dst = append(p.dst, 'H')
	p.text = nil
}

// use makes v, numbered by p.pens, the receiver's pen.
func (p *painter) use(v pen) {
	if l := p.pens.links[v.link]; l != p.link {
		p.link = l
		p.dst = appendLink(p.dst, l)
	}
	if v.link = 0; v != p.pen {
		p.pen = v
		p.dst = v.append(p.dst)
	}
}

func appendLink(dst []byte, l link) []byte {
	dst = append(dst, "\x1b]8;"...)
	if l.id != "" {
		dst = append(append(dst, "id="...), l.id...)
	}
	dst = append(append(dst, ';'), l.uri...)
	return append(dst, "\x1b\\"...)
}

// clear blanks the screen and goes home. It leaves the line above the screen
// as it is: that may go on in the first one.
func (p *painter) clear(rows int) {
	p.use(pen{})
	if rows > 1 {
		p.put("\x1b[2;1H\x1b[J")
	}
	p.put("\x1b[H")
	p.csi(p.cols, 'X')
}

// row paints r. The cursor must be in the first column, or behind a row that
// wraps into r.
func (p *painter) row(r *row) {
	n := min(r.n, len(r.cells))
	for x := 0; x < n; {
		c := r.cells[x]
		if c.ch == 0 && c.flag&cellPad == 0 {
			x = p.gap(r, x, n)
			continue
		}
		x += p.cell(c, x, x == p.cols-1 && r.wrapped)
		x += p.ascii(r.cells[x:n], c.pen)
	}
}

// join goes on from r, just painted, to next: in the next line, or by a wrap
// where the text of r goes on.
func (p *painter) join(r, next *row) {
	if !r.wrapped || r.n < p.cols {
		p.use(pen{})
		p.put("\r\n")
		return
	}
	p.wrap(r.cells[p.cols-1], next)
}

// ascii prints what may follow a character printed with the same pen without
// further thought: more ASCII, unless the character is no ASCII itself. It
// returns the number of cells.
func (p *painter) ascii(cells []cell, pen uint16) int {
	if len(p.text) != 1 {
		return 0
	}
	n := 0
	for n < len(cells) && cells[n].pen == pen && cells[n].flag == 0 && cells[n].ch-0x20 < 0x5f {
		p.dst = append(p.dst, byte(cells[n].ch))
		n++
	}
	p.text = p.dst[len(p.dst)-1:]
	return n
}

// gap skips unprinted cells, colouring them where they have a background.
func (p *painter) gap(r *row, x, n int) int {
	id := r.cells[x].pen
	end := x
	for end < n && r.cells[end].ch == 0 && r.cells[end].flag&(cellPad|cellTail) == 0 && r.cells[end].pen == id {
		end++
	}
	if v := p.pens.list[id]; v != (pen{}) {
		p.use(v)
		p.csi(end-x, 'X')
	}
	if end < p.cols {
		p.csi(end-x, 'C')
	}
	return end
}

// cell prints the character in column x and returns its width. Where it
// would join the one before, or that may be wider at the receiver, the column
// is set explicitly.
func (p *painter) cell(c cell, x int, wraps bool) int {
	if c.flag&cellPad != 0 {
		if wraps {
			return 1 // the wide character behind it makes it
		}
		c = cell{ch: ' ', pen: c.pen}
	}
	var buf [maxCluster]byte
	text := p.pens.appendText(buf[:0], c)
	if x > 0 && p.text != nil && p.risky(text) {
		p.csi(x+1, 'G')
	}
	p.use(p.pens.list[c.pen])
	p.dst = append(p.dst, text...)
	p.text = p.dst[len(p.dst)-len(text):]
	if c.flag&cellWide != 0 {
		return 2
	}
	return 1
}

func (p *painter) risky(text []byte) bool {
	if len(p.text) == 1 && len(text) == 1 {
		return false
	}
	r, size := utf8.DecodeRune(p.text)
	first, _ := utf8.DecodeRune(text)
	return size < len(p.text) || !classOf(r).plain() && classOf(r).width() > 1 || joins(p.text, first)
}

// wrap makes the receiver wrap from a full row, whose last cell is last, into
// next. The character that next begins with does it, if it can; else another
// that is erased again.
func (p *painter) wrap(last cell, next *row) {
	pad := last.flag&cellPad != 0
	if next.n > 0 && p.carries(last, next.cells[0]) {
		first := next.cells[0]
		if pad {
			p.at1(p.cols)
		}
		p.use(p.pens.list[first.pen])
		if p.pen.bg == 0 {
			return
		}
	}
	v := p.pens.list[last.pen]
	if pad {
		p.at1(p.cols)
	} else {
		v = pen{}
	}
	p.use(v)
	if pad {
		p.put("\u3000\r")
	} else {
		p.put("\x1b\\ \r") // ST, so that the blank is no part of a cluster
	}
	p.use(pen{})
	p.csi(p.cols, 'X')
}

// at1 moves within the line to a one-based column.
func (p *painter) at1(col int) { p.csi(col, 'G') }

// carries says that printing first behind last makes the same wrap again.
func (p *painter) carries(last, first cell) bool {
	if first.ch == 0 || first.flag&cellCluster != 0 || !classOf(rune(first.ch)).plain() {
		return false
	}
	if last.flag&cellPad != 0 {
		return first.flag&cellWide != 0 && first.pen == last.pen
	}
	r, _ := utf8.DecodeLastRune(p.text)
	return classOf(r).brk != breakPrepend
}
