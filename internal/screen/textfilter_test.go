package screen

import (
	"testing"
	"unicode"

	"github.com/tendhq/tend/internal/screen/sample"
)

func TestTextFilter(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "aé世\r\n\tb\n", "aé世\n\tb\n"},
		{"modes", "\x1b[?1049h\x1b[?1000;25lx\x1b[?1049l\x1b=\x1b[>7uy", "x\ny"},
		{"titles, clipboard, links", "\x1b]0;t\x07\x1b]52;c;aGk=\x07\x1b]8;;https://e.x/\x1b\\a\x1b]8;;\x1b\\", "a"},
		{"bidirectional", "a\u202eb\u2066c\u200b\u2028", "a\ufffdb\ufffdc\ufffd\ufffd"},
		{"joined", "\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"},
		{"a line written over", "10%\r20%\r\n", "10%\n20%\n"},
		{"another line", "one\x1b[5;1Htwo\x1b[3A\x1b[Gthree\x1b[2K\n", "one\ntwo\nthree\n"},
		{"blanks by movement", "one\x1b[1Ctwo", "one two"},
		{"scroll region, erasing", "a\x1b[2;5r\x1b[2J\x1b[3Jb", "a\nb"},
		{"sgr", "\x1b[1;31mred\x1b[0m.\x1b[4:3mwave", "\x1b[1;31mred\x1b[0m.\x1b[4:3mwave"},
		{"malformed", "\x1b[1?2mx\x1b[>4;2my\u009b31mz\x1bPq\x1b\\", "xy\x1b[31mz"},
	} {
		for cut := range len(c.in) + 1 {
			f := NewTextFilter(true)
			if got := string(f.Append(f.Append(nil, []byte(c.in[:cut])), []byte(c.in[cut:]))); got != c.want {
				t.Errorf("%s, cut at %d: %q, want %q", c.name, cut, got, c.want)
			}
		}
	}
	f := NewTextFilter(true)
	f.Append(nil, []byte("\x1b[0m\x1b[31mx"))
	if got := string(f.End(nil)); got != "\x1b[0m" {
		t.Errorf("the pen is left with %q", got)
	}
}

// Without styles nothing but text comes out, whatever goes in.
func TestTextFilterIsText(t *testing.T) {
	for _, s := range sample.Streams {
		f := NewTextFilter(false)
		for _, r := range string(f.End(f.Append(nil, s.Make(64<<10)))) {
			if !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\u200d' {
				t.Fatalf("%s: %q comes out", s.Name, r)
			}
		}
	}
}
