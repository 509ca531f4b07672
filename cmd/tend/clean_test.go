package main

import (
	"strings"
	"testing"

	"github.com/tendhq/tend/api"
)

func TestCleanTextCannotDriveATerminal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":             "plain",
		"two\nlines\tx":     "two lines x",
		"\x1b[31mred\x07":   "�[31mred�",
		"a\u202eb\u2066c":   "a�b�c",
		"\u009b1m\u0085":    "�1m�",
		"zero\u200bwidth":   "zero�width",
		"👩‍👩‍👧 日本 é":        "👩‍👩‍👧 日本 é",
		"bad \xff utf-8":    "bad � utf-8",
		"del\x7f\x00":       "del��",
		"tag\U000e0041 end": "tag� end",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestTextIsCutByColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"é́́x", 2, "é́́x"}, {"", 3, ""}, {"ab", 1, "…"},
	} {
		got := short(c.in, c.n)
		if got != c.want || cells(got) > c.n {
			t.Errorf("%q in %d: %q, want %q", c.in, c.n, got, c.want)
		}
	}
	if got := pad("日本", 6); got != "日本  " {
		t.Errorf("%q", got)
	}
	long := strings.Repeat("n", 5000)
	if got := short(long, 24); cells(got) != 24 {
		t.Errorf("%d columns", cells(got))
	}
}

func TestShownIDsTellSessionsApart(t *testing.T) {
	t.Parallel()
	list := []api.Session{
		{Identity: api.Identity{ID: "01M8RSJQ61ATXSEDK4CF772359"}},
		{Identity: api.Identity{ID: "01M8RSJQ61ATYSEDK4CF772359"}},
	}
	if n := shortest(list); n != 13 {
		t.Errorf("%d characters", n)
	}
	if n := shortest(list[:1]); n != idLength {
		t.Errorf("%d characters for one", n)
	}
}
