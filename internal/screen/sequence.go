package screen

import "strconv"

const (
	maxParams = 32    // further parameters are ignored
	maxParam  = 65535 // larger values count as this
)

// sequence is an escape or control sequence as ECMA-48 §5.4 has it:
// ESC intermediates final, or CSI prefix parameters intermediates final.
type sequence struct {
	final  byte
	prefix byte // one of < = > ?, or 0
	inter  byte // the intermediate, or 0
	bad    bool // malformed, or longer than any known one: to be ignored
	n      int
	params [maxParams]int32 // -1 where none was given
	sub    uint32           // bit i: parameter i was preceded by a colon
	over   bool             // there were more than maxParams
}

func (s *sequence) reset() {
	s.prefix, s.inter, s.bad, s.n, s.sub, s.over = 0, 0, false, 0, 0, false
}

func (s *sequence) digit(c byte) {
	if s.over {
		return
	}
	if s.n == 0 {
		s.n, s.params[0] = 1, -1
	}
	v := max(s.params[s.n-1], 0)*10 + int32(c-'0')
	s.params[s.n-1] = min(v, maxParam)
}

func (s *sequence) separator(colon bool) {
	if s.n == 0 {
		s.n, s.params[0] = 1, -1
	}
	if s.n == maxParams {
		s.over = true
		return
	}
	if colon {
		s.sub |= 1 << s.n
	}
	s.params[s.n] = -1
	s.n++
}

func (s *sequence) intermediate(c byte) {
	if s.inter != 0 {
		s.bad = true
	}
	s.inter = c
}

// param is parameter i, or def where it is absent or zero.
func (s *sequence) param(i, def int) int {
	if i >= s.n || s.params[i] <= 0 {
		return def
	}
	return int(s.params[i])
}

// isSub says that parameter i belongs to the one before it.
func (s *sequence) isSub(i int) bool { return i < s.n && s.sub>>i&1 != 0 }

// keep drops all parameters after the first n, which have no meaning, and is
// true.
func (s *sequence) keep(n int) bool {
	s.n = min(s.n, n)
	s.over = s.over && n == maxParams
	return true
}

// plain says that the sequence has neither prefix nor intermediate.
func (s *sequence) plain() bool { return s.prefix == 0 && s.inter == 0 }

// append writes the sequence up to, not including, the final byte.
func (s *sequence) append(dst []byte) []byte {
	if s.bad {
		return append(dst, "0?"...) // a prefix after a parameter is malformed
	}
	if s.prefix != 0 {
		dst = append(dst, s.prefix)
	}
	for i := range s.n {
		switch {
		case i == 0:
		case s.isSub(i):
			dst = append(dst, ':')
		default:
			dst = append(dst, ';')
		}
		if s.params[i] >= 0 {
			dst = strconv.AppendInt(dst, int64(s.params[i]), 10)
		}
	}
	if s.over {
		dst = append(dst, ';')
	}
	if s.inter != 0 {
		dst = append(dst, s.inter)
	}
	return dst
}
