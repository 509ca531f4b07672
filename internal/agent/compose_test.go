package agent

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tendhq/tend/internal/session"
)

// newWatch is a watch whose terminal has received these bytes.
func newWatch(t testing.TB, cols, rows int, output string) *Watch {
	t.Helper()
	w, err := generic.NewWatch(session.Session{State: session.Ready}, session.Size{Cols: cols, Rows: rows}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Feed(dawn, session.Output{Data: []byte(output)})
	return w
}

const pasteOn = "\x1b[?2004h"

func TestPaste(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, c := range []struct{ name, output, text, want, refused string }{
		{"a line", "", "hello", "hello", ""},
		{"a line with its newline", "", "hello\n", "hello", ""},
		{"nothing", pasteOn, "\n\n", "", ""},
		{"two lines without a frame", "", "a\nb", "", "bracketed paste"},
		{"the longest line", "", long, long, ""},
		{"too long a line", "", long + "x", "", "4095"},
		{"no limit in a frame", pasteOn, long + "x", "\x1b[200~" + long + "x\x1b[201~", ""},
		{"three lines in a frame", pasteOn, "a\nb\nc\n", "\x1b[200~a\nb\nc\x1b[201~", ""},
		{"windows lines", pasteOn, "a\r\nb\r\n", "\x1b[200~a\nb\x1b[201~", ""},
		{"a frame that was turned off", pasteOn + "\x1b[?2004l", "a\nb", "", "bracketed paste"},
		{"the end of the frame inside", pasteOn, "hi \x1b[201~ ; touch pwned\r", "\x1b[200~hi [201~ ; touch pwned\x1b[201~", ""},
		{"its eight-bit form", pasteOn, "hi \u009b201~ \x9b201~", "\x1b[200~hi 201~ \ufffd201~\x1b[201~", ""},
		{"line discipline keys", "", "a\x03\x15\x1a\x04\x16\x17\x1c\x00\x7fb", "ab", ""},
		{"a tab", pasteOn, "a\tb", "\x1b[200~a\tb\x1b[201~", ""},
	} {
		got, err := newWatch(t, 80, 24, c.output).Paste(c.text)
		var refused *session.PasteError
		switch {
		case c.refused == "" && (err != nil || string(got) != c.want):
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		case c.refused != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Why, c.refused) || got != nil):
			t.Errorf("%s: got %q, %v, want a refusal that says %q", c.name, got, err, c.refused)
		}
	}
}

// B25: nothing in a text is a command to us.
func TestPasteIsLiteral(t *testing.T) {
	w := newWatch(t, 80, 24, "")
	for _, text := range []string{"go;", ";", `\;`, "-x foo", "--", "$(id)", "`id`", "#{pid}", "%1", "Enter", "C-c", "~"} {
		if got, err := w.Paste(text); err != nil || string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}

func FuzzPaste(f *testing.F) {
	for _, s := range []string{"hello", "a\nb", "\x1b[201~", "\x1b\x1b[201~[201~", "\u009b201~", "\x9b201~", "é\x9b", "a\r\n", "\x7f\x00\x03"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, framed bool) {
		output := ""
		if framed {
			output = pasteOn
		}
		w := newWatch(t, 80, 24, output)
		got, err := w.Paste(text)
		if err != nil {
			if framed || got != nil {
				t.Fatalf("refused in a frame, or with bytes: %q, %v", got, err)
			}
			return
		}
		inner := got
		if framed && len(got) > 0 {
			if !bytes.HasPrefix(got, []byte(pasteBegin)) || !bytes.HasSuffix(got, []byte(pasteEnd)) {
				t.Fatalf("no frame: %q", got)
			}
			inner = got[len(pasteBegin) : len(got)-len(pasteEnd)]
		}
		if !utf8.Valid(inner) {
			t.Fatalf("invalid UTF-8, which may hold C1: %q", inner)
		}
		for _, r := range string(inner) {
			if unicode.IsControl(r) && r != '\t' && (r != '\n' || !framed) {
				t.Fatalf("a control character reaches the terminal: %q", inner)
			}
		}
		if clean, changed := session.Sanitise(string(inner)); changed || clean != string(inner) {
			t.Fatalf("not idempotent: %q became %q", inner, clean)
		}
		if again, err := w.Paste(string(inner)); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("pasting what was pasted: %q, %v, want %q", again, err, got)
		}
	})
}

func TestKeys(t *testing.T) {
	plain := newWatch(t, 80, 24, "")
	application := newWatch(t, 80, 24, "\x1b[?1h")
	for _, c := range []struct{ name, want, app string }{
		{"enter", "\r", "\r"}, {"Esc", "\x1b", "\x1b"}, {"tab", "\t", "\t"}, {"shift-tab", "\x1b[Z", "\x1b[Z"},
		{"space", " ", " "}, {"backspace", "\x7f", "\x7f"}, {"up", "\x1b[A", "\x1bOA"}, {"DOWN", "\x1b[B", "\x1bOB"},
		{"right", "\x1b[C", "\x1bOC"}, {"left", "\x1b[D", "\x1bOD"}, {"home", "\x1b[H", "\x1bOH"}, {"end", "\x1b[F", "\x1bOF"},
		{"pageup", "\x1b[5~", "\x1b[5~"}, {"ctrl-a", "\x01", "\x01"}, {"ctrl-z", "\x1a", "\x1a"}, {"Ctrl-C", "\x03", "\x03"},
		{"y", "y", "y"}, {"Y", "Y", "Y"}, {"1", "1", "1"}, {"é", "é", "é"}, {"日", "日", "日"}, {" ", " ", " "},
	} {
		for w, want := range map[*Watch]string{plain: c.want, application: c.app} {
			if got, err := w.Key(c.name); err != nil || string(got) != want {
				t.Errorf("%s: got %q, %v, want %q", c.name, got, err, want)
			}
		}
	}
	for _, name := range []string{"", "return-now", "ctrl-", "ctrl-1", "ctrl-é", "\x1b", "\x03", "\x9b", "ab", "\u009b", "\u202e"} {
		if got, err := plain.Key(name); err == nil {
			t.Errorf("%q is no key and became %q", name, got)
		}
	}
}

func TestGenericArgv(t *testing.T) {
	spec := session.Spec{Argv: []string{"go;", "-x foo", "--", "$(id)", "~"}}
	for _, native := range []string{"", "some-id"} {
		plan, err := generic.Launch(spec, session.LaunchOrder{NativeID: native})
		got := plan.Argv
		if err != nil || fmt.Sprint(got) != fmt.Sprint(spec.Argv) {
			t.Errorf("got %q, %v", got, err)
		}
		got[0] = "changed"
	}
	if spec.Argv[0] != "go;" {
		t.Error("the spec's own argv was handed out")
	}
	if _, err := generic.Launch(session.Spec{}, session.LaunchOrder{}); err == nil {
		t.Error("an empty command was accepted")
	}
	if _, err := ByName("nobody"); err == nil || !strings.Contains(err.Error(), "generic") {
		t.Errorf("an unknown agent: %v", err)
	}
}
