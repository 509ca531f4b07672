package e2e

import (
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

// window is a person's terminal on which `tend attach` runs.
type window struct {
	*world
	tty *os.File
	cmd *exec.Cmd

	mu   sync.Mutex
	term *screen.Terminal
	raw  strings.Builder
	more chan struct{}
	over chan struct{} // everything was read
}

func (w *world) open(args ...string) *window {
	w.Helper()
	c := exec.Command(filepath.Join(bin, "tend"), args...)
	c.Env = w.env
	tty, err := pty.StartWithSize(c, &pty.Winsize{Cols: 90, Rows: 25})
	w.ok(err)
	n := &window{world: w, tty: tty, cmd: c, term: screen.New(90, 25, screen.Options{}), more: make(chan struct{}, 1), over: make(chan struct{})}
	go func() {
		defer close(n.over)
		buf := make([]byte, 4096)
		for {
			k, err := tty.Read(buf)
			n.mu.Lock()
			_, _ = n.term.Write(buf[:k])
			n.raw.Write(buf[:k])
			n.mu.Unlock()
			select {
			case n.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	w.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait(); _ = tty.Close() })
	return n
}

func (n *window) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.term.Text(), "\n")
}

// bytes is everything that was written to the terminal.
func (n *window) bytes() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.raw.String()
}

func (n *window) sees(text string) {
	n.Helper()
	limit := time.After(20 * time.Second)
	for !strings.Contains(n.text(), text) {
		select {
		case <-n.more:
		case <-limit:
			n.Fatalf("no %q on the screen:\n%s", text, n.text())
		}
	}
}

func (n *window) keys(s string) {
	n.Helper()
	_, err := io.WriteString(n.tty, s)
	n.ok(err)
}

// left waits until attach has ended, and checks what it leaves behind.
func (n *window) left() {
	n.Helper()
	done := make(chan error, 1)
	go func() { done <- n.cmd.Wait() }()
	select {
	case err := <-done:
		_ = err // its code is not what this is about
	case <-time.After(20 * time.Second):
		n.Fatalf("attach does not end:\n%s", n.text())
	}
	<-n.over
	n.mu.Lock()
	defer n.mu.Unlock()
	m := n.term.Modes()
	if m.BracketedPaste || m.AltScreen || m.MouseSGR || m.FocusEvents || !n.term.Cursor().Visible {
		n.Errorf("modes left behind: %+v, cursor %+v", m, n.term.Cursor())
	}
}

// fancy is an agent that sets every mode a terminal has.
var fancy = `print \x1b[?1049h\x1b[?2004h\x1b[?1006h\x1b[?1000h\x1b[?1004h\x1b[?25l\x1b[2J\x1b[5;10HHELLO THERE`

func TestAttachShowsTheScreenAndLeavesItRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, fake("state idle", fancy, "log "+w.path("typed"), "raw", "composer silent"))
	w.until(s.ID, "ready")
	n := w.open("attach", s.ID)
	n.sees("HELLO THERE")
	if !strings.Contains(n.bytes(), "leaves it running") {
		t.Error("it does not say how to leave")
	}
	n.keys("abc\r")
	n.sees("turn: abc")
	n.keys("\x11\x11") // twice goes to the agent
	w.eventually("the key reached the agent", 5*time.Second, func() bool { return strings.Contains(w.typed(), "\x11") })
	n.keys("\x11")
	n.left()
	if got := w.show(s.ID); got.Process.Phase != "running" {
		t.Fatalf("%+v", got.Process)
	}
}

func TestAttachOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, w.composer("silent", "state idle"))
	w.until(s.ID, "ready")
	n, m := w.open("attach", s.ID), w.open("attach", s.ID)
	n.sees(">")
	m.sees(">")
	w.kill9()
	n.keys("without a daemon\r")
	n.sees("turn: without a daemon")
	m.sees("turn: without a daemon") // both terminals show it
	n.keys("\x11")
	n.left()
	m.keys("\x11")
	m.left()
}

func TestAttachSaysHowTheAgentEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, fake("state idle", fancy, "hang"))
	w.until(s.ID, "ready")
	n := w.open("attach", s.ID)
	n.sees("HELLO THERE")
	w.ok(syscall.Kill(w.show(s.ID).Process.PID, syscall.SIGKILL))
	n.left()
	if !strings.Contains(n.bytes(), "killed by SIGKILL") {
		t.Errorf("it does not say how it ended: %.300q", n.bytes())
	}
	killed := w.start(nil, fake("state idle", fancy, "hang"))
	w.until(killed.ID, "ready")
	n = w.open("attach", killed.ID)
	n.sees("HELLO THERE")
	w.ok(n.cmd.Process.Signal(syscall.SIGTERM))
	n.left()
}

func TestB38AHalfTypedLineIsNotMergedWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, w.composer(""))
	w.until(s.ID, "ready")
	n := w.open("attach", s.ID)
	n.sees(">")
	n.keys("half a line")
	n.sees("half a line")
	w.tend("send", s.ID, "a prompt")
	w.eventually("typing is nobody's turn", 10*time.Second, func() bool {
		got := w.show(s.ID)
		if got.State != "ready" || got.Turn.N != 0 {
			t.Fatalf("%s, turn %d", got.State, got.Turn.N)
		}
		return time.Since(got.CreatedAt.Time) > 5*time.Second
	})
	if typed := w.typed(); typed != "half a line" {
		t.Fatalf("typed %q", typed)
	}
	n.keys("\r")
	w.eventually("both turns", 20*time.Second, func() bool { return w.show(s.ID).Turn.N == 2 })
	if out := w.tend("logs", s.ID); !strings.Contains(out, "turn: half a line") || !strings.Contains(out, "turn: a prompt") {
		t.Fatalf("%s", out)
	}
}

func TestB43ASuspendedAgentIsShownAsSuch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, fake("state idle", "sleep 300ms", "suspend", "state working", "hang"))
	w.eventually("suspended", 10*time.Second, func() bool { return w.show(s.ID).Process.Suspended })
	if got := w.show(s.ID); got.View.Group != "needsYou" || got.View.Label != "suspended" {
		t.Fatalf("%+v", got.View)
	}
	w.ok(syscall.Kill(w.show(s.ID).Process.PID, syscall.SIGCONT))
	if got := w.until(s.ID, "busy"); got.Process.Run != 1 || got.Process.Suspended {
		t.Fatalf("%+v", got.Process)
	}
}

func TestB67QueriesAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, fake("log "+w.path("typed"), "raw", "state idle", "sleep 1s", `print \x1b[6n\x1b[c\x1b[?2026$p\x1b]11;?\x07`, "composer silent"))
	w.until(s.ID, "ready")
	for range 3 { // viewers that come before, at and after it, each twice
		for range 2 {
			n := w.open("attach", s.ID)
			n.sees(">")
			n.keys("\x11")
			n.left()
		}
	}
	w.kill9()
	w.tend("ls") // a new daemon replays the output
	w.tend("send", s.ID, "over", "--wait")
	typed := w.typed()
	for _, q := range []string{"R", "c", "$y"} {
		if n := strings.Count(typed, q); n > 1 {
			t.Errorf("%q was answered %d times: %q", q, n, typed)
		}
	}
	if !strings.Contains(typed, "\x1b[?") {
		t.Errorf("nothing was answered: %q", typed)
	}
}
