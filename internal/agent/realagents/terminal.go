package realagents

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/tendhq/tend/internal/screen"
)

// Terminal is a terminal of 100 columns and 30 rows with an agent in it and
// nothing else: no tend, no tmux. It answers the questions that a terminal
// answers.
type Terminal struct {
	s    *Sandbox
	tty  *os.File
	cmd  *exec.Cmd
	more chan struct{}
	over chan struct{} // everything was read

	mu     sync.Mutex
	screen *screen.Terminal
	events []screen.Event
	next   int // the first event that Event has not passed
}

// Start runs a program in a new terminal, in Work, with Env and more. The
// program and all of its session are killed when the test ends.
func (s *Sandbox) Start(argv []string, more ...string) *Terminal {
	s.t.Helper()
	if len(argv) == 0 {
		s.t.Fatal("nothing to start")
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Env = s.Work, s.Env(more...)
	tty, err := pty.StartWithSize(c, &pty.Winsize{Cols: 100, Rows: 30})
	s.ok(err)
	n := &Terminal{s: s, tty: tty, cmd: c, more: make(chan struct{}, 1), over: make(chan struct{})}
	n.screen = screen.New(100, 30, screen.Options{OnEvent: n.take})
	go n.read()
	s.t.Cleanup(func() {
		if c.ProcessState == nil {
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
			_ = c.Wait() // killed
		}
		kill(s.Dir) // whoever holds the terminal open
		<-n.over
		tty.Close()
		if s.t.Failed() {
			s.t.Logf("the screen at the end:\n%s", n.Text())
			for _, e := range n.Events() {
				switch e := e.(type) {
				case screen.AgentState, screen.TitleChanged, screen.AltScreen, screen.Bell:
					s.t.Logf("terminal: %T %+v", e, e)
				}
			}
		}
	})
	return n
}

// read feeds the emulator until nobody has the terminal open any more.
func (n *Terminal) read() {
	defer close(n.over)
	buf := make([]byte, 32<<10)
	for {
		k, err := n.tty.Read(buf)
		n.mu.Lock()
		_, _ = n.screen.Write(buf[:k])
		n.mu.Unlock()
		select {
		case n.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// take is called by the emulator, under the lock.
func (n *Terminal) take(e screen.Event) {
	if q, ok := e.(screen.Query); ok && len(q.Reply) > 0 {
		_, _ = n.tty.Write(q.Reply) // an agent that has gone needs no answer
	}
	n.events = append(n.events, e)
}

// Type sends keys. Return is \r.
func (n *Terminal) Type(keys string) {
	n.s.t.Helper()
	_, err := io.WriteString(n.tty, keys)
	n.s.ok(err)
}

// Text is what the screen shows.
func (n *Terminal) Text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.screen.Text(), "\n")
}

// Events are what the terminal said besides text until now.
func (n *Terminal) Events() []screen.Event {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.events)
}

// Pid is the process that was started.
func (n *Terminal) Pid() int { return n.cmd.Process.Pid }

// Sees waits until the screen shows a text.
func (n *Terminal) Sees(text string) {
	n.s.t.Helper()
	n.until("sight of "+text, func() bool { return strings.Contains(n.Text(), text) })
}

// Event waits for the next event that fits, and passes over those before it.
// Agents tell in titles and OSC 7501 what they do.
func (n *Terminal) Event(what string, fits func(screen.Event) bool) screen.Event {
	n.s.t.Helper()
	var found screen.Event
	n.until(what, func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		i := slices.IndexFunc(n.events[n.next:], fits)
		if i >= 0 {
			n.next += i + 1
			found = n.events[n.next-1]
		}
		return i >= 0
	})
	return found
}

// State waits for the next OSC 7501 with this state.
func (n *Terminal) State(state string) screen.AgentState {
	n.s.t.Helper()
	e := n.Event("state "+state, func(e screen.Event) bool {
		a, ok := e.(screen.AgentState)
		return ok && a.State == state
	})
	a, _ := e.(screen.AgentState)
	return a
}

// until waits for something that what is read can bring about.
func (n *Terminal) until(what string, done func() bool) {
	n.s.t.Helper()
	limit := time.After(patience)
	for !done() {
		select {
		case <-n.more:
		case <-n.over:
			if !done() {
				n.s.t.Fatalf("no %s before the end", what)
			}
			return
		case <-limit:
			n.s.t.Fatalf("no %s within %s", what, patience)
		}
	}
}

// Exit waits until the program has ended and says how: its status, or minus
// the number of the signal that killed it.
func (n *Terminal) Exit() int {
	n.s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- n.cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			n.s.t.Fatal(err)
		}
	case <-time.After(patience):
		n.s.t.Fatalf("it does not end within %s:\n%s", patience, n.Text())
	}
	if w, ok := n.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return -int(w.Signal())
	}
	return n.cmd.ProcessState.ExitCode()
}
