package main

import (
	"sort"
	"strings"
	"unicode"

	"github.com/tendhq/tend/internal/screen"
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

// short is clean text that takes at most n columns.
func short(s string, n int) string {
	s = clean(s)
	if cells(s) <= n {
		return s
	}
	r := []rune(s)
	fits := sort.Search(min(len(r), n), func(i int) bool { return cells(string(r[:i+1])) > n-1 })
	return string(r[:fits]) + "…"
}

// cells is how many columns clean text takes.
func cells(s string) int {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		return len(s)
	}
	t := screen.New(min(2*len(s)+1, 2000), 1, screen.Options{History: -1})
	_, _ = t.Write([]byte(s))
	return t.Cursor().Col
}
