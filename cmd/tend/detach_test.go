package main

import (
	"strings"
	"testing"
)

func TestDetachKeys(t *testing.T) {
	t.Parallel()
	const kitty, release, xterm, control = "\x1b[113;5u", "\x1b[113;5:3u", "\x1b[27;5;113~", "\x1b[57442;5u"
	for _, c := range []struct {
		keys, typed string
		pass        string
		leave, wait bool // left at once; leaves when nothing follows
	}{
		{"ctrl-q", "abc\r", "abc\r", false, false},
		{"ctrl-q", "\x11", "", false, true},
		{"ctrl-q", "ab\x11c", "ab", true, true},
		{"ctrl-q", "\x11\x11", "\x11", false, false},
		{"ctrl-q", "\x11\x11x\x11", "\x11x", false, true},
		{"ctrl-q", kitty, "", false, true},
		{"ctrl-q", kitty + release, "", false, true},
		{"ctrl-q", kitty + release + kitty + release, "\x11", false, false},
		{"ctrl-q", control + kitty, control, false, true},
		{"ctrl-q", kitty + control + kitty, "\x11", false, false},
		{"ctrl-q", xterm, "", false, true},
		{"ctrl-q", "\x1b[113;69u", "", false, true}, // caps lock is on
		{"ctrl-q", "\x1b[113;6u", "\x1b[113;6u", false, false},
		{"ctrl-q", "\x1b[113u", "\x1b[113u", false, false},
		{"ctrl-q", "\x1b[A\x1b[1;5C\x1b[200~q\x1b[201~", "\x1b[A\x1b[1;5C\x1b[200~q\x1b[201~", false, false},
		{"ctrl-q", "é日\x1b", "é日\x1b", false, false},
		{"ctrl-p,ctrl-q", "\x10\x11", "", false, true},
		{"ctrl-p,ctrl-q", "\x10x", "\x10x", false, false},
		{"ctrl-p,ctrl-q", "\x10\x11\x10\x11", "\x10\x11", false, false},
	} {
		keys, err := parseKeys(c.keys)
		if err != nil {
			t.Fatal(err)
		}
		d := detacher{keys: keys}
		pass, leave := d.feed([]byte(c.typed))
		if string(pass) != c.pass || leave != c.leave || d.armed != c.wait {
			t.Errorf("%s, %q: pass %q, leave %v, armed %v; want %q, %v, %v", c.keys, c.typed, pass, leave, d.armed, c.pass, c.leave, c.wait)
		}
	}
}

// FuzzDetach: nothing that is typed is lost or made up before the leaving,
// however it is spelled.
func FuzzDetach(f *testing.F) {
	for _, s := range []string{"abc", "\x1b[113;5u\x1b[113;5:3u", "\x1b[27;5;113~", "\x1b[;;u", "\x1b["} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		d := detacher{keys: []byte{0x11}}
		pass, leave := d.feed([]byte(typed))
		if !leave && !d.armed && !strings.Contains(typed, "\x11") && !strings.Contains(typed, "\x1b[") && string(pass) != typed {
			t.Errorf("%q became %q", typed, pass)
		}
	})
}

func TestKeysAreShownAsTheyArePressed(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"ctrl-q": "Ctrl-Q", "CTRL-a, ctrl-d": "Ctrl-A Ctrl-D", `ctrl-\`: `Ctrl-\`} {
		keys, err := parseKeys(in)
		if got := showKeys(keys); err != nil || got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, bad := range []string{"", "q", "ctrl-", "ctrl-qq", "ctrl-1", "alt-q"} {
		if _, err := parseKeys(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
