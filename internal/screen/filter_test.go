package screen

import (
	"strings"
	"testing"

	"github.com/tendhq/tend/internal/screen/sample"
)

func TestFilter(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "aé世\r\n\t\b", "aé世\r\n\t\b"},
		{"bell and enquiry", "a\x07\x05\x00b", "ab"},
		{"clipboard", "a\x1b]52;c;aGk=\x07b\x1b]52;p;?\x1b\\c", "abc"},
		{"clipboard by C1", "a\u009d52;c;aGk=\u009cb", "ab"},
		{"clipboard for tmux", "\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\b", "b"},
		{"clipboard cut", "\x1b]5\x1b[m2;c;x\x07", "\x1b[m2;c;x"},
		{"title", "\x1b]0;a\x01b\u202ec\x7f\u009bd\x07", "\x1b]2;abcd\x1b\\"},
		{"title with C1", "\x1b]2;x\u0085y\x1b\\", "\x1b]2;xy\x1b\\"},
		{"icon", "\x1b]1;x\x07\x1b]l;x\x07", ""},
		{"link", "\x1b]8;;https://e.x/\x07a\x1b]8;;\x07", "\x1b]8;;https://e.x/\x1b\\a\x1b]8;;\x1b\\"},
		{"link id", "\x1b]8;foo=1:id=q;HTTP://e.x/\x07a", "\x1b]8;id=q;HTTP://e.x/\x1b\\a"},
		{"link to a file", "\x1b]8;;file:///etc\x07a", "\x1b]8;;\x1b\\a"},
		{"link by script", "\x1b]8;;javascript:x\x07a", "\x1b]8;;\x1b\\a"},
		{"link with blanks", "\x1b]8;;http://a b\x07a", "\x1b]8;;\x1b\\a"},
		{"notifications", "\x1b]9;hi\x07\x1b]777;notify;a;b\x07\x1b]99;;x\x1b\\", ""},
		{"files", "\x1b]1337;File=name=x:AAAA\x07\x1b]5522;x\x07", ""},
		{"colours of the terminal", "\x1b]4;1;red\x07\x1b]10;red\x07\x1b]104\x07\x1b]50;font\x07", ""},
		{"strings", "\x1b_Gx\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\\x1bP1$r\x1b\\a", "a"},
		{"too many parameters", "\x1b[1;2;3A\x1b[1;2;3H\x1b[9s", "\x1b[1A\x1b[1;2H\x1b[s"},
		{"queries", "\x1b[c\x1b[0c\x1b[>c\x1b[=c\x1b[5n\x1b[6n\x1b[?6n\x1b[x\x1b[?1$p\x1b[18t\x1b[?u\x1b[>q\x1bZ", ""},
		{"windows", "\x1b[3;0;0t\x1b[8;99;99t\x1b[9;1t", ""},
		{"title stack", "\x1b[22;0t\x1b[23;2t\x1b[22;1t", "\x1b[22;0t\x1b[23;2t"},
		{"scrollback", "\x1b[3J\x1b[2J", "\x1b[2J"},
		{"modes", "\x1b[?1;2;25;1049;9001;2031h\x1b[?2l\x1b[4;12h", "\x1b[?1;25;1049h\x1b[4h"},
		{"memory locks and such", "\x1bl\x1bm\x1b%G\x1b#3\x1b F", ""},
		{"sgr", "\x1b[;31;4:3;58:2::1:2:3m", "\x1b[;31;4:3;58:2::1:2:3m"},
		{"numbers", "\x1b[0000000003;00000000000000000000000099999999H", "\x1b[3;65535H"},
		{"c0 inside", "\x1b[3\r1m", "\r\x1b[31m"},
		{"media copy", "\x1b[5i\x1b[?4i", ""},
		{"kitty keyboard", "\x1b[>7u\x1b[<u\x1b[=3;1u", "\x1b[>7u\x1b[<u\x1b[=3;1u"},
		{"cursor style", "\x1b[5 q\x1b[99 q", "\x1b[5 q"},
		{"unfinished", "a\x1b[3", "a"},
		{"malformed", "\x1b[1?2mx\x1b[!!pz", "xz"},
		{"bad UTF-8", "a\xc0\xafb\x80\x9b31mc", "ab31mc"},
	} {
		if got := string(NewFilter().Append(nil, []byte(c.in))); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

// The filter changes nothing that is seen.
func TestFilterKeepsTheScreen(t *testing.T) {
	var ins []input
	for _, s := range sample.Streams {
		ins = append(ins, input{s.Name, string(s.Make(64 << 10))})
	}
	for _, in := range append(append(edges(t, 80, 24), recordings(t)...), ins...) {
		if in.name == "ed3" { // the viewer's scrollback stays
			continue
		}
		raw, safe := feed(80, 24, in.data), New(80, 24, Options{})
		safe.Write(NewFilter().Append(nil, []byte(in.data)))
		a := dump(raw, true)
		if strings.Contains(a, "pending \"\"") {
			if b := dump(safe, true); a != b {
				t.Errorf("%s\n%s", in.name, diff(a, b))
			}
		}
	}
}

func TestRestoreBytes(t *testing.T) {
	viewer := feed(20, 5, "one\r\ntwo")
	viewer.Write([]byte("\x1b[?1049h\x1b[?1;5;25;1003;1006;1004;2004;2026;7l\x1b[?1;1003;1006;1004;2004;2026h\x1b[>7u\x1b[>4;2m\x1b[2;3r\x1b[31m\x1b(0\x1b[4h\x1b[?25l\x1b[5 qjunk"))
	viewer.Write(RestoreBytes(viewer.Modes()))
	if m := viewer.Modes(); m != startModes() {
		t.Errorf("modes left: %+v", m)
	}
	viewer.Write([]byte("$"))
	if got := strings.Join(viewer.Plain(-1), "|"); got != "one|two$" {
		t.Errorf("the shell goes on at %q", got)
	}
}
