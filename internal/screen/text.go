package screen

import "bytes"

// Text is the visible rows as displayed, without trailing blanks. Cells that
// were never printed read as spaces.
func (t *Terminal) Text() []string {
	rows := t.shown()
	lines := make([]string, len(rows))
	var buf []byte
	for i, r := range rows {
		buf = t.pens.appendRow(buf[:0], r)
		lines[i] = string(bytes.TrimRight(buf, " "))
	}
	return lines
}

// appendRow appends what a row shows, up to its last printed cell; a wrapped
// row without the column that a wide character left empty.
func (p *pens) appendRow(dst []byte, r *row) []byte {
	n := r.used()
	if r.wrapped {
		n = r.length()
	}
	for _, c := range r.cells[:n] {
		switch {
		case c.flag&cellTail != 0:
		case c.ch == 0:
			dst = append(dst, ' ')
		default:
			dst = p.appendText(dst, c)
		}
	}
	return dst
}

// appendEncoded is appendRow for a row of the history.
func appendEncoded(dst, enc []byte) []byte {
	text, _ := rowText(enc)
	if enc[0]&rowWrapped != 0 {
		text = bytes.TrimSuffix(text, []byte{markPad})
	} else {
		text = bytes.TrimRight(text, "\x00\x03")
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case markBlank, markPad:
			dst = append(dst, ' ')
		case markNarrow, markWide:
			n := int(text[i+1])
			dst = append(dst, text[i+2:i+2+n]...)
			i += 1 + n
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// Plain is the last n lines of history and screen as a person reads them:
// soft-wrapped rows joined, trailing blanks and trailing empty lines removed.
// A negative n means all. While the alternate screen is shown it stands in
// for the primary one.
func (t *Terminal) Plain(n int) []string {
	if n == 0 {
		return nil
	}
	var a assembler
	to := t.shownHistory()
	from := 0
	if n > 0 && n < to {
		from = t.history.lineStart(to, n)
	}
	t.history.walk(from, to, func(enc []byte) {
		a.buf = appendEncoded(a.buf, enc)
		a.end(enc[0]&rowWrapped != 0)
	})
	for _, r := range t.shown() {
		a.buf = t.pens.appendRow(a.buf, r)
		a.end(r.wrapped)
	}
	if len(a.buf) > 0 {
		a.end(false)
	}
	lines := a.lines
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if n > 0 && len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return lines
}

// Cut reports whether lines were dropped from the start of the history because
// there was no room for them.
func (t *Terminal) Cut() bool { return t.history.cut }

// assembler joins rows into logical lines.
type assembler struct {
	buf   []byte
	lines []string
}

func (a *assembler) end(wrapped bool) {
	if wrapped {
		return
	}
	a.lines = append(a.lines, string(bytes.TrimRight(a.buf, " ")))
	a.buf = a.buf[:0]
}
