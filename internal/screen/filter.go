package screen

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Filter makes a program's output safe for a person's terminal: it parses it
// and writes again, in one canonical form, what is on its list, and nothing
// else. On the list are characters, cursor movement, erasing and editing,
// tabs, scrolling, SGR, the modes a viewer needs, character sets, titles
// (cleaned) and hyperlinks to http and https. Not on it, so gone: queries of
// every kind, clipboard, notifications, BEL, ENQ, DCS, SOS, PM, APC, C1
// controls, colours of the terminal itself, window operations, erasing the
// viewer's scrollback (ED 3), RIS (written as the resets it consists of), and
// whatever is unknown.
//
// What it writes is complete sequences and characters only, and passes
// through a Filter unchanged. The zero value is not usable; see NewFilter.
type Filter struct {
	parser  parser
	dst     []byte
	broken  bool // something was dropped since the last character
	prepend bool // the last character joins whatever follows
}

// NewFilter returns a filter at the start of a stream.
func NewFilter() *Filter { return &Filter{} }

// Append appends what of p is safe to dst. What is not complete is held back
// until it is; the result does not depend on how a stream is cut.
func (f *Filter) Append(dst, p []byte) []byte {
	f.dst = dst
	f.parser.parse(f, p)
	dst, f.dst = f.dst, nil
	return dst
}

func (f *Filter) text(p []byte) {
	if f.prepend {
		f.part()
	}
	f.broken, f.prepend = false, false
	f.dst = append(f.dst, p...)
}

func (f *Filter) char(r rune) {
	c := classOf(r)
	if f.prepend || !c.plain() {
		f.part()
	}
	f.broken, f.prepend = false, c.brk == breakPrepend
	f.dst = utf8.AppendRune(f.dst, r)
}

// part keeps two characters from becoming one cluster because what stood
// between them was dropped. ST alone does nothing anywhere.
func (f *Filter) part() {
	if f.broken {
		f.dst = append(f.dst, "\x1b\\"...)
	}
}

func (f *Filter) control(c byte) {
	if c >= 0x08 && c <= 0x0f {
		f.dst = append(f.dst, c)
	}
	f.broken = true
}

func (f *Filter) escape(s *sequence) {
	f.broken = true
	switch {
	case s.inter == 0 && s.final == 'c':
		f.dst = append(f.dst, resetModes+"\x1b[H\x1b[J\x1b7"...)
	case s.inter == 0 && strings.IndexByte("78=>DEHMno", s.final) >= 0:
		f.dst = append(f.dst, 0x1b, s.final)
	case s.inter == '#' && s.final == '8':
		f.dst = append(f.dst, "\x1b#8"...)
	case s.inter >= '(' && s.inter <= '+':
		set := charset(s.final)
		if set == 0 {
			set = 'B'
		}
		f.dst = append(f.dst, 0x1b, s.inter, set)
	}
}

func (f *Filter) csi(s *sequence) {
	if f.allowed(s) {
		f.write(s, s.final)
	}
	f.broken = true
}

// write appends s with its parameters as they were understood.
func (f *Filter) write(s *sequence, final byte) {
	f.dst = append(s.append(append(f.dst, "\x1b["...)), final)
}

// allowed decides on a control sequence. Modes are written here, one by one
// chosen.
func (f *Filter) allowed(s *sequence) bool {
	switch {
	case s.plain():
		return f.allowedPlain(s)
	case s.prefix == '?' && s.inter == 0 && (s.final == 'h' || s.final == 'l'):
		f.modes(s)
		return false
	case s.inter == 0 && s.final == 'u':
		return s.prefix != '?' && s.keep(2)
	case s.prefix == '>' && s.inter == 0 && s.final == 'm':
		return s.param(0, 0) == 4 && s.keep(2)
	case s.prefix == 0 && s.inter == ' ' && s.final == 'q':
		return s.param(0, 0) <= 6 && s.keep(1)
	case s.prefix == 0 && s.inter == '!' && s.final == 'p':
		return s.keep(0)
	case s.prefix == '?' && s.inter == 0 && (s.final == 'J' || s.final == 'K'):
		s.prefix = 0 // nothing is ever protected here, so it is the plain one
		return f.allowedPlain(s)
	}
	return false
}

func (f *Filter) allowedPlain(s *sequence) bool {
	switch s.final {
	case 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'I', 'L', 'M', 'P', 'S', 'X', 'Z', '@', '`', 'a', 'd', 'e':
		return s.keep(1)
	case 'T':
		return s.n <= 1
	case 'H', 'f', 'r':
		return s.keep(2)
	case 'J', 'K':
		return s.param(0, 0) <= 2 && s.keep(1)
	case 'b':
		return !f.broken && s.keep(1)
	case 'g':
		return (s.param(0, 0) == 0 || s.param(0, 0) == 3) && s.keep(1)
	case 'h', 'l':
		f.modes(s)
		return false
	case 'm':
		return true
	case 's', 'u':
		return s.keep(0)
	case 't':
		n, what := s.param(0, 0), s.param(1, 0)
		return (n == 22 || n == 23) && (what == 0 || what == 2) && s.keep(2)
	}
	return false
}

// modes writes those of SM, RM, DECSET and DECRST that a viewer needs.
func (f *Filter) modes(s *sequence) {
	start := len(f.dst)
	f.dst = append(f.dst, "\x1b["...)
	if s.prefix != 0 {
		f.dst = append(f.dst, s.prefix)
	}
	first := true
	for i := range s.n {
		n := s.param(i, 0)
		if !viewerMode(s.prefix, n) {
			continue
		}
		if !first {
			f.dst = append(f.dst, ';')
		}
		first = false
		f.dst = strconv.AppendInt(f.dst, int64(n), 10)
	}
	if first {
		f.dst = f.dst[:start]
		return
	}
	f.dst = append(f.dst, s.final)
}

func viewerMode(prefix byte, n int) bool {
	if prefix == 0 {
		return n == 4 || n == 20
	}
	switch n {
	case 1, 5, 6, 7, 25, 47, 66, 1000, 1002, 1003, 1004, 1006, 1007, 1047, 1048, 1049, 2004, 2026:
		return true
	}
	return false
}

func (f *Filter) osc(data []byte, cut bool) {
	f.broken = true
	if cut {
		return
	}
	number, rest, _ := strings.Cut(string(data), ";")
	switch number {
	case "0", "2":
		f.dst = append(append(append(f.dst, "\x1b]2;"...), cleanTitle([]byte(rest))...), "\x1b\\"...)
	case "8":
		l := parseLink([]byte(rest))
		if !webLink(l.uri) {
			l = link{}
		}
		f.dst = appendLink(f.dst, l)
	}
}

func webLink(uri string) bool {
	scheme, _, ok := strings.Cut(uri, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// RestoreBytes bring a viewer's terminal, which showed a program with the
// modes m, back to what a shell expects: mouse, paste and focus reports off,
// keyboard as before, cursor shown, plain pen, whole screen scrolling, and off
// the alternate screen. They do not move the cursor on the primary screen.
func RestoreBytes(m Modes) []byte {
	b := []byte("\x18\x1b\\")
	if m.AltScreen {
		b = append(b, "\x1b[<99u\x1b[?1049l"...)
	}
	b = append(b, "\x1b[0m\x1b(B\x0f"...)
	if m.Origin { // saved along with the cursor, so that cannot be kept
		return append(b, resetModes...)
	}
	return append(append(append(b, "\x1b7"...), resetModes...), "\x1b8"...)
}
