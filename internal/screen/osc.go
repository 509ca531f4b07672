package screen

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxTitle  = 1024 // bytes
	maxTitles = 10   // depth of the title stack, as in xterm
	maxURI    = 2083 // bytes, as in VTE
	maxField  = 64
)

// titles is the window title and those put aside by CSI 22 t.
type titles struct {
	text  string
	stack []string
}

// osc acts on an operating system command. What was cut is not trusted.
func (t *Terminal) osc(data []byte, cut bool) {
	t.joinable = false
	if cut {
		t.emit(StringCut{})
		return
	}
	number, rest, _ := bytes.Cut(data, []byte{';'})
	switch string(number) {
	case "0", "2":
		t.setTitle(cleanTitle(rest))
	case "7":
		if len(rest) <= maxURI {
			t.emit(DirChanged{clean(string(rest), maxURI)})
		}
	case "8":
		if t.pens.full() {
			t.collect()
		}
		t.cur.pen.link = t.pens.link(parseLink(rest))
		t.cur.dirty = true
	case "133":
		t.promptMark(string(rest))
	case "7501":
		t.agentState(string(rest))
	case "4", "10", "11", "12", "17", "19":
		if bytes.HasSuffix(rest, []byte{'?'}) {
			t.emit(Query{Name: "OSC " + string(number)})
		}
	}
}

func (t *Terminal) setTitle(s string) {
	if s != t.title.text {
		t.title.text = s
		t.emit(TitleChanged{s})
	}
}

// titleStack is CSI 22 and 23 ; 0 or 2 t; other window operations are not
// for an agent to do.
func (t *Terminal) titleStack(s *sequence) {
	if s.param(1, 0) == 1 { // icon title only
		return
	}
	switch s.param(0, 0) {
	case 22:
		if len(t.title.stack) == maxTitles {
			t.title.stack = append(t.title.stack[:0], t.title.stack[1:]...)
		}
		t.title.stack = append(t.title.stack, t.title.text)
	case 23:
		if n := len(t.title.stack); n > 0 {
			top := t.title.stack[n-1]
			t.title.stack = t.title.stack[:n-1]
			t.setTitle(top)
		}
	}
}

// cleanTitle is a title as it may be shown anywhere.
func cleanTitle(b []byte) string { return clean(string(b), maxTitle) }

// clean drops what is not valid UTF-8 and all control and bidirectional
// formatting characters, and cuts at limit bytes.
func clean(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r < 0x20, r >= 0x7f && r < 0xa0, r == utf8.RuneError,
			r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
	for len(s) > limit {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}

// parseLink reads OSC 8 ; params ; uri. A URI that is too long or has bytes
// outside printable ASCII is no link.
func parseLink(b []byte) link {
	params, uri, ok := bytes.Cut(b, []byte{';'})
	if !ok || len(uri) == 0 || len(uri) > maxURI || !printable(uri) {
		return link{}
	}
	l := link{uri: string(uri)}
	for field := range strings.SplitSeq(string(params), ":") {
		if id, ok := strings.CutPrefix(field, "id="); ok && len(id) <= 4*maxField && printable([]byte(id)) {
			l.id = id
		}
	}
	return l
}

func printable(b []byte) bool {
	for _, c := range b {
		if c <= 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// promptMark reads OSC 133 ; kind [; exit] [; key=value ...].
func (t *Terminal) promptMark(s string) {
	kind, rest, _ := strings.Cut(s, ";")
	if len(kind) != 1 || kind[0] < 'A' || kind[0] > 'D' {
		return
	}
	m := PromptMark{Kind: kind[0]}
	if m.Kind == 'D' {
		first, _, _ := strings.Cut(rest, ";")
		if n, err := strconv.ParseInt(first, 10, 32); err == nil {
			m.Exit, m.HasExit = int(n), true
		}
	}
	t.emit(m)
}

// agentState reads OSC 7501 ; state=S:app=A:kind=K.
func (t *Terminal) agentState(s string) {
	var e AgentState
	for field := range strings.SplitSeq(s, ":") {
		key, value, _ := strings.Cut(field, "=")
		switch value = clean(value, maxField); key {
		case "state":
			e.State = value
		case "app":
			e.App = value
		case "kind":
			e.Kind = value
		}
	}
	switch e.State {
	case "idle", "working", "blocked", "done", "error", "clear":
		t.emit(e)
	}
}
