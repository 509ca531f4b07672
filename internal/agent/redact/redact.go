// Package redact takes secrets out of text that is about to be kept or shown:
// what an agent said, what a tool printed, what somebody typed. Each secret
// becomes "[redacted: KIND]"; the rest stays byte for byte.
//
// Two things give a secret away: its own shape (a prefix that an issuer chose,
// a JSON web token, a private key in PEM) and the name in front of it
// (NAME_TOKEN=, "password": "…", --token x, user:password@host). Text without
// either stays: commit hashes, UUIDs, base64, prose. So it is a net for
// accidents, not a proof: a bare password in a sentence passes.
//
// It refuses to look things up, to weigh entropy, and to know any secret in
// advance. It does no I/O and holds no clock. Docs/decisions/0014 says why it is
// not a library.
package redact

import (
	"bytes"
)

// Reach is how far ahead a decision looks, in bytes, and it never looks past
// the end of a line. It bounds what a Filter holds back. A longer secret is
// still swallowed whole; a longer word is not a name.
const Reach = 16 << 10

// Filter redacts a stream. The result does not depend on how the stream was
// cut, and redacting it again changes nothing. It holds at most two Reaches of
// text and takes time proportional to the text. The zero value is not ready;
// see New. A Filter belongs to one goroutine.
type Filter struct {
	held  []byte // not decided yet, without a newline
	prev  byte   // in front of what comes next; 0 stands for a boundary
	fresh bool   // no letter on this line yet
	mid   bool   // what comes next continues a word longer than Reach
	drop  tail
	due   due
	pem   pem
	near  int // bytes for which a bare AWS secret key is believed
}

// due is a replacement decided some bytes ahead of its place.
type due struct {
	after, n int
	kind     string
	then     tail
}

// New is a Filter at the beginning of a text.
func New() *Filter { return &Filter{fresh: true} }

// Append redacts the next piece of the text and appends to dst all that is
// decided. What is held back comes with a later call or with Flush: at the
// latest after the end of its line, or two Reaches later.
func (f *Filter) Append(dst, piece []byte) []byte {
	for len(piece) > 0 {
		n := min(len(piece), 2*Reach-len(f.held))
		line := bytes.IndexByte(piece[:n], '\n') >= 0
		f.held = append(f.held, piece[:n]...)
		piece = piece[n:]
		if line || len(f.held) == 2*Reach {
			var clean, done int
			dst, clean, done = f.drain(dst, f.held, false)
			dst = append(dst, f.held[clean:done]...)
			f.held = f.held[:copy(f.held, f.held[done:])]
		}
	}
	return dst
}

// Flush ends the text, appends what was held back, and leaves a Filter that is
// ready for another text.
func (f *Filter) Flush(dst []byte) []byte {
	dst, clean, _ := f.drain(dst, f.held, true)
	dst = append(dst, f.held[clean:]...)
	dst = append(dst, f.pem.gap...)
	*f = Filter{held: f.held[:0], fresh: true}
	return dst
}

// String redacts a whole text. One without a secret is returned as it is.
func String(s string) string {
	f, b := Filter{fresh: true}, []byte(s)
	dst, clean, _ := f.drain(nil, b, true)
	if clean == 0 {
		return s
	}
	dst = append(dst, b[clean:]...)
	return string(append(dst, f.pem.gap...))
}

// mark is what stands in a secret's place. A kind is lower case letters and
// dashes, so that a mark can be told from other brackets.
func mark(dst []byte, kind string) []byte {
	dst = append(dst, markHead...)
	dst = append(dst, kind...)
	return append(dst, ']')
}

const (
	markHead = "[redacted: "
	maxKind  = 32
)

// markLen is the length of the mark that b begins with, 0 for none.
func markLen(b []byte) int {
	if len(b) < len(markHead) || string(b[:len(markHead)]) != markHead {
		return 0
	}
	for i := len(markHead); i < min(len(b), len(markHead)+maxKind+1); i++ {
		switch c := b[i]; {
		case c == ']' && i > len(markHead):
			return i + 1
		case (c < 'a' || c > 'z') && c != '-':
			return 0
		}
	}
	return 0
}

// act is what a step does with the bytes that it took.
type act uint8

const (
	pass act = iota
	swallow
	replace
)

// step takes the next n > 0 bytes.
type step struct {
	n    int
	act  act
	kind string // of a replacement
	edge bool   // what follows stands as if at the beginning of a word
}

// drain decides as much of b as can be decided. b[:clean] is in out, b[clean:done]
// stays as it is, b[done:] is undecided.
//
// A step sees its line up to Reach bytes, whatever else is there, and is taken
// only when it can see that far: that is why the cuts do not matter.
func (f *Filter) drain(dst, b []byte, final bool) (out []byte, clean, done int) {
	eol, more := 0, true
	for done < len(b) {
		if done >= eol && more {
			i := bytes.IndexByte(b[done:], '\n')
			eol, more = done+i+1, i >= 0
		}
		end := eol
		if !more {
			end = len(b)
			if !final && end-done <= Reach {
				break
			}
		}
		cut := end-done > Reach
		s := f.next(b[done:min(end, done+Reach)], cut)
		if gap := f.pem.owed(); len(gap) > 0 {
			dst = append(append(dst, b[clean:done]...), gap...)
			clean = done
		}
		if s.act != pass {
			dst = append(dst, b[clean:done]...)
			clean = done + s.n
		}
		done += s.n
		dst = f.took(dst, b, done, s)
	}
	return dst, clean, done
}

// took notes what lies before the next step.
func (f *Filter) took(dst, b []byte, done int, s step) []byte {
	f.near = max(0, f.near-s.n)
	f.due.after = max(0, f.due.after-s.n)
	switch {
	case s.act == replace:
		f.prev, f.fresh = ']', false
		return mark(dst, s.kind)
	case s.act == pass && s.edge:
		f.prev = 0
	case s.act == pass:
		f.prev = b[done-1]
		f.fresh = f.fresh || f.prev == '\n'
	}
	return dst
}
