package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	term := New(10, 3, Options{})
	for i := range 20 {
		fmt.Fprintf(term, "line %d\r\n", i)
	}
	fmt.Fprint(term, "a long line that wraps twice\r\n世界世界世界\r\nend  \r\n\r\n")
	all := term.Plain(-1)
	if len(all) != 23 || all[0] != "line 0" || all[20] != "a long line that wraps twice" || all[21] != "世界世界世界" || all[22] != "end" {
		t.Errorf("all: %q", all)
	}
	for n := range 25 {
		want := all[max(len(all)-n, 0):]
		if got := term.Plain(n); !slices.Equal(got, want) {
			t.Errorf("last %d: %q, want %q", n, got, want)
		}
	}
}

func TestPlainOnAltScreen(t *testing.T) {
	term := feed(10, 3, "1\r\n2\r\n3\r\n4\x1b[?1049h\x1b[Hfull")
	if got := strings.Join(term.Plain(-1), "|"); got != "1|full" {
		t.Errorf("got %q", got)
	}
}

func TestHistoryLimit(t *testing.T) {
	term := New(20, 2, Options{History: 100})
	for i := range 5000 {
		fmt.Fprintf(term, "\r\nline %d", i)
	}
	if n := term.history.len(); n != 100 {
		t.Errorf("history has %d lines", n)
	}
	if got := term.Plain(-1); got[0] != "line 4898" || len(got) != 102 {
		t.Errorf("%d lines from %q", len(got), got[0])
	}
	none := New(20, 2, Options{History: -1})
	none.Write([]byte(strings.Repeat("x\r\n", 50)))
	if n := none.history.len(); n != 0 {
		t.Errorf("no history has %d lines", n)
	}
}

func TestPacking(t *testing.T) {
	table := new([tableSize]uint16)
	for _, s := range []string{"", "a", "abcd", "abcdabcd", strings.Repeat("x", 100000), strings.Repeat("hello ", 3000),
		strings.Repeat("x", 20) + string(noise(9000)) + strings.Repeat("y", 300), string(noise(70000)), strings.Repeat("abcdefgh", 40) + "abcd"} {
		packed := compress(nil, []byte(s), table)
		if got := string(decompress(nil, packed)); got != s {
			t.Errorf("%.20q... of %d bytes comes back as %d", s, len(s), len(got))
		}
	}
}

func TestFoldLine(t *testing.T) {
	for _, same := range [][]string{
		{"✳ Thinking… (59s · ↓ 999 tokens · esc to interrupt)", "✻ Thinking… (1m 5s · ↑ 1.2k tokens · esc to interrupt)", "· Thinking (3s · 12 tokens · esc to interrupt)"},
		{"⠋ Working 1/10", "⠙ Working 9/10", "  Working 10/10"},
		{"| build", "/ build", "- build", "\\ build"},
		{"Loading.", "Loading...", "Loading"},
		{"75% done 3MB", "8% done 12MB"},
		{"◐ x 12:34:56", "◓ x 01:02:03"},
	} {
		for _, s := range same[1:] {
			if FoldLine(s) != FoldLine(same[0]) {
				t.Errorf("%q folds to %q, %q to %q", same[0], FoldLine(same[0]), s, FoldLine(s))
			}
		}
	}
	for _, differ := range [][2]string{{"reading a.go", "reading b.go"}, {"✓ one", "one"}, {"a - b", "a b c"}, {"3 model", "3 mouse"}, {"", "x"}} {
		if FoldLine(differ[0]) == FoldLine(differ[1]) {
			t.Errorf("%q and %q both fold to %q", differ[0], differ[1], FoldLine(differ[0]))
		}
	}
	a, b := feed(40, 3, "⠋ Working 3s\r\n> "), feed(40, 3, "⠙ Working 14s\r\n> ")
	if a.Folded() != b.Folded() {
		t.Error("a spinner counts as progress")
	}
	b.Write([]byte("text"))
	if a.Folded() == b.Folded() {
		t.Error("text does not count as progress")
	}
}

func TestEvents(t *testing.T) {
	var got []Event
	term := New(20, 3, Options{OnEvent: func(e Event) { got = append(got, e) }})
	term.Write([]byte("\x1b]0;one\x07\x1b]2;one\x1b\\\x1b]2;tw\x01o\x07\x07\x1b]7;file://h/tmp\x07\x1b]133;A\x07\x1b]133;D;130;aid=1\x07\x1b]133;D\x07\x1b]133;Z\x07" +
		"\x1b]7501;state=blocked:app=codex:kind=permission\x1b\\\x1b]7501;state=odd\x07\x1b]7501;app=x:state=idle\x07\x1b[?2004h\x1b[?2004h\x1b[?1049h\x1b[22t\x1b]2;x\x07\x1b[23t"))
	paste := startModes()
	paste.BracketedPaste = true
	alt := paste
	alt.AltScreen = true
	want := []Event{TitleChanged{"one"}, TitleChanged{"two"}, Bell{}, DirChanged{"file://h/tmp"}, PromptMark{Kind: 'A'}, PromptMark{'D', 130, true}, PromptMark{Kind: 'D'},
		AgentState{"blocked", "codex", "permission"}, AgentState{State: "idle", App: "x"}, ModeChanged{paste}, ModeChanged{alt}, AltScreen{true}, TitleChanged{"x"}, TitleChanged{"two"}}
	if show(got) != show(want) {
		t.Errorf("got\n%swant\n%s", show(got), show(want))
	}
}
