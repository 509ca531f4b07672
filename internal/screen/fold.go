package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Folded is a fingerprint of the visible text in which what only shows that
// something is alive does not count (see FoldLine). Equal values mean: no
// progress. It has no meaning outside the running program.
func (t *Terminal) Folded() uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(offset)
	var raw, folded []byte
	for _, r := range t.shown() {
		raw = t.pens.appendRow(raw[:0], r)
		folded = appendFolded(folded[:0], raw)
		for _, c := range folded {
			h = (h ^ uint64(c)) * prime
		}
		h = (h ^ '\n') * prime
	}
	return h
}

// FoldLine drops from a line what a waiting program repaints: digits with the
// unit written behind them, spinner glyphs, the dots of an ellipsis; blanks
// are made one, none at the ends.
func FoldLine(s string) string { return string(appendFolded(nil, []byte(s))) }

func appendFolded(dst, s []byte) []byte {
	start := len(dst)
	gap := false
	var prev rune = ' '
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRune(s[i:])
		next, _ := utf8.DecodeRune(s[i+size:])
		if i+size == len(s) {
			next = ' '
		}
		switch {
		case r >= '0' && r <= '9':
			size += unitLen(s[i+size:])
		case r == ' ' || r == 0xa0:
			gap = true
		case r == '.' || spinner(r) || turning(r) && prev == ' ' && next == ' ':
		default:
			if gap && len(dst) > start {
				dst = append(dst, ' ')
			}
			gap = false
			dst = append(dst, s[i:i+size]...)
		}
		prev = r
		i += size
	}
	return dst
}

// unitLen is the length of a unit such as s, ms, k, %, MiB after a digit.
func unitLen(s []byte) int {
	n := 0
	for n < len(s) && strings.IndexByte("hmsdkKMGBi%", s[n]) >= 0 {
		n++
	}
	if n > 3 {
		return 0
	}
	if r, size := utf8.DecodeRune(s[n:]); size > 0 && unicode.IsLetter(r) {
		return 0
	}
	return n
}

// turning are the glyphs of the ASCII spinner, when they stand alone.
func turning(r rune) bool {
	return r == '|' || r == '/' || r == '-' || r == '\\' || r == '*' || r == '+'
}

// spinner says that r belongs to a known set of animation frames.
func spinner(r rune) bool {
	switch {
	case r < 0xb7:
		return false
	case r == '·', r == '•', r == '…', r == '∙', r == '⋅', r == '●', r == '○', r == '◉', r == '◎', r == '◌', r == '◦':
		return true
	case r >= 0x2190 && r <= 0x2199: // arrows
		return true
	case r >= 0x2596 && r <= 0x259f: // quadrants
		return true
	case r >= 0x25d0 && r <= 0x25d7, r >= 0x25dc && r <= 0x25e1, r >= 0x25f0 && r <= 0x25f7: // circles, squares
		return true
	case r >= 0x2720 && r <= 0x274b: // asterisks and stars
		return true
	case r >= 0x2800 && r <= 0x28ff: // braille
		return true
	case r >= 0x1f311 && r <= 0x1f318, r >= 0x1f550 && r <= 0x1f567: // moons, clocks
		return true
	}
	return false
}
