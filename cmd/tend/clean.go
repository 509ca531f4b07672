package main

import (
	"strings"
	"unicode"
)

// clean makes text from outside safe to print: control characters, and those
// that turn or hide text (bidirectional marks, zero width), show as U+FFFD.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		const zeroWidthJoiner = '\u200d'
		if unicode.IsPrint(r) || r == zeroWidthJoiner {
			return r
		}
		if r == '\n' || r == '\t' {
			return ' '
		}
		return unicode.ReplacementChar
	}, s)
}

// short is clean text of at most n characters.
func short(s string, n int) string {
	r := []rune(clean(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:max(n-1, 0)]) + "…"
}
