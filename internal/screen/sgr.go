package screen

import "strconv"

// sgr applies SGR (ECMA-48 §8.3.117, xterm ctlseqs, and the colon forms of
// ISO 8613-6; 4:n and 58 are kitty's underline styles and colours).
func (v *pen) sgr(s *sequence) {
	if s.n == 0 {
		v.reset()
	}
	for i := 0; i < s.n; i++ {
		end := i + 1
		for s.isSub(end) {
			end++
		}
		switch n := s.param(i, 0); {
		case n == 38 || n == 48 || n == 58:
			i = v.extended(s, n, i, end)
			continue
		case n == 4 && end > i+1:
			v.under = uint8(s.param(i+1, 0))
			if v.under > 5 {
				v.under = 1
			}
		case end == i+1:
			v.simple(n)
		}
		i = end - 1
	}
}

func (v *pen) reset() { *v = pen{link: v.link} }

var attrOf = [56]uint16{1: attrBold, 2: attrFaint, 3: attrItalic, 5: attrBlink, 6: attrBlink, 7: attrInverse,
	8: attrInvisible, 9: attrStrike, 53: attrOverline}

var attrOff = [56]uint16{22: attrBold | attrFaint, 23: attrItalic, 25: attrBlink, 27: attrInverse,
	28: attrInvisible, 29: attrStrike, 55: attrOverline}

func (v *pen) simple(n int) {
	switch {
	case n == 0:
		v.reset()
	case n >= 30 && n <= 37:
		v.fg = colorPalette | color(n-30)
	case n == 39:
		v.fg = 0
	case n >= 40 && n <= 47:
		v.bg = colorPalette | color(n-40)
	case n == 49:
		v.bg = 0
	case n >= 90 && n <= 97:
		v.fg = colorPalette | color(n-90+8)
	case n >= 100 && n <= 107:
		v.bg = colorPalette | color(n-100+8)
	case n == 4:
		v.under = 1
	case n == 21:
		v.under = 2
	case n == 24:
		v.under = 0
	case n == 59:
		v.ul = 0
	case n < len(attrOf):
		v.attr = v.attr&^attrOff[n] | attrOf[n]
	}
}

// extended reads 38, 48 or 58 at i, whose colon-separated parts end before
// end, and returns the index of the last parameter it used.
func (v *pen) extended(s *sequence, n, i, end int) int {
	colon := end > i+1
	last := end - 1
	var c color
	ok := false
	switch kind := s.param(i+1, 0); {
	case kind == 5:
		if !colon {
			last = i + 2
		}
		c, ok = colorPalette|color(s.param(i+2, 0)), i+2 < s.n && s.param(i+2, 0) < 256
	case kind == 2:
		first := i + 2
		if colon && end-i >= 6 {
			first++ // 38:2:colour space:r:g:b
		}
		if !colon {
			last = i + 4
		}
		c, ok = rgb(s, first)
	case !colon:
		last = i + 1
	}
	if ok && last < s.n {
		switch n {
		case 38:
			v.fg = c
		case 48:
			v.bg = c
		case 58:
			v.ul = c
		}
	}
	return last
}

func rgb(s *sequence, i int) (color, bool) {
	r, g, b := s.param(i, 0), s.param(i+1, 0), s.param(i+2, 0)
	return colorRGB | color(r)<<16 | color(g)<<8 | color(b), i+2 < s.n && max(r, g, b) < 256
}

var attrCodes = [...]struct {
	bit  uint16
	code string
}{{attrBold, ";1"}, {attrFaint, ";2"}, {attrItalic, ";3"}, {attrBlink, ";5"}, {attrInverse, ";7"},
	{attrInvisible, ";8"}, {attrStrike, ";9"}, {attrOverline, ";53"}}

// append writes the SGR that sets exactly this pen, whatever was set before.
func (v pen) append(dst []byte) []byte {
	dst = append(dst, "\x1b[0"...)
	for _, a := range attrCodes {
		if v.attr&a.bit != 0 {
			dst = append(dst, a.code...)
		}
	}
	switch v.under {
	case 0:
	case 1:
		dst = append(dst, ";4"...)
	default:
		dst = append(dst, ";4:"...)
		dst = append(dst, '0'+v.under)
	}
	dst = v.fg.append(dst, 30)
	dst = v.bg.append(dst, 40)
	dst = v.ul.append(dst, 50)
	return append(dst, 'm')
}

// append writes the parameters of one colour; base is 30, 40 or 50 for
// foreground, background and underline.
func (c color) append(dst []byte, base int) []byte {
	switch n := int(c &^ colorKind); {
	case c == 0:
		return dst
	case c&colorKind == colorRGB:
		dst = append(strconv.AppendInt(append(dst, ';'), int64(base+8), 10), ";2;"...)
		dst = append(strconv.AppendInt(dst, int64(n>>16), 10), ';')
		dst = append(strconv.AppendInt(dst, int64(n>>8&255), 10), ';')
		return strconv.AppendInt(dst, int64(n&255), 10)
	case n < 8 && base < 50:
		return strconv.AppendInt(append(dst, ';'), int64(base+n), 10)
	case n < 16 && base < 50:
		return strconv.AppendInt(append(dst, ';'), int64(base+60+n-8), 10)
	default:
		dst = append(strconv.AppendInt(append(dst, ';'), int64(base+8), 10), ";5;"...)
		return strconv.AppendInt(dst, int64(n), 10)
	}
}
