package screen

import "unicode/utf8"

// maxString bounds the strings of OSC; what is longer is cut, and said so.
const maxString = 64 << 10

// actor receives what the parser found, in order. Slices are valid only
// during the call.
type actor interface {
	text(p []byte)             // printable ASCII, never empty
	char(r rune)               // one other graphic character; malformed UTF-8 is none
	control(c byte)            // a C0 control
	escape(s *sequence)        // ESC I F, and a C1 control as its ESC form
	csi(s *sequence)           // a well-formed control sequence
	osc(data []byte, cut bool) // an operating system command
}

// The states of the VT500 parser (Williams' diagram). DCS, SOS, PM and APC
// are one state: nothing of them is wanted.
const (
	stateGround uint8 = iota
	stateEscape
	stateCSI
	stateOSC
	stateString
)

// parser cuts a byte stream into the calls of actor. Its calls do not depend
// on how the stream is cut into writes. C1 controls count only as the code
// points U+0080 to U+009F, as in xterm with UTF-8 on: a lone byte 0x80 to
// 0x9f is malformed text.
type parser struct {
	state uint8
	need  uint8 // length of the character begun in part
	parts uint8
	last  byte // last byte of a string, to see U+009C
	cut   bool
	part  [utf8.UTFMax]byte
	seq   sequence
	data  []byte
}

func (p *parser) parse(a actor, b []byte) {
	for i := 0; i < len(b); {
		switch p.state {
		case stateGround:
			i = p.ground(a, b, i)
		case stateEscape:
			i = p.inEscape(a, b, i)
		case stateCSI:
			i = p.inCSI(a, b, i)
		default:
			i = p.inString(a, b, i)
		}
	}
}

func (p *parser) ground(a actor, b []byte, i int) int {
	for i < len(b) && p.state == stateGround {
		c := b[i]
		switch {
		case p.parts > 0 || c >= utf8.RuneSelf:
			i = p.multibyte(a, b, i)
		case c >= 0x20 && c < 0x7f:
			j := i + 1
			for j < len(b) && b[j]-0x20 < 0x5f {
				j++
			}
			a.text(b[i:j])
			i = j
		default:
			p.c0(a, c)
			i++
		}
	}
	return i
}

// c0 acts on a control character outside strings: ESC begins anew, CAN and
// SUB abort, DEL is nothing, the others act even in the middle of a sequence.
func (p *parser) c0(a actor, c byte) {
	switch c {
	case 0x1b:
		p.state = stateEscape
		p.seq.reset()
	case 0x18, 0x1a:
		p.state = stateGround
	case 0x7f:
	default:
		a.control(c)
	}
}

// multibyte takes one whole character at once where it can, else one byte.
func (p *parser) multibyte(a actor, b []byte, i int) int {
	if p.parts == 0 {
		if r, n := utf8.DecodeRune(b[i:]); n > 1 {
			p.rune(a, r)
			return i + n
		}
	}
	if p.partial(a, b[i]) {
		i++
	}
	return i
}

// partial feeds one byte of a character that is malformed or not whole in
// this write. What is malformed is dropped, as in xterm.js and tmux. It
// reports false when the byte is not part of the character begun: that one is
// dropped then and the byte is to be read again.
func (p *parser) partial(a actor, c byte) bool {
	if p.parts == 0 {
		switch {
		case c >= 0xc2 && c <= 0xdf:
			p.need = 2
		case c >= 0xe0 && c <= 0xef:
			p.need = 3
		case c >= 0xf0 && c <= 0xf4:
			p.need = 4
		default:
			return true
		}
		p.part[0], p.parts = c, 1
		return true
	}
	if !p.continues(c) {
		p.parts = 0
		return false
	}
	p.part[p.parts] = c
	p.parts++
	if p.parts == p.need {
		r, _ := utf8.DecodeRune(p.part[:p.parts])
		p.parts = 0
		p.rune(a, r)
	}
	return true
}

// continues is table 3-7 of the Unicode standard.
func (p *parser) continues(c byte) bool {
	lo, hi := byte(0x80), byte(0xbf)
	if p.parts == 1 {
		switch p.part[0] {
		case 0xe0:
			lo = 0xa0
		case 0xed:
			hi = 0x9f
		case 0xf0:
			lo = 0x90
		case 0xf4:
			hi = 0x8f
		}
	}
	return c >= lo && c <= hi
}

