package screen

import (
	"fmt"
	"strconv"
)

// query reports a device query and its answer.
func (t *Terminal) query(name string) {
	if t.onEvent == nil {
		return
	}
	var reply string
	switch name {
	case "DA1":
		reply = "\x1b[?62;22c" // a VT220 with colour
	case "DA2":
		reply = "\x1b[>1;10;0c"
	case "DSR":
		reply = "\x1b[0n"
	case "CPR":
		reply = "\x1b[" + t.position() + "R"
	case "DECXCPR":
		reply = "\x1b[?" + t.position() + ";1R"
	case "kitty keyboard":
		reply = "\x1b[?" + strconv.Itoa(t.Modes().KittyFlags) + "u"
	case "XTVERSION":
		reply = "\x1bP>|tend\x1b\\"
	}
	t.emit(Query{Name: name, Reply: []byte(reply)})
}

// position is the cursor as CPR reports it.
func (t *Terminal) position() string {
	row := t.cur.row
	if t.cur.origin {
		row -= t.top
	}
	return fmt.Sprintf("%d;%d", row+1, min(t.cur.col, t.cols-1)+1)
}

// queryDevice is DA, DSR and XTVERSION.
func (t *Terminal) queryDevice(s *sequence) {
	n := s.param(0, 0)
	switch key := string([]byte{s.prefix, s.final}); {
	case key == "\x00c" && n == 0:
		t.query("DA1")
	case key == ">c" && n == 0:
		t.query("DA2")
	case key == ">q" && n == 0:
		t.query("XTVERSION")
	case key == "\x00n" && n == 5:
		t.query("DSR")
	case key == "\x00n" && n == 6:
		t.query("CPR")
	case key == "?n" && n == 6:
		t.query("DECXCPR")
	}
}

// queryMode is DECRQM: 1 set, 2 reset, 0 not known.
func (t *Terminal) queryMode(s *sequence) {
	if t.onEvent == nil || s.n != 1 || s.prefix != 0 && s.prefix != '?' {
		return
	}
	n, prefix, state := s.param(0, 0), "", 0
	on, known := t.ansiMode(n)
	if s.prefix == '?' {
		prefix = "?"
		on, known = t.privateMode(n)
	}
	if known {
		state = 2
		if on {
			state = 1
		}
	}
	t.emit(Query{Name: "DECRQM", Reply: fmt.Appendf(nil, "\x1b[%s%d;%d$y", prefix, n, state)})
}

func (t *Terminal) ansiMode(n int) (on, known bool) {
	switch n {
	case 4:
		return t.modes.InsertMode, true
	case 20:
		return t.modes.Newline, true
	}
	return false, false
}

func (t *Terminal) privateMode(n int) (on, known bool) {
	if flag := t.modes.privateFlag(n); flag != nil {
		return *flag, true
	}
	switch n {
	case 6:
		return t.cur.origin, true
	case 25:
		return !t.modes.hidden, true
	case 47, 1047, 1049:
		return t.grid == &t.alternate, true
	case 1000:
		return t.modes.MouseClick, true
	case 1002:
		return t.modes.MouseDrag, true
	case 1003:
		return t.modes.MouseAny, true
	case 2026:
		return t.InSync(), true
	}
	return false, false
}
