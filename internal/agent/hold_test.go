package agent

import (
	"strings"
	"testing"
)

func TestHolds(t *testing.T) {
	words := "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november"
	box := func(lines ...string) string {
		out := "╭──────────────────────────────────────╮\r\n"
		for _, l := range lines {
			out += "│" + l + strings.Repeat(" ", 38-len([]rune(l))) + "│\r\n"
		}
		return out + "╰──────────────────────────────────────╯\r\n  ? for shortcuts"
	}
	for _, c := range []struct {
		name, output, text string
		want               bool
	}{
		{"a line at a prompt", "$ make all", "make all", true},
		{"only half of it", "$ make a", "make all", false},
		{"nothing", "$ ", "make all", false},
		{"empty text", "$ ", "", false},
		{"taken, and echoed above", "$ make all\r\n", "make all", false},
		{"taken, with a new prompt", "$ make all\r\n$ ", "make all", false},
		{"repeated by cat", "hello\r\nhello\r\n", "hello", false},
		{"glued to an older one", "$ onetwo", "two", true},
		{"wrapped by the terminal", "> " + words, words, true},
		{"wrapped exactly at the edge", "> " + strings.Repeat("x", 38), strings.Repeat("x", 38), true},
		{"wrapped past the edge", "> " + strings.Repeat("x", 39), strings.Repeat("x", 39), true},
		{"wide characters", "> 你好世界，你好", "你好世界，你好", true},
		{"wide characters wrapped", "> " + strings.Repeat("漢字かな交じり文", 6), strings.Repeat("漢字かな交じり文", 6), true},
		{"wide, cursor in the middle", "> 你好世界\x1b[4D", "你好", true},
		{"wide, cursor in the middle, whole", "> 你好世界\x1b[4D", "你好世界", false},
		{"an emoji with a joiner", "> fix it 👩‍💻", "fix it 👩‍💻", true},
		{"accents", "> cafe\u0301 noir", "cafe\u0301 noir", true},
		{"a hint behind the cursor", "> fix it  (tab to complete)\x1b[19D", "fix it", true},
		{"framed", box(" > fix the bug") + "\x1b[2;16H", "fix the bug", true},
		{"framed and wrapped", box(" > alpha bravo charlie delta echo", "   foxtrot golf") + "\x1b[3;17H", "alpha bravo charlie delta echo foxtrot golf", true},
		{"framed, submitted", "> fix the bug\r\n" + box(" > ") + "\x1b[3;5H", "fix the bug", false},
		{"framed, no sign, submitted", "fix the bug\r\n" + box(" ") + "\x1b[3;3H", "fix the bug", false},
		{"several lines", "> one\r\n  two\r\n  three", "one\ntwo\nthree\n", true},
		{"several lines, taken", "> one\r\n  two\r\n  three\r\n> ", "one\ntwo\nthree\n", false},
		{"a placeholder", "> [Pasted text #1 +12 lines]", "one\ntwo\nthree", true},
		{"a placeholder of another agent", "> [Pasted Content 1234 chars] ", strings.Repeat("long ", 300), true},
		{"a placeholder for a short line", "> [Pasted text #1 +12 lines]", "one", false},
		{"its own cursor", "done\r\n" + box(" > fix the bug") + "\x1b[?25l\x1b[24;1H", "fix the bug", true},
		{"its own cursor, submitted", "> fix the bug\r\nok\r\n" + box(" > ") + "\x1b[?25l\x1b[24;1H", "fix the bug", false},
		{"control bytes are not looked for", "$ ab", "a\x03b", true},
		{"far up", "make all" + strings.Repeat("\r\n", 15) + "$ ", "make all", false},
	} {
		w := newWatch(t, 40, 24, c.output)
		if got := w.Holds(c.text); got != c.want {
			t.Errorf("%s: %v, want %v\n%s\ncursor %+v", c.name, got, c.want,
				strings.Join(w.Terminal().Text(), "\n"), w.Terminal().Cursor())
		}
	}
}

func TestHoldsOfALongText(t *testing.T) {
	text := strings.Repeat("0123456789 abcdef é ", 50_000)
	if n := len([]rune(tailOf(text))); n != tailRunes {
		t.Errorf("the tail of a long text has %d characters", n)
	}
	w := newWatch(t, 80, 24, "> "+strings.Repeat("0123456789 abcdef é ", 50))
	if !w.Holds(text) {
		t.Error("the end of a long text is not seen")
	}
}

func BenchmarkHolds(b *testing.B) {
	w := newWatch(b, 80, 24, "> "+strings.Repeat("0123456789 abcdef ", 50))
	text := strings.Repeat("0123456789 abcdef ", 50_000)
	for b.Loop() {
		w.Holds(text)
	}
}
