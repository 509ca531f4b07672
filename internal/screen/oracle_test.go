package screen

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// oracleSizes are the sizes of the proof: usual, large, small.
var oracleSizes = [][2]int{{80, 24}, {200, 50}, {20, 5}}

// input is one named input of the corpus.
type input struct {
	name string
	data string
}

// edges reads testdata/edges.txt for a size.
func edges(t testing.TB, cols, rows int) []input {
	t.Helper()
	text, err := os.ReadFile("testdata/edges.txt")
	if err != nil {
		t.Fatal(err)
	}
	alphabet := strings.Repeat("abcdefghijklmnopqrstuvwxyz", cols/26+1)
	var tall strings.Builder
	for i := range rows + 3 {
		fmt.Fprintf(&tall, "line %d\r\n", i)
	}
	r := strings.NewReplacer("%COLS%", alphabet[:cols], "%FILL%", alphabet[:cols-1], "%MID%", alphabet[:cols/2], "%TALL%", tall.String())
	var list []input
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, quoted, _ := strings.Cut(line, " ")
		data, err := strconv.Unquote(strings.TrimSpace(quoted))
		if err != nil {
			t.Fatalf("edges.txt, %s: %v", name, err)
		}
		list = append(list, input{name, r.Replace(data)})
	}
	return list
}

// recordings are the files of testdata/corpus: a line that says what it is,
// then the bytes.
func recordings(t *testing.T) []input {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	var list []input
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, data, _ := strings.Cut(string(text), "\n")
		list = append(list, input{filepath.Base(f), data})
	}
	return list
}

// view is a screen as an oracle sees it.
type view struct {
	col, row int
	lines    []string // one cell a piece, with its style where that changes
}

// ours is what this package shows; blanks at the ends of lines count where
// ends is set and they have a background.
func ours(term *Terminal, ends bool) view {
	v := view{col: min(term.cur.col, term.cols-1), row: term.cur.row}
	for _, r := range term.grid.rows {
		b := lineBuilder{ends: ends}
		for _, c := range r.cells {
			if c.flag&cellTail == 0 {
				b.add(string(term.pens.appendText(nil, c)), styleName(term.pens.list[c.pen]))
			}
		}
		v.lines = append(v.lines, b.String())
	}
	return v
}

// lineBuilder writes a line so that equal lines are equal strings: styles only
// where they change, of blanks only the background, and those at the end only
// where ends is set and they have one.
type lineBuilder struct {
	ends  bool
	b     strings.Builder
	style string
	end   int
}

func (l *lineBuilder) add(text, style string) {
	blank := text == "" || text == " "
	if blank {
		text = " "
		style = "default " + strings.Fields(style)[1]
	}
	plain := blank && style == "default default"
	if style != l.style && !(plain && l.style == "") {
		l.style = style
		fmt.Fprintf(&l.b, "<%s>", style)
	}
	l.b.WriteString(text)
	if !blank || l.ends && !plain {
		l.end = l.b.Len()
	}
}

func (l *lineBuilder) String() string { return l.b.String()[:l.end] }

func styleName(v pen) string {
	parts := []string{colorName(v.fg), colorName(v.bg)}
	for _, a := range []struct {
		on   bool
		name string
	}{{v.attr&attrBold != 0, "bold"}, {v.attr&attrFaint != 0, "faint"}, {v.attr&attrItalic != 0, "italic"}, {v.under != 0, "under"},
		{v.attr&attrBlink != 0, "blink"}, {v.attr&attrInverse != 0, "inverse"}, {v.attr&attrInvisible != 0, "invisible"},
		{v.attr&attrStrike != 0, "strike"}, {v.attr&attrOverline != 0, "overline"}} {
		if a.on {
			parts = append(parts, a.name)
		}
	}
	return strings.Join(parts, " ")
}

func colorName(c color) string {
	switch c & colorKind {
	case colorPalette:
		return fmt.Sprint("p", uint32(c&^colorKind))
	case colorRGB:
		return fmt.Sprint("rgb", uint32(c&^colorKind))
	}
	return "default"
}

