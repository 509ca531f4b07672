package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/tendhq/tend/internal/screen"
)

// person sits at a terminal of their own.
type person struct {
	*testing.T
	home home
}

func newPerson(t *testing.T) person {
	t.Helper()
	dir, err := os.MkdirTemp("", "tend") // short: a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	h, err := makeHome(dir)
	if err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "TEND_MIN_LIFETIME=0s")
	t.Cleanup(func() { h.leave(t.Errorf); _ = os.RemoveAll(dir) })
	return person{t, h}
}

// tend runs a verb that must succeed.
func (p person) tend(args ...string) string {
	p.Helper()
	c := exec.Command("tend", args...)
	c.Env = p.home.env
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		p.Fatalf("tend %q: %v\n%s%s", args, err, out, exit.Stderr)
	}
	return string(out)
}

// window is a terminal in which tend attach runs.
type window struct {
	person
	tty  *os.File
	cmd  *exec.Cmd
	over chan struct{} // everything was read

	mu   sync.Mutex
	term *screen.Terminal
	raw  strings.Builder
	more chan struct{}
}

func (p person) open(args ...string) *window {
	p.Helper()
	return p.openSized(90, 25, args...)
}

func (p person) openSized(cols, rows uint16, args ...string) *window {
	p.Helper()
	c := exec.Command("tend", args...)
	c.Env = p.home.env
	tty, err := pty.StartWithSize(c, &pty.Winsize{Cols: cols, Rows: rows})
	if err != nil {
		p.Fatal(err)
	}
	w := &window{person: p, tty: tty, cmd: c, over: make(chan struct{}), term: screen.New(int(cols), int(rows), screen.Options{}), more: make(chan struct{}, 1)}
	go w.read()
	p.Cleanup(func() { _ = c.Process.Kill(); <-w.over; _ = c.Wait(); _ = tty.Close() })
	return w
}

