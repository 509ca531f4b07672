package screen

import (
	"unicode"
	"unicode/utf8"
)

// TextFilter makes of a program's output what may be printed below other text:
// characters, tabs, line ends and, where that is wanted, SGR. Everything else
// is gone, so that whatever a program did to its terminal, the one that shows
// this keeps its modes, its title and what stands above. Where a program goes
// to another line by moving its cursor, or writes over a line, a new line
// begins. Characters that turn or hide text show as U+FFFD.
//
// The zero value is not usable; see NewTextFilter.
type TextFilter struct {
	parser parser
	dst    []byte
	styles bool
	styled bool // an SGR other than a reset is in force
	filled bool // the present line has text
	moved  bool // the cursor is elsewhere: text begins a new line
}

// NewTextFilter returns a filter at the start of a stream; styles lets SGR
// through.
func NewTextFilter(styles bool) *TextFilter { return &TextFilter{styles: styles} }

// Append appends what of p is text to dst. What is not complete is held back
// until it is; the result does not depend on how a stream is cut.
func (f *TextFilter) Append(dst, p []byte) []byte {
	f.dst = dst
	f.parser.parse(f, p)
	dst, f.dst = f.dst, nil
	return dst
}

// End appends what brings the pen back to how it was, if that is needed.
func (f *TextFilter) End(dst []byte) []byte {
	if !f.styled {
		return dst
	}
	f.styled = false
	return append(dst, "\x1b[0m"...)
}

// begin is what comes before text.
func (f *TextFilter) begin() {
	if f.moved && f.filled {
		f.dst = append(f.dst, '\n')
	}
	f.moved, f.filled = false, true
}

func (f *TextFilter) text(p []byte) {
	f.begin()
	f.dst = append(f.dst, p...)
}

func (f *TextFilter) char(r rune) {
	const zeroWidthJoiner = '\u200d'
	if !unicode.IsPrint(r) && r != zeroWidthJoiner {
		r = unicode.ReplacementChar
	}
	f.begin()
	f.dst = utf8.AppendRune(f.dst, r)
}

func (f *TextFilter) control(c byte) {
	switch c {
	case '\n', '\v', '\f':
		f.dst = append(f.dst, '\n')
		f.moved, f.filled = false, false
	case '\r', '\b':
		f.moved = true
	case '\t':
		f.begin()
		f.dst = append(f.dst, '\t')
	}
}

func (f *TextFilter) escape(s *sequence) {
	if s.inter == 0 && (s.final == 'E' || s.final == 'D' || s.final == 'M' || s.final == '8' || s.final == 'c') {
		f.moved = true
	}
}

func (f *TextFilter) csi(s *sequence) {
	switch {
	case s.bad:
	case s.prefix == '?' && (s.final == 'h' || s.final == 'l'):
		f.moved = f.moved || f.otherScreen(s)
	case !s.plain():
	case s.final == 'm':
		f.pen(s)
	case s.final == 'C' && !f.moved: // the blanks between words, in many programs
		f.begin()
		f.dst = append(f.dst, ' ')
	case s.final >= 'A' && s.final <= 'J' || s.final == 'd' || s.final == 'e' || s.final == 'f' || s.final == '`' || s.final == 'u':
		f.moved = true
	}
}

// otherScreen reports whether a mode shows another screen.
func (f *TextFilter) otherScreen(s *sequence) bool {
	for i := range s.n {
		if n := s.param(i, 0); n == 47 || n == 1047 || n == 1049 {
			return true
		}
	}
	return false
}

func (f *TextFilter) pen(s *sequence) {
	if !f.styles {
		return
	}
	f.dst = append(s.append(append(f.dst, "\x1b["...)), 'm')
	f.styled = s.n > 1 || s.param(0, 0) != 0
}

func (f *TextFilter) osc([]byte, bool) {}
