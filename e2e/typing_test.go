package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// composer is a fake agent with an input line that logs what it gets.
func (w *world) composer(opt string, before ...string) []string {
	steps := append([]string{"log " + w.path("typed"), "raw", "paste"}, before...)
	return fake(append(steps, strings.TrimSpace("composer "+opt))...)
}

func (w *world) typed() string { return w.read("typed") }

func TestB19ControlBytesNeverReachTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(nil, w.composer(""))
	w.until(s.ID, "ready")
	hostile := "hi \x1b[201~ ; touch pwned\r a\x03b\x15c\x1ad\x04e\x16f \u009b201~ \x7f end"
	out, errs, code := w.try([]byte(hostile), "send", s.ID, "-", "--wait", "--timeout", "30s")
	if code != 0 {
		t.Fatalf("exit %d %s%s", code, out, errs)
	}
	frame := w.typed()
	frame = strings.TrimSuffix(strings.TrimPrefix(frame, "\x1b[200~"), "\x1b[201~\r")
	if strings.ContainsFunc(frame, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
		t.Fatalf("typed %q", w.typed())
	}
	if !strings.Contains(out+errs, "control") {
		t.Fatalf("the change is not told: %q %q", out, errs)
	}
}

func TestB22ASwallowedEnter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(nil, w.composer("swallow"))
	w.until(s.ID, "ready")
	w.tend("send", s.ID, "one")
	w.tend("send", s.ID, "two")
	w.eventually("two turns", 20*time.Second, func() bool { return w.show(s.ID).Turn.N == 2 })
	out := w.tend("logs", s.ID, "--plain")
	if !strings.Contains(out, "turn: one") || !strings.Contains(out, "turn: two") || strings.Contains(out, "onetwo") {
		t.Fatalf("%s", out)
	}
}

func TestB23AMultiLinePromptIsOneTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(nil, w.composer(""))
	w.until(s.ID, "ready")
	w.tend("send", s.ID, "a\nb\nc\n", "--wait")
	if got := w.typed(); got != "\x1b[200~a\nb\nc\x1b[201~\r" {
		t.Fatalf("typed %q", got)
	}
	if n := w.show(s.ID).Turn.N; n != 1 {
		t.Fatalf("%d turns", n)
	}
	plain := w.start(nil, fake("log "+w.path("typed2"), "raw", "composer")) // never turned paste on
	w.until(plain.ID, "ready")
	w.try(nil, "send", plain.ID, "a\nb\nc\n", "--wait", "--timeout", "20s")
	if got := w.read("typed2"); strings.Count(got, "\r") > 1 {
		t.Fatalf("three turns silently: %q", got)
	}
	if w.cause(w.show(plain.ID)) != "promptUndelivered" {
		t.Fatalf("not told: %+v", w.show(plain.ID))
	}
}

var odd = []string{"go;", ";", `\;`, "-x foo", "--", "$(id)", "`id`", "#{pid}", "%1", "Enter", "C-c", "~"}

func TestB25OddTextArrivesAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(nil, w.composer(""))
	w.until(s.ID, "ready")
	var want strings.Builder
	for _, text := range odd {
		w.tend("send", "--wait", s.ID, "--", text)
		fmt.Fprintf(&want, "\x1b[200~%s\x1b[201~\r", text)
	}
	if got := w.typed(); got != want.String() {
		t.Fatalf("typed %q\nwant  %q", got, want.String())
	}
	argv := w.start([]string{"--kind", "job"}, append([]string{"printf", "%s\\n"}, odd...))
	w.until(argv.ID, "done")
	if got := w.tend("logs", argv.ID, "--plain"); strings.TrimSpace(got) != strings.Join(odd, "\n") {
		t.Fatalf("argv %q", got)
	}
}

func TestB26LargePromptsArriveWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(nil, w.composer(""))
	w.until(s.ID, "ready")
	want := ""
	for _, n := range []int{1 << 10, 16 << 10, 128 << 10} {
		text := pattern(n)
		if out, errs, code := w.try([]byte(text), "send", s.ID, "-", "--wait", "--timeout", "60s"); code != 0 {
			t.Fatalf("%d bytes: exit %d %s%s", n, code, out, errs)
		}
		want += "\x1b[200~" + text + "\x1b[201~\r"
		if got := w.typed(); sha256.Sum256([]byte(got)) != sha256.Sum256([]byte(want)) {
			t.Fatalf("%d bytes: got %d in all, want %d", n, len(got), len(want))
		}
	}
	_, errs, code := w.try([]byte(pattern(1<<20+1)), "send", s.ID, "-")
	if code == 0 || !strings.Contains(errs, "1048576") {
		t.Fatalf("over the limit: exit %d %q", code, errs)
	}
	if got := w.typed(); got != want {
		t.Fatal("a part of what was refused was delivered")
	}
}

func pattern(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%07d ", i)
	}
	return b.String()[:n-1] + "."
}

func TestB27APromptThatTheAgentDiscardsIsTypedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start([]string{"--prompt", "/plugin install x"}, fake("log "+w.path("typed"), "raw", `print > `, "flush 3s", "composer silent"))
	w.eventually("the turn", 30*time.Second, func() bool { return w.show(s.ID).Turn.N == 1 })
	if out := w.tend("logs", s.ID, "--plain"); strings.Count(out, "turn: /plugin install x") != 1 {
		t.Fatalf("%s", out)
	}
}

func TestB80SecretsStayOutOfSight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const canary, canary2 = "canary-7f3a", "canary2-91bc"
	w.env = append(w.env, "SECRET="+canary)
	s := w.start([]string{"--env", "SECRET", "--prompt", canary2}, w.composer(""))
	w.until(s.ID, "done")
	for _, pid := range w.processes() {
		if strings.Contains(cmdline(pid), canary) || strings.Contains(cmdline(pid), canary2) {
			t.Errorf("in the command line of %s", cmdline(pid))
		}
	}
	w.walk(func(path string, st os.FileInfo) {
		if m := st.Mode(); m.Perm()&0o077 != 0 && m&os.ModeSymlink == 0 {
			t.Errorf("%s has mode %v", path, m)
		}
		if !st.Mode().IsRegular() || strings.HasSuffix(path, "launch.json") {
			return
		}
		if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), canary) {
			t.Errorf("the value is in %s", path)
		}
	})
}