func (p *parser) rune(a actor, r rune) {
	if r >= 0xa0 {
		a.char(r)
		return
	}
	p.seq.reset()
	p.fe(a, byte(r)-0x40)
}

// fe acts on ESC Fe, which is also what a C1 control stands for.
func (p *parser) fe(a actor, c byte) {
	p.state = stateGround
	switch c {
	case '[':
		p.state = stateCSI
		p.seq.reset()
	case ']', 'P', 'X', '^', '_':
		p.state = stateString
		if c == ']' {
			p.state = stateOSC
		}
		p.data, p.cut, p.last = p.data[:0], false, 0
	default:
		p.seq.final = c
		a.escape(&p.seq)
	}
}

func (p *parser) inEscape(a actor, b []byte, i int) int {
	for ; i < len(b) && p.state == stateEscape; i++ {
		c := b[i]
		switch {
		case c >= 0x80:
			p.state = stateGround
			return i
		case c < 0x20 || c == 0x7f:
			p.c0(a, c)
		case c < 0x30:
			p.seq.intermediate(c)
		case p.seq.inter == 0:
			p.fe(a, c)
		default:
			p.state = stateGround
			p.seq.final = c
			if !p.seq.bad {
				a.escape(&p.seq)
			}
		}
	}
	return i
}

func (p *parser) inCSI(a actor, b []byte, i int) int {
	s := &p.seq
	for ; i < len(b) && p.state == stateCSI; i++ {
		c := b[i]
		switch {
		case c >= 0x80: // text is never swallowed: the sequence ends here
			p.state = stateGround
			return i
		case c < 0x20 || c == 0x7f:
			p.c0(a, c)
		case c < 0x30:
			s.intermediate(c)
		case c >= 0x40:
			p.state = stateGround
			s.final = c
			if !s.bad {
				a.csi(s)
			}
		case s.inter != 0:
			s.bad = true
		case c <= '9':
			s.digit(c)
		case c <= ';':
			s.separator(c == ':')
		case s.n == 0 && s.prefix == 0:
			s.prefix = c
		default:
			s.bad = true
		}
	}
	return i
}

// inString collects up to a terminator: BEL for OSC, ST, and ESC whatever
// follows it, as xterm.js and tmux take it; CAN and SUB discard. U+009C is ST.
func (p *parser) inString(a actor, b []byte, i int) int {
	for ; i < len(b); i++ {
		c := b[i]
		switch {
		case c == 0x18 || c == 0x1a:
			p.state = stateGround
			return i + 1
		case c == 0x1b || c == 0x07 && p.state == stateOSC || c == 0x9c && p.last == 0xc2:
			if c == 0x9c && len(p.data) > 0 && !p.cut {
				p.data = p.data[:len(p.data)-1]
			}
			p.endString(a, c)
			return i + 1
		case c < 0x20 || c == 0x7f:
			continue // as if it were not there, for last too
		case p.state != stateOSC:
		case len(p.data) < maxString:
			p.data = append(p.data, c)
		default:
			p.cut = true
		}
		p.last = c
	}
	return i
}

func (p *parser) endString(a actor, c byte) {
	wanted := p.state == stateOSC
	p.state = stateGround
	if c == 0x1b {
		p.state = stateEscape
		p.seq.reset()
	}
	if wanted {
		a.osc(p.data, p.cut)
	}
	if cap(p.data) > 4096 {
		p.data = nil
	}
}

// pending is the shortest input that brings a fresh parser into this state.
func (p *parser) pending(dst []byte) []byte {
	dst = append(dst, p.part[:p.parts]...)
	switch p.state {
	case stateEscape:
		dst = append(dst, 0x1b)
		if p.seq.inter != 0 {
			dst = append(dst, p.seq.inter)
		}
		if p.seq.bad {
			dst = append(dst, p.seq.inter)
		}
	case stateCSI:
		dst = p.seq.append(append(dst, "\x1b["...))
	case stateOSC, stateString:
		kind := byte('X')
		if p.state == stateOSC {
			kind = ']'
		}
		dst = append(append(dst, 0x1b, kind), p.data...)
		if p.cut {
			dst = append(dst, 'x')
		}
		if p.last == 0xc2 && (p.cut || p.state == stateString) {
			dst = append(dst, 0xc2)
		}
	}
	return dst
}