func (w *window) read() {
	defer close(w.over)
	buf := make([]byte, 4096)
	for {
		n, err := w.tty.Read(buf)
		w.mu.Lock()
		_, _ = w.term.Write(buf[:n])
		w.raw.Write(buf[:n])
		w.mu.Unlock()
		select {
		case w.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// look is the screen, and everything that ever came.
func (w *window) look() (lines []string, all string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.term.Text(), w.raw.String()
}

func (w *window) sees(text string) {
	w.Helper()
	limit := time.After(30 * time.Second)
	for {
		lines, all := w.look()
		if strings.Contains(strings.Join(lines, "\n"), text) {
			return
		}
		select {
		case <-w.more:
		case <-limit:
			w.Fatalf("no %q on the screen:\n%s\n%q", text, strings.Join(lines, "\n"), all)
		}
	}
}

func (w *window) keys(s string) {
	w.Helper()
	if _, err := io.WriteString(w.tty, s); err != nil {
		w.Fatal(err)
	}
}

// left waits for the end and checks what remains of the modes.
func (w *window) left(says string) {
	w.Helper()
	select {
	case <-w.over:
	case <-time.After(30 * time.Second):
		w.Fatal("attach does not end")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.term.Modes()
	if m.BracketedPaste || m.AltScreen || m.MouseClick || m.MouseSGR || m.FocusEvents || m.KittyFlags != 0 || !w.term.Cursor().Visible {
		w.Errorf("modes left behind: %+v, cursor %+v", m, w.term.Cursor())
	}
	if !strings.Contains(w.raw.String(), says) {
		w.Errorf("it does not say %q: %q", says, w.raw.String())
	}
}

// painter is an agent that uses everything a terminal has.
const painter = `print before\r\n\x1b[?1049h\x1b[?2004h\x1b[?1006h\x1b[?1000h\x1b[?1004h\x1b[>1u\x1b[?25l\x1b[2J\x1b[5;10HHELLO THERE`

func TestAttachShowsLeavesAndRestores(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	typed := filepath.Join(p.home.dir, "typed")
	p.tend("run", "--name", "a", "--", "tend", "scripted-agent", "state idle", painter, "log "+typed, "raw", "composer silent")
	p.tend("wait", "a", "--until", "ready", "--timeout", "30s")
	w := p.open("attach", "a")
	w.sees("HELLO THERE")
	w.sees("Ctrl-Q leaves it running")
	w.keys("abc\r")
	w.sees("turn: abc")
	w.keys("\x11\x11")
	w.keys("\x1b[113;5u\x1b[113;5:3u")
	w.left("a goes on")
	if b, err := os.ReadFile(typed); err != nil || !strings.Contains(string(b), "abc\r") || !strings.Contains(string(b), "\x11") {
		t.Errorf("typed %q, %v", b, err)
	}
	w = p.open("attach", "--detach-keys", "ctrl-a,ctrl-d", "a")
	w.sees("turn: abc")
	w.sees("Ctrl-A Ctrl-D leaves it running")
	w.keys("\x01\x04")
	w.left("a goes on")
	w = p.open("attach", "--read-only", "a")
	w.sees("turn: abc")
	w.keys("zzz\r\x11")
	w.left("a goes on")
	if b, _ := os.ReadFile(typed); strings.Contains(string(b), "z") {
		t.Errorf("a looker-on typed: %q", b)
	}
}

func TestWhatComesWhileTheHintIsThereIsShownOnce(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.tend("run", "--name", "a", "--", "tend", "scripted-agent", "state idle", "raw", "composer silent")
	p.tend("wait", "a", "--until", "ready", "--timeout", "30s")
	w := p.open("attach", "a")
	w.sees("leaves it running")
	w.keys("once\r")
	w.sees("turn: once")
	lines, _ := w.look()
	if n := strings.Count(strings.Join(lines, "\n"), "turn: once"); n != 1 {
		t.Errorf("shown %d times:\n%s", n, strings.Join(lines, "\n"))
	}
	w.keys("\x11")
	w.left("a goes on")
}

func TestAttachEndsWithTheAgentAndWithItself(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.tend("run", "--name", "a", "--", "tend", "scripted-agent", "state idle", painter, "hang")
	p.tend("wait", "a", "--until", "ready", "--timeout", "30s")
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		w := p.open("attach", "a")
		w.sees("HELLO THERE")
		if err := w.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		w.left("a goes on")
	}
	w := p.open("attach", "a")
	w.sees("HELLO THERE")
	p.tend("stop", "a")
	w.left("a has ended: ")
	p.tend("wait", "a", "--until", "ended", "--timeout", "30s")
	w = p.open("attach", "a")
	w.left("this was its last screen")
	w.sees("HELLO THERE")
}

// TestAttachFitsTheSmallest: of several terminals every one sees the whole screen,
// and when the smallest leaves, by itself or killed, the others get their room back.
func TestAttachFitsTheSmallest(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.tend("run", "--name", "a", "--", "sh", "-c", "echo ready; while read l; do echo $l: $(stty size); done")
	p.tend("wait", "a", "--until", "ready,idle", "--timeout", "30s")
	large := p.open("attach", "a")
	large.sees("ready")
	for i, leave := range []func(*window){
		func(w *window) { w.keys("\x11"); w.left("a goes on") },
		func(w *window) { _ = w.cmd.Process.Kill(); <-w.over },
	} {
		small := p.openSized(60, 30, "attach", "a")
		small.sees("ready")
		ask(t, large, fmt.Sprint("small", i), "25 60")
		if err := pty.Setsize(small.tty, &pty.Winsize{Cols: 100, Rows: 12}); err != nil {
			t.Fatal(err)
		}
		ask(t, large, fmt.Sprint("turned", i), "12 90")
		leave(small)
		ask(t, large, fmt.Sprint("alone", i), "25 90")
	}
	large.keys("\x11")
	large.left("a goes on")
}

// ask has the agent tell its terminal's size until it is the one wanted: it comes
// about beside what is typed.
func ask(t *testing.T, w *window, word, size string) {
	t.Helper()
	for n := range 100 {
		w.keys(fmt.Sprintf("%s.%d\r", word, n))
		answer := fmt.Sprintf("%s.%d: ", word, n)
		w.sees(answer)
		if lines, _ := w.look(); strings.Contains(strings.Join(lines, "\n"), answer+size) {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	_, all := w.look()
	t.Fatalf("%s: the size is not %s: %q", word, size, all)
}

func TestAttachIsAsLargeAsTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.tend("run", "--name", "a", "--", "sh", "-c", "echo ready; while read l; do stty size; done")
	p.tend("wait", "a", "--until", "ready,idle", "--timeout", "30s")
	w := p.open("attach", "a")
	w.sees("ready")
	w.keys("\r")
	w.sees("25 90")
	if err := pty.Setsize(w.tty, &pty.Winsize{Cols: 70, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	w.keys("\r")
	w.sees("20 70")
	w.keys("\x11")
	w.left("a goes on")
}
