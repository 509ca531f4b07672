package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tendhq/tend/internal/screen"
	"github.com/tendhq/tend/internal/session"
)

const (
	tailRunes   = 40 // of a text are looked for
	tailBytes   = 4096
	inputRows   = 8   // the cursor's row and those above it where the text may stand
	longText    = 200 // bytes from which an agent may show a placeholder instead
	edgeColumns = 4   // a row that ends so close to the edge goes on in the next
)

// Holds reports whether the text stands in the input line at this moment: its
// end right before the cursor, however it is wrapped or framed, or a
// placeholder for it. What stands in lines above that the cursor has left is
// output, not input.
func (w *Watch) Holds(text string) bool { return w.holds(tailOf(text), isLong(text)) }

// holdsPasted is Holds for the text that was pasted last.
func (w *Watch) holdsPasted() bool { return w.holds(w.typed.pasted, w.typed.long) }

func (w *Watch) holds(tail string, long bool) bool {
	if tail == "" {
		return false
	}
	stands := func(before string) bool { return strings.HasSuffix(before, tail) || long && endsInPlaceholder(before) }
	// A hidden cursor often stands where the drawn one is, but need not.
	return stands(w.beforeCursor()) || !w.term.Cursor().Visible && stands(w.lowestInput())
}

// tailOf is the end of a text as compact compares it. Of a long text only the
// last tailBytes are looked at, which is plenty unless they are blank.
func tailOf(text string) string {
	if cut := len(text) - tailBytes; cut > 0 {
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		text = text[cut:]
	}
	clean, _ := session.Sanitise(text)
	r := []rune(compact(clean))
	return string(r[max(len(r)-tailRunes, 0):])
}

func isLong(text string) bool { return len(text) >= longText || strings.Contains(text, "\n") }

// compact leaves out what wrapping and framing add: blanks and lines of boxes.
func compact(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '|' || isFrame(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// beforeCursor is the input area up to the cursor, compact; "" when nothing
// stands before the cursor in its row and no row runs on into it.
func (w *Watch) beforeCursor() string {
	rows := w.term.Text()
	c := w.term.Cursor()
	last := compact(prefix(rows[c.Row], c.Col))
	if w.atEdge(c) {
		last = compact(rows[c.Row])
	}
	if last == "" && (c.Row == 0 || !w.runsOn(rows[c.Row-1])) {
		return ""
	}
	var b strings.Builder
	for _, row := range rows[max(c.Row-inputRows, 0):c.Row] {
		b.WriteString(compact(row))
	}
	b.WriteString(last)
	return b.String()
}

// atEdge: in the last column a wrap may be pending, the character under the
// cursor being the one just written.
func (w *Watch) atEdge(c screen.Cursor) bool {
	cols, _ := w.term.Size()
	return c.Col == cols-1
}

// runsOn reports whether a row's text reaches the right edge.
func (w *Watch) runsOn(row string) bool {
	cols, _ := w.term.Size()
	row = strings.TrimRightFunc(row, func(r rune) bool { return r == '|' || isFrame(r) || unicode.IsSpace(r) })
	return row != "" && width(row) >= cols-edgeColumns
}

// lowestInput is the text behind the lowest prompt sign of the screen, for
// programs that hide the cursor and draw their own.
func (w *Watch) lowestInput() string {
	rows := w.term.Text()
	for y := len(rows) - 1; y >= 0; y-- {
		row := compact(rows[y])
		if r, n := utf8.DecodeRuneInString(row); n == 0 || !strings.ContainsRune(">❯›»$%#", r) {
			continue
		}
		for _, next := range rows[y+1:] {
			more := compact(next)
			if more == "" {
				break
			}
			row += more
		}
		return row
	}
	return ""
}

// endsInPlaceholder: agents show a long paste as "[Pasted text #1 +12 lines]",
// "[Pasted Content 1234 chars]" and the like.
func endsInPlaceholder(before string) bool {
	if !strings.HasSuffix(before, "]") {
		return false
	}
	i := strings.LastIndexByte(before, '[')
	return i >= 0 && strings.HasPrefix(strings.ToLower(before[i:]), "[pasted")
}

// prefix is what of a row lies left of column col.
func prefix(row string, col int) string {
	t := ruler(row)
	for i, r := range row {
		t.Write([]byte(string(r)))
		if t.Cursor().Col > col {
			return row[:i]
		}
	}
	return row
}

// width is the columns that a row's text takes.
func width(row string) int {
	t := ruler(row)
	t.Write([]byte(row))
	return t.Cursor().Col
}

// ruler is a terminal that no row is too long for: it measures by the same
// tables as the real one.
func ruler(row string) *screen.Terminal {
	return screen.New(2*len(row)+2, 1, screen.Options{History: -1})
}
