package screen

import (
	"encoding/binary"
	"unicode/utf8"
)

// An encoded row is a byte of row flags, the number of text bytes, the text,
// and runs of (cells, pen) up to the last cell that has one. In the text a
// cell is its UTF-8, or one of the marks below. Rows written by one terminal
// are read back by the same one only.
const rowWrapped = 1

const (
	markBlank  = 0 // a cell nothing was printed in
	markNarrow = 1 // a cluster of one cell: length, bytes
	markWide   = 2 // a cluster of two cells: length, bytes
	markPad    = 3 // the empty column before a wide character that wrapped
)

// Which parts of a pen follow, after a byte of these.
const (
	penFg = 1 << iota
	penBg
	penUl
	penAttr
	penUnder
	penLink
)

// encode appends r without its trailing unprinted cells of default pen.
func (p *pens) encode(dst []byte, r *row) []byte {
	n := r.n
	for n > 0 && r.cells[n-1] == (cell{}) {
		n--
	}
	flags := byte(0)
	if r.wrapped {
		flags = rowWrapped
	}
	dst = append(dst, flags, 0, 0, 0)
	start := len(dst)
	plain := true
	for _, c := range r.cells[:n] {
		plain = plain && c.pen == 0
		if c.flag == 0 && c.ch-1 < utf8.RuneSelf-1 {
			dst = append(dst, byte(c.ch))
			continue
		}
		dst = p.encodeCell(dst, c)
	}
	size := len(dst) - start
	dst[start-3], dst[start-2], dst[start-1] = byte(size), byte(size>>8), byte(size>>16)
	if plain {
		return dst
	}
	return p.encodePens(dst, r.cells[:n])
}

func (p *pens) encodeCell(dst []byte, c cell) []byte {
	switch {
	case c.flag&cellTail != 0:
		return dst
	case c.flag&cellPad != 0:
		return append(dst, markPad)
	case c.flag&cellCluster != 0:
		mark := byte(markNarrow)
		if c.flag&cellWide != 0 {
			mark = markWide
		}
		s := p.clusters[c.ch]
		return append(append(dst, mark, byte(len(s))), s...)
	case c.ch == 0:
		return append(dst, markBlank)
	}
	return utf8.AppendRune(dst, rune(c.ch))
}

func (p *pens) encodePens(dst []byte, cells []cell) []byte {
	for i := 0; i < len(cells); {
		j := i + 1
		for j < len(cells) && cells[j].pen == cells[i].pen {
			j++
		}
		dst = binary.AppendUvarint(dst, uint64(j-i))
		dst = p.encodePen(dst, p.list[cells[i].pen])
		i = j
	}
	return dst
}

func (p *pens) encodePen(dst []byte, v pen) []byte {
	at := len(dst)
	dst = append(dst, 0)
	for i, c := range [...]color{v.fg, v.bg, v.ul} {
		switch c & colorKind {
		case colorPalette:
			dst = append(dst, byte(colorPalette>>24), byte(c))
		case colorRGB:
			dst = append(dst, byte(colorRGB>>24), byte(c>>16), byte(c>>8), byte(c))
		default:
			continue
		}
		dst[at] |= penFg << i
	}
	if v.attr != 0 {
		dst[at] |= penAttr
		dst = append(dst, byte(v.attr))
	}
	if v.under != 0 {
		dst[at] |= penUnder
		dst = append(dst, v.under)
	}
	if v.link != 0 {
		dst[at] |= penLink
		l := p.links[v.link]
		dst = append(binary.AppendUvarint(dst, uint64(len(l.id))), l.id...)
		dst = append(binary.AppendUvarint(dst, uint64(len(l.uri))), l.uri...)
	}
	return dst
}

// rowText splits an encoded row.
func rowText(enc []byte) (text, runs []byte) {
	n := int(enc[1]) | int(enc[2])<<8 | int(enc[3])<<16
	return enc[4 : 4+n], enc[4+n:]
}

// decode is the row of enc, as many cells wide as it needs.
func (p *pens) decode(enc []byte) *row {
	text, _ := rowText(enc)
	r := &row{cells: make([]cell, 0, len(text))}
	p.decodeInto(r, enc)
	return r
}

// decodeInto makes r the row of enc.
func (p *pens) decodeInto(r *row, enc []byte) {
	text, runs := rowText(enc)
	r.wrapped, r.cells = enc[0]&rowWrapped != 0, r.cells[:0]
	for len(text) > 0 {
		if text[0] >= ' ' && text[0] < utf8.RuneSelf {
			r.cells = append(r.cells, cell{ch: uint32(text[0])})
			text = text[1:]
			continue
		}
		c, n := p.decodeCell(text)
		text = text[n:]
		r.cells = append(r.cells, c)
		if c.flag&cellWide != 0 {
			r.cells = append(r.cells, cell{flag: cellTail})
		}
	}
	for i := 0; len(runs) > 0; {
		n, size := binary.Uvarint(runs)
		var v pen
		v, runs = p.decodePen(runs[size:])
		id := p.number(v)
		for end := i + int(n); i < end; i++ {
			r.cells[i].pen = id
		}
	}
	r.n = len(r.cells)
}

func (p *pens) decodeCell(text []byte) (cell, int) {
	switch text[0] {
	case markBlank:
		return cell{}, 1
	case markPad:
		return cell{flag: cellPad}, 1
	case markNarrow, markWide:
		c := cell{ch: p.cluster(text[2 : 2+int(text[1])]), flag: cellCluster}
		if text[0] == markWide {
			c.flag |= cellWide
		}
		return c, 2 + int(text[1])
	}
	r, n := utf8.DecodeRune(text)
	c := cell{ch: uint32(r)}
	if classOf(r).width() == 2 {
		c.flag = cellWide
	}
	return c, n
}

func (p *pens) decodePen(b []byte) (pen, []byte) {
	var v pen
	has := b[0]
	b = b[1:]
	for i, c := range [...]*color{&v.fg, &v.bg, &v.ul} {
		if has&(penFg<<i) == 0 {
			continue
		}
		if color(b[0])<<24 == colorPalette {
			*c, b = colorPalette|color(b[1]), b[2:]
			continue
		}
		*c, b = colorRGB|color(b[1])<<16|color(b[2])<<8|color(b[3]), b[4:]
	}
	if has&penAttr != 0 {
		v.attr, b = uint16(b[0]), b[1:]
	}
	if has&penUnder != 0 {
		v.under, b = b[0], b[1:]
	}
	if has&penLink != 0 {
		var l link
		l.id, b = decodeString(b)
		l.uri, b = decodeString(b)
		v.link = p.link(l)
	}
	return v, b
}

func decodeString(b []byte) (string, []byte) {
	n, size := binary.Uvarint(b)
	end := size + int(n)
	return string(b[size:end]), b[end:]
}