// compare is "" when both views are the same.
func compare(want, got view) string {
	var b strings.Builder
	if want.col != got.col || want.row != got.row {
		fmt.Fprintf(&b, "cursor: oracle %d,%d, ours %d,%d\n", want.col, want.row, got.col, got.row)
	}
	for i := range got.lines {
		if i < len(want.lines) && want.lines[i] != got.lines[i] {
			fmt.Fprintf(&b, "row %d: oracle %q\n          ours %q\n", i, want.lines[i], got.lines[i])
		}
	}
	return b.String()
}

// differences reads testdata/differences.txt: for an oracle, the inputs in
// which it may differ, each with the reason why this package is right.
func differences(t *testing.T, oracle string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) < 3 {
			t.Fatalf("differences.txt: %q has no reason", line)
		}
		if f[1] == oracle || f[1] == "both" {
			reasons[f[0]] = strings.Join(f[2:], " ")
		}
	}
	return reasons
}

// checkOracle compares every input at every size with what ask shows. An
// input with a known difference must differ at one size at least, so that the
// list stays true.
func checkOracle(t *testing.T, oracle string, start func(t *testing.T, cols, rows int) func(data string) view) {
	known := differences(t, oracle)
	differs := make(map[string]bool)
	for _, size := range oracleSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			ask := start(t, size[0], size[1])
			for _, in := range append(edges(t, size[0], size[1]), recordings(t)...) {
				term := New(size[0], size[1], Options{})
				term.Write([]byte(in.data))
				d := compare(ask(in.data), ours(term, oracle == "xterm"))
				if d != "" {
					differs[in.name] = true
				}
				if d != "" && known[in.name] == "" {
					t.Errorf("%s: %.200q\n%s", in.name, in.data, d)
				}
			}
		})
	}
	for name := range known {
		if !differs[name] && !t.Failed() {
			t.Errorf("%s does not differ from %s any more: take it off the list", name, oracle)
		}
	}
}

func TestXterm(t *testing.T) {
	h := newHeadless(t)
	checkOracle(t, "xterm", func(t *testing.T, cols, rows int) func(string) view {
		return func(data string) view { return h.ask(t, cols, rows, data).view(cols) }
	})
}

func TestTmux(t *testing.T) {
	checkOracle(t, "tmux", func(t *testing.T, cols, rows int) func(string) view {
		p := newTmuxPane(t, cols, rows)
		return func(data string) view { return p.show(t, data) }
	})
}

// mess is what a viewer may have been left in.
const mess = "xyz\x1b[?1049h\x1b[2;3r\x1b[4h\x1b[41mjunk \x1b(0\x1b[?7l\x1b[3gmore\x1b]0;unfinished"

// checkSnapshots has an oracle show the snapshot of every input, and compares
// that with what this package shows of the input itself: so a snapshot is
// right on other terminals than ours.
func checkSnapshots(t *testing.T, oracle string, cols, rows int, ask func(data string) view) {
	clusters := differences(t, "both")
	for _, in := range append(edges(t, cols, rows), recordings(t)...) {
		if clusters[in.name] != "" || in.name == "sgr-overline" && oracle == "tmux" {
			continue
		}
		term := feed(cols, rows, strings.ReplaceAll(in.data, "\x1b]8;", "\x1b]1;")) // see osc-8
		term.EndSync()
		safe := NewFilter().Append(nil, term.Snapshot(3))
		if d := compare(ask(mess+string(safe)), ours(term, oracle == "xterm")); d != "" {
			t.Errorf("%s: %.200q\nsnapshot %q\n%s", in.name, in.data, safe, d)
		}
	}
}

func TestSnapshotInXterm(t *testing.T) {
	h := newHeadless(t)
	checkSnapshots(t, "xterm", 20, 5, func(data string) view { return h.ask(t, 20, 5, data).view(20) })
}

func TestSnapshotInTmux(t *testing.T) {
	p := newTmuxPane(t, 20, 5)
	checkSnapshots(t, "tmux", 20, 5, func(data string) view { return p.show(t, data) })
}

func missing(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
