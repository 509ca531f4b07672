package screen

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tendhq/tend/internal/screen/sample"
)

// The field cases of other tools that a terminal decides.

func feed(cols, rows int, data string) *Terminal {
	t := New(cols, rows, Options{})
	t.Write([]byte(data))
	return t
}

func text(t *Terminal) string { return strings.TrimRight(strings.Join(t.Text(), "\n"), "\n") }

// B40: a look inside a synchronized frame shows the frame before it, and one
// that never closes is shown when told to.
func TestSynchronizedFrame(t *testing.T) {
	term := feed(20, 4, "working 1\r\n> ")
	before := term.Folded()
	term.Write([]byte("\x1b[?2026h\x1b[H\x1b[2J"))
	if !term.InSync() || text(term) != "working 1\n>" || term.Folded() != before {
		t.Fatalf("inside the frame: in sync %v, %q", term.InSync(), text(term))
	}
	if c := term.Cursor(); c.Col != 2 || c.Row != 1 {
		t.Fatalf("inside the frame the cursor is %+v", c)
	}
	if shot := feed(20, 4, string(term.Snapshot(0))); text(shot) != "working 1\n>" || !shot.InSync() {
		t.Fatalf("a snapshot inside the frame shows %q", text(shot))
	}
	term.Write([]byte("new"))
	if got := strings.Join(term.Plain(-1), "|"); got != "working 1|>" {
		t.Fatalf("plain text inside the frame: %q", got)
	}
	term.EndSync()
	if term.InSync() || text(term) != "new" {
		t.Fatalf("after EndSync: %q", text(term))
	}
	term.Write([]byte("er\x1b[?2026l"))
	if text(term) != "newer" {
		t.Fatalf("after the late end: %q", text(term))
	}
}

// B67: queries become events with an answer, and nothing of them reaches a
// viewer, neither live nor in a snapshot.
func TestQueries(t *testing.T) {
	const queries = "ab\x1b[6n\x1b[c\x1b[>c\x1b[?2026$p\x1b[4$p\x1b[?9999$p\x1b[5n\x1b[>q\x1b[?u\x1b]11;?\x07\x1bZ\x05\x1bP+q544e\x1b\\\x1bP$qm\x1b\\\x1b[x\x1b[14t\x1b[?996n\x1b[21t"
	var got []string
	term := New(20, 4, Options{OnEvent: func(e Event) {
		if q, ok := e.(Query); ok {
			got = append(got, q.Name+" "+strings.ReplaceAll(string(q.Reply), "\x1b", "^"))
		}
	}})
	term.Write([]byte(queries))
	want := "CPR ^[1;3R|DA1 ^[?62;22c|DA2 ^[>1;10;0c|DECRQM ^[?2026;2$y|DECRQM ^[4;2$y|DECRQM ^[?9999;0$y|DSR ^[0n|XTVERSION ^P>|tend^\\|kitty keyboard ^[?0u|OSC 11 |DA1 ^[?62;22c"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("queries\n got %q\nwant %q", s, want)
	}
	if out := NewFilter().Append(nil, []byte(queries)); string(out) != "ab" {
		t.Errorf("the filter leaves %q", out)
	}
	for _, q := range []string{"n", "c", "$p", ">q", "?u", "\x05"} {
		if shot := term.Snapshot(-1); bytes.Contains(shot, []byte("\x1b["+q)) {
			t.Errorf("the snapshot holds a query: %q", shot)
		}
	}
}

// B71: the text is what was printed and the column after it is right.
func TestWidths(t *testing.T) {
	for in, col := range map[string]int{
		"你好，": 6, "👨‍👩‍👧‍👦": 2, "✍️": 2, "✍": 1, "é́": 1, "─│╭": 3, "1️⃣": 2, "🇫🇷": 2, "🇫🇷🇩🇪": 4, "👍🏽": 2, "नमस्ते": 3, "각": 2,
		"🏳️‍🌈": 2, "⌚︎": 2, "ｱ": 1, "Ａ": 2, "✳": 1, "⠋": 1, "a\u200bb": 2, "\u0301": 0, "\u0600a": 1,
	} {
		term := feed(20, 2, in+"❯")
		got := strings.TrimSuffix(term.Text()[0], "❯")
		if want := strings.TrimPrefix(in, "\u0301"); got != want {
			t.Errorf("%q shows as %q", in, got)
		}
		if c := term.Cursor().Col; c != col+1 {
			t.Errorf("%q is %d columns, want %d", in, c-1, col)
		}
	}
}

// B88 and B73: a character cut between writes is whole, a stray byte kills
// nothing, every byte is taken.
func TestCutCharacters(t *testing.T) {
	term := New(20, 3, Options{})
	for _, p := range []string{"\xe2", "\x94", "\x80 OK", "\xff", " yes"} {
		term.Write([]byte(p))
	}
	if text(term) != "─ OK yes" {
		t.Errorf("got %q", text(term))
	}
	var all []byte
	for c := range 256 {
		all = append(all, byte(c))
	}
	term.Write(all)
	term.Write([]byte("\x1bc" + strings.Repeat("─", 33333) + " OK"))
	if s := text(term); !strings.HasSuffix(s, " OK") || strings.Contains(s, "\ufffd") {
		t.Errorf("got %q", s)
	}
}

