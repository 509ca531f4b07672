package redact

import "bytes"

// class is a set of bytes, as a bit.
type class uint16

const (
	alnum  class = 1 << iota // letters and digits
	word                     // alnum, _ and -
	base64                   // alnum, + / =
	dotted                   // word and dots
	bare                     // what an unquoted value is made of
	digit
	lower
	upper
	joint // what may stand between a name and a value
	odd   // what changes the meaning of what is behind it
)

var classes = func() (t [256]class) {
	for c := range 256 {
		switch b := byte(c); {
		case b >= '0' && b <= '9':
			t[c] = alnum | word | base64 | dotted | bare | digit
		case b >= 'a' && b <= 'z':
			t[c] = alnum | word | base64 | dotted | bare | lower
		case b >= 'A' && b <= 'Z':
			t[c] = alnum | word | base64 | dotted | bare | upper
		case b > ' ' && b != 0x7f && bytes.IndexByte([]byte("\"'`,;&|<>(){}[]\\"), b) < 0:
			t[c] = bare
		}
	}
	for _, b := range []byte("_-") {
		t[b] |= word | dotted
	}
	for _, b := range []byte("+/=") {
		t[b] |= base64
	}
	t['.'] |= dotted
	for _, b := range []byte(" \t:=>\\\"'`") {
		t[b] |= joint
	}
	for _, b := range []byte(`[\%;`) {
		t[b] |= odd
	}
	return t
}()

func is(b byte, c class) bool { return classes[b]&c != 0 }

// run is the number of bytes of a class that b begins with.
func run(b []byte, of class) int {
	for i, c := range b {
		if classes[c]&of == 0 {
			return i
		}
	}
	return len(b)
}

// tail is the end of a secret that lies beyond Reach: bytes of a class, or all
// up to a closing quote.
type tail struct {
	class class
	quote quote
}

// next decides on the beginning of v, which is the rest of a line; cut says that
// Reach ended it.
func (f *Filter) next(v []byte, cut bool) step {
	if n := f.drop.length(v, cut); n > 0 {
		return step{n: n, act: swallow}
	}
	f.drop = tail{}
	if f.due.n > 0 {
		if d := f.due; d.after == 0 {
			f.due, f.drop = due{}, d.then
			return step{n: d.n, act: replace, kind: d.kind}
		}
		v, cut = v[:f.due.after], false
	}
	if f.pem.on && f.due.n == 0 {
		if s := f.body(v); s.n > 0 {
			return s
		}
	}
	if n := f.plain(v); n > 0 {
		return step{n: n}
	}
	if is(v[0], word) {
		return f.word(v, cut)
	}
	f.mid = false
	if n := markLen(v); n > 0 {
		f.pem.stop()
		f.fresh = false
		return step{n: n}
	}
	n := 1
	for n < len(v) && v[n] != '[' && !is(v[n], word) {
		n++
	}
	return step{n: n}
}

// plain is how much of v needs no decision: short words that nothing follows
// which could join them to a value. It decides as word and context would, and
// is there because most text is like that.
func (f *Filter) plain(v []byte) int {
	if f.fresh || f.mid || f.pem.on || f.due.n > 0 || f.near > 0 || is(f.prev, word|odd) {
		return 0
	}
	i := 0
	for i < len(v) {
		if c := classes[v[i]]; c&word == 0 {
			if i++; c&odd != 0 {
				return i - 1
			}
			continue
		}
		e := i + 1
		for e < len(v) && e < i+minToken && is(v[e], word) {
			e++
		}
		switch {
		case e-i >= minToken || e+1 >= len(v):
			return i
		case !is(v[e], joint):
		case v[e] != ' ' || !is(v[e+1], alnum) || v[i] == '-' || v[i]|0x20 == 'b':
			return i
		}
		i = e
	}
	return i
}

// length is how much of v belongs to the tail.
func (t tail) length(v []byte, cut bool) int {
	switch {
	case t.class != 0:
		return run(v, t.class)
	case t.quote.mark == 0:
		return 0
	}
	if i := t.quote.end(v); i >= 0 {
		return i
	}
	if cut {
		return unclosed(v)
	}
	return len(bytes.TrimRight(v, "\n"))
}

// word decides on a word, which is where all secrets begin.
func (f *Filter) word(v []byte, cut bool) step {
	e := run(v[:min(len(v), maxWord)], word)
	whole := e < len(v) && e < maxWord || e == len(v) && !cut
	if n := f.escape(v[:e]); n > 0 {
		return step{n: n, edge: true}
	}
	rest := v[e:]
	if e >= minToken {
		if i, r := issued(v[:e], f.mid || is(f.prev, alnum)); i == 0 {
			return f.take(v, r.length(v), cut, r.class, r.kind)
		} else if i > 0 {
			e, rest, whole = i, nil, true // as it will look with a mark behind it
		}
	}
	if f.boundary() {
		if s := f.shape(v[:e], rest, cut || !whole); s.n > 0 {
			return s
		}
	}
	if !whole {
		f.mid = true
		return step{n: e - maxToken}
	}
	if f.boundary() && f.due.n == 0 && len(rest) > 0 {
		f.pem.begins(v[:e], rest)
		f.context(v, e, cut)
	}
	f.mid = false
	f.fresh = f.fresh && run(v[:e], digit) == e || f.fresh && v[0] == '-' && e <= 3
	return step{n: e}
}

// boundary says that a word begins here and is not the rest of one.
func (f *Filter) boundary() bool { return !f.mid && !is(f.prev, word) }

// take replaces the token v[:n]; one that reaches the end of the view is
// swallowed to its end. A dot at its end ends a sentence.
func (f *Filter) take(v []byte, n int, cut bool, class class, kind string) step {
	if cut && (n == len(v) || n == maxWord) {
		f.drop = tail{class: class}
	} else if class == dotted {
		n = len(bytes.TrimRight(v[:n], "."))
	}
	f.mid = false
	return step{n: n, act: replace, kind: kind}
}

// escape is the length of what is not part of the word: the letter of an
// escaped newline in JSON, an escaped character, a colour, a byte of a URL.
func (f *Filter) escape(w []byte) int {
	if f.mid {
		return 0
	}
	switch f.prev {
	case '\\':
		if w[0] == 'u' && len(w) >= 5 && hex(w[1:5]) {
			return 5
		}
		if bytes.IndexByte([]byte("nrtbf"), w[0]) >= 0 {
			return 1
		}
	case '%':
		if len(w) >= 2 && hex(w[:2]) {
			return 2
		}
	case '[', ';':
		if n := run(w, digit); n < len(w) && w[n] == 'm' {
			return n + 1
		}
	}
	return 0
}

func hex(b []byte) bool {
	for _, c := range b {
		if !is(c, digit) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}
