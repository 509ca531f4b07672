package screen

import (
	"fmt"
	"strings"
)

// dump writes everything that can ever be seen of a terminal, so that two
// terminals with equal dumps are equal.
func dump(t *Terminal, history bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "size %dx%d cursor %+v joinable %v margins %d..%d\n", t.cols, t.rows, place(t, t.cur), t.joinable, t.top, t.bottom)
	fmt.Fprintf(&b, "modes %+v\nshown %+v\n", t.Modes(), t.Cursor())
	fmt.Fprintf(&b, "title %q stack %q kitty %v tabs %v\n", t.title.text, t.title.stack, t.kitty, t.tabs)
	fmt.Fprintf(&b, "saved %+v | %+v\n", place(t, t.primary.saved), place(t, t.alternate.saved))
	fmt.Fprintf(&b, "pending %q\n", t.parser.pending(nil))
	dumpRows(&b, t, "primary", t.primary.rows)
	dumpRows(&b, t, "alternate", t.alternate.rows)
	dumpRows(&b, t, "frozen", t.frozen.rows)
	if history {
		fmt.Fprintf(&b, "history %d, shown %d, goes on %v\n", t.history.len(), t.shownHistory(), t.history.wrapped())
		scratch := newPens()
		var rows []*row
		t.history.walk(0, t.history.len(), func(enc []byte) { rows = append(rows, scratch.decode(enc)) })
		for _, r := range rows {
			dumpRow(&b, &scratch, r)
		}
	}
	return b.String()
}

// place is a cursor without the fields that only cache.
func place(t *Terminal, c cursor) string {
	v := c.pen
	l := t.pens.links[v.link]
	v.link = 0
	return fmt.Sprintf("%d,%d pen %+v link %v origin %v shift %d sets %q", c.col, c.row, v, l, c.origin, c.shift, c.sets)
}

func dumpRows(b *strings.Builder, t *Terminal, name string, rows []*row) {
	fmt.Fprintf(b, "%s\n", name)
	for _, r := range rows {
		dumpRow(b, &t.pens, r)
	}
}

func dumpRow(b *strings.Builder, p *pens, r *row) {
	n := min(r.n, len(r.cells))
	for n > 0 && r.cells[n-1] == (cell{}) {
		n--
	}
	fmt.Fprintf(b, " wrapped %v |", r.wrapped)
	last := ""
	for x, c := range r.cells[:n] {
		v := p.list[c.pen]
		l := p.links[v.link]
		v.link = 0
		if style := fmt.Sprintf("%+v%v", v, l); style != last && c.flag&cellTail == 0 {
			last = style
			fmt.Fprintf(b, "<%s>", style)
		}
		switch {
		case c.flag&cellTail != 0:
			b.WriteString("~")
		case c.flag&cellPad != 0 && r.wrapped && x == len(r.cells)-1:
			b.WriteString("#")
		case c.flag&cellPad != 0:
			b.WriteString(" ")
		case c.ch == 0:
			b.WriteString("_")
		default:
			b.Write(p.appendText(nil, c))
			b.WriteByte('.')
		}
	}
	b.WriteByte('\n')
}

// tokens are the alphabet of random streams: pieces that meet in every order.
var tokens = strings.Split("a|bc|hello world |0123456789012345678901234567890123456789|\x1b[m|\x1b[1;31m|\x1b[44m|\x1b[0;4:3;58:2::1:2:3m|"+
	"\x1b[38;5;200;48;2;1;2;3m|\r|\n|\r\n|\b|\t|\x0e|\x0f|\x1b(0|\x1b(B|\x1b)0|qx|\x07|\x1b7|\x1b8|\x1bD|\x1bM|\x1bE|\x1bH|\x1b#8|\x1bc|\x1b=|\x1b>|"+
	"\x1b[H|\x1b[5;7H|\x1b[99;99H|\x1b[3G|\x1b[2d|\x1b[A|\x1b[2B|\x1b[3C|\x1b[2D|\x1b[J|\x1b[1J|\x1b[2J|\x1b[3J|\x1b[K|\x1b[1K|\x1b[2K|\x1b[X|\x1b[5X|"+
	"\x1b[@|\x1b[3@|\x1b[P|\x1b[2P|\x1b[L|\x1b[2L|\x1b[M|\x1b[2M|\x1b[S|\x1b[2S|\x1b[T|\x1b[I|\x1b[Z|\x1b[g|\x1b[3g|\x1b[b|\x1b[7b|"+
	"\x1b[2;4r|\x1b[r|\x1b[3;99r|\x1b[?6h|\x1b[?6l|\x1b[?7h|\x1b[?7l|\x1b[4h|\x1b[4l|\x1b[20h|\x1b[20l|\x1b[?25l|\x1b[?25h|\x1b[?5h|\x1b[?1;1000;1006;2004h|\x1b[?1003h|\x1b[?1l|"+
	"\x1b[?1049h|\x1b[?1049l|\x1b[?47h|\x1b[?47l|\x1b[?1048h|\x1b[?1048l|\x1b[?2026h|\x1b[?2026l|\x1b[>5u|\x1b[<u|\x1b[=3;2u|\x1b[!p|\x1b[4 q|\x1b[s|\x1b[u|\x1b[>4;2m|"+
	"\x1b]0;title\x07|\x1b]2;other\x1b\\|\x1b[22t|\x1b[23;0t|\x1b]8;;http://x.example/\x1b\\|\x1b]8;id=1;file:///etc\x07|\x1b]8;;\x07|\x1b]133;D;1\x07|\x1b]7501;state=idle:app=x\x07|\x1b]52;c;AA\x07|"+
	"\x1b[c|\x1b[6n|\x1bP+q\x1b\\|\x1b_x\x1b\\|\x9b|\xc2\x9bA|\xff|\xe2|\xe2\x9c\xb3|\x1b|\x1b[|\x1b[3|\x1b[3;|\x1b]0;x|\x1bP|\x18|\x05|\x7f|"+
	"世|界世界世|é|e\u0301|\u0301|\u200d|\ufe0f|\ufe0e|✍|1|\u20e3|🇩|🇪|👨|👩\u200d|🏻|क|\u094d|ष|각|ᄀ|ᅡ|ᆨ|\u0600|\u200b|█|─", "|")

// stream turns arbitrary bytes into a stream of tokens.
func stream(data []byte) []byte {
	var out []byte
	for _, c := range data {
		out = append(out, tokens[int(c)%len(tokens)]...)
	}
	return out
}