// B99: titles and links are no text; an OSC that never ends costs a bounded
// amount of memory, is reported, and the next sequence ends it.
func TestStrings(t *testing.T) {
	cuts := 0
	term := New(40, 3, Options{OnEvent: func(e Event) {
		if _, ok := e.(StringCut); ok {
			cuts++
		}
	}})
	term.Write([]byte("a\x1b]0;Error: unauthorized\x07b\x1b]8;;http://x.example\x1b\\c\x1b]8;;\x1b\\d"))
	if text(term) != "abcd" || term.Title() != "Error: unauthorized" {
		t.Errorf("text %q, title %q", text(term), term.Title())
	}
	term.Write([]byte("\x1b]0;"))
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range 10 {
		term.Write(chunk)
	}
	if n := cap(term.parser.data); n > 2*maxString {
		t.Errorf("an endless OSC holds %d bytes", n)
	}
	if n := len(term.Snapshot(0)); n > maxString+8192 {
		t.Errorf("a snapshot inside it has %d bytes", n)
	}
	term.Write([]byte("\x1b[mafter"))
	if text(term) != "abcdafter" || cuts != 1 || term.Title() != "Error: unauthorized" {
		t.Errorf("after it: %q, %d cuts, title %q", text(term), cuts, term.Title())
	}
}

// A viewer that comes late sees a full-screen program whose first output,
// with the switch to the alternate screen, is long gone from the log.
func TestLateViewer(t *testing.T) {
	term := New(80, 24, Options{})
	term.Write(sample.Vim(1 << 20))
	late := feed(80, 24, string(NewFilter().Append(nil, term.Snapshot(0))))
	if !late.Modes().AltScreen || text(late) != text(term) || late.Cursor() != term.Cursor() {
		t.Error("the late viewer sees something else")
	}
}

// What a filter lets through makes the same screen as the snapshot without it,
// links to other than the web aside.
func TestSnapshotThroughFilter(t *testing.T) {
	for _, in := range append(edges(t, 20, 5), recordings(t)...) {
		term := feed(20, 5, strings.ReplaceAll(in.data, "file:", "http:"))
		shot := term.Snapshot(-1)
		safe := NewFilter().Append(nil, shot)
		got := New(20, 5, Options{})
		got.Write(safe)
		got.Write(term.parser.pending(nil))
		if a, b := dump(term, true), dump(got, true); a != b {
			t.Errorf("%s: %q\n%s", in.name, shot, diff(a, b))
		}
	}
}

// Memory: 512 KiB for 80x24 with 5,000 lines of history, whatever is printed.
func TestMemory(t *testing.T) {
	streams := map[string][]byte{}
	for _, s := range sample.Streams {
		streams[s.Name] = s.Make(1 << 20)
	}
	streams["noise"] = noise(512 << 10)
	streams["links"] = links(512 << 10)
	for name, data := range streams {
		if heap := heapOf(80, 24, data); heap > 512<<10 {
			t.Errorf("%s: %d KiB", name, heap>>10)
		}
	}
}

// Reading allocates for the history only: not by the byte.
func TestAllocations(t *testing.T) {
	for _, s := range sample.Streams {
		data := s.Make(256 << 10)
		term := New(80, 24, Options{})
		term.Write(data)
		if n := testing.AllocsPerRun(3, func() { term.Write(data) }); n > float64(len(data)>>10) {
			t.Errorf("%s: %.0f allocations for %d KiB", s.Name, n, len(data)>>10)
		}
	}
}

// Time is linear in the input: what costs most a byte, costs a bounded amount.
func TestCostlyInput(t *testing.T) {
	for _, s := range []string{"\x1b[65535b", "a\x1b[65535b", "\x1b[65535L", "\x1b[65535S", "\x1b#8", "\x1b[?1049h\x1b[?1049l", "\x1b]8;;http://x/\x07", "\x1b[1;1;1;1;1;1;1;1;1m",
		"a\u0301\u0301\u0301\u0301", "👩\u200d", "\x1b[?2026hx\x1b[?2026l", "\x1b7\x1b8", "\x1bP", "\x1b[99999I"} {
		term := New(80, 24, Options{})
		for range 2000 {
			term.Write([]byte(s))
		}
		term.Write([]byte("\x1b[?2026l\x18\x1bcok"))
		if text(term) != "ok" {
			t.Errorf("after %q: %q", s, text(term))
		}
	}
}

// noise is text that does not pack: every cell another character and colour.
func noise(size int) []byte {
	var b []byte
	x := uint32(1)
	for len(b) < size {
		x = x*1664525 + 1013904223
		b = pen{fg: colorRGB | color(x>>8), bg: colorRGB | color(x*7>>8)}.append(b)
		b = append(b, string(rune(0x4e00+x>>20))...)
	}
	return b
}

// links is a new, long hyperlink for every character.
func links(size int) []byte {
	var b []byte
	for i := 0; len(b) < size; i++ {
		b = fmt.Appendf(b, "\x1b]8;;http://x.example/%d/%s\x07", i, strings.Repeat("a", 900))
		if i%3 == 0 {
			b = append(b, 'x')
		}
	}
	return b
}
