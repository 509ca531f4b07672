package e2e

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tendhq/tend/api"
)

// old makes an exit soon after the launch count like a late one.
const old = "TEND_MIN_LIFETIME=0s"

func (w *world) cause(s api.Session) string {
	if s.Attention == nil {
		return ""
	}
	return s.Attention.Cause
}

func TestB03AbsentIsNotZero(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, fake("print working", "sleep 1s", "signal 9"))
	got := w.until(s.ID, "attention")
	x := got.Process.Exit
	if x == nil || x.Code != nil || x.Signal == nil || *x.Signal != 9 || x.SignalName != "SIGKILL" {
		t.Fatalf("exit %+v", x)
	}
	if out := w.tend("logs", s.ID, "--plain"); !strings.Contains(out, "working") {
		t.Fatalf("the output is gone: %q", out)
	}
	w.eventually("never swept", 20*time.Second, func() bool { // two sweep windows
		return time.Since(got.UpdatedAt.Time) > 5*time.Second || w.show(s.ID).Closed != nil
	})
	if c := w.show(s.ID).Closed; c != nil {
		t.Fatalf("closed: %+v", c)
	}
}

func TestB04AnEarlyExitKeepsItsMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(nil, fake(`print not logged in: run login\r\n`, "sleep 500ms", "exit 0"))
	got := w.until(s.ID, "attention")
	if w.cause(got) != "startupFailed" || got.Closed != nil {
		t.Fatalf("%s, closed %+v", w.cause(got), got.Closed)
	}
	if out := w.tend("logs", s.ID, "--plain"); !strings.Contains(out, "not logged in: run login") {
		t.Fatalf("the message is gone: %q", out)
	}
}

func TestB06SignalsAreSignals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	for _, sig := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGPIPE} {
		s := w.start([]string{"--kind", "job"}, []string{"sh", "-c", fmt.Sprintf("kill -%d $$", sig)})
		x := w.until(s.ID, "attention").Process.Exit
		if x == nil || x.Code != nil || x.Signal == nil || *x.Signal != int(sig) {
			t.Errorf("%v: exit %+v", sig, x)
		}
	}
}

func TestAStatusOver128StaysAStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start([]string{"--kind", "job"}, []string{"sh", "-c", "exit 143"})
	x := w.until(s.ID, "attention").Process.Exit
	if x.Code == nil || *x.Code != 143 || x.Signal != nil || x.ProbableSignal != 15 {
		t.Fatalf("exit %+v", x)
	}
}

func TestB08TheSlaveIsNotHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start([]string{"--kind", "job"}, []string{"true"})
	w.until(s.ID, "ended")
	for _, pid := range w.processes() {
		fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		for _, fd := range fds {
			if to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name())); strings.HasPrefix(to, "/dev/pts/") {
				t.Errorf("%s holds %s", cmdline(pid), to)
			}
		}
	}
}

func TestB09ACleanExitIsSweptWhateverTheScreenSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old, "TEND_SWEEP_AGE=0s")
	s := w.start(nil, fake(`print \x1b[?1049hError: last words\x1b[?1049l`, "state idle", "sleep 1s", "exit 0"))
	w.until(s.ID, "dead")
	w.eventually("swept", 15*time.Second, func() bool { return w.show(s.ID).Closed != nil })
	got := w.show(s.ID)
	if got.Closed.Reason != "agent exited cleanly (status 0)" || got.Reason != "userExited" {
		t.Fatalf("%+v %s", got.Closed, got.Reason)
	}
	if out := w.tend("ls"); strings.Contains(out, s.ID) {
		t.Fatalf("still listed:\n%s", out)
	}
	w.tend("reopen", s.ID)
	if w.show(s.ID).Closed != nil {
		t.Fatal("not reopened")
	}
}

func TestB16AnAgentThatClosesItsTerminalLives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, fake("state idle", "sleep 300ms", "closetty", "sleep 3s", "exit 0"))
	w.until(s.ID, "ready")
	w.eventually("alive for two seconds without a terminal", 10*time.Second, func() bool {
		got := w.show(s.ID)
		if got.Process.Phase != "running" {
			t.Fatalf("taken for ended: %+v", got.Process)
		}
		return time.Since(got.CreatedAt.Time) > 2500*time.Millisecond
	})
	if got := w.until(s.ID, "ended"); got.Process.Exit == nil || got.Process.Exit.Code == nil || *got.Process.Exit.Code != 0 {
		t.Fatalf("exit %+v", got.Process.Exit)
	}
}

func TestB53AnAgentThatNeverStarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "TEND_STARTUP_TIMEOUT=1s")
	s := w.start(nil, fake("hang"))
	if got := w.until(s.ID, "attention"); w.cause(got) != "startupTimeout" {
		t.Fatalf("%s", w.cause(got))
	}
	if line := w.fails(4, "send", s.ID, "hello"); !strings.Contains(line, "startupTimeout") {
		t.Fatalf("send says %q", line)
	}
	w.tend("stop", s.ID)
	if got := w.until(s.ID, "dead"); got.Reason != "killed" {
		t.Fatalf("%s", got.Reason)
	}
}

func TestB53AnAgentThatSaysGoodbyeAndStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old, "TEND_STALL=2s")
	s := w.start(nil, fake(`print \x1b[?1049h\x1b[?2004hat work`, "sleep 1500ms", `print \x1b[?2004l\x1b[?1049lTo go on: resume abc\r\n`, "hang"))
	got := w.until(s.ID, "attention")
	if w.cause(got) != "stalled" || got.Process.Phase != "running" || got.Closed != nil {
		t.Fatalf("%s, %+v", w.cause(got), got.Process)
	}
	w.tend("stop", s.ID)
	w.until(s.ID, "dead")
}

func TestB59StopEndsTheWholeTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(nil, fake("child plain", "child setsid", "child trap", "exec (setsid sleep 600 &) ; (sleep 600 &)", "state idle", "hang"))
	w.until(s.ID, "ready")
	sleeps := func() (n int) {
		for _, pid := range w.processes() {
			if strings.Contains(cmdline(pid), "sleep 600") {
				n++
			}
		}
		return n
	}
	if n := sleeps(); n < 5 {
		t.Fatalf("only %d descendants to begin with", n)
	}
	w.tend("stop", s.ID)
	w.until(s.ID, "dead")
	w.eventually("all descendants gone", 15*time.Second, func() bool { return sleeps() == 0 })
}

func TestAJobIsDoneByItsStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start([]string{"--kind", "job"}, []string{"sh", "-c", "echo result"})
	if got := w.until(s.ID, "done"); got.Reason != "completed" {
		t.Fatalf("%s", got.Reason)
	}
	w.fails(4, "send", s.ID, "more")
}

func TestWhatAnAgentLeavesBehindIsListedAndCanBeStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, fake("child setsid", "child trap", "state idle", "sleep 300ms", "exit 0"))
	got := w.until(s.ID, "dead")
	if n := len(got.Process.Exit.LeftBehind); n < 2 {
		t.Fatalf("%d listed", n)
	}
	w.eventually("the holder has gone", 5*time.Second, func() bool { return len(w.processes()) <= 1+len(got.Process.Exit.LeftBehind) })
	w.tend("stop", s.ID)
	w.eventually("they are gone", 15*time.Second, func() bool { return len(w.processes()) == 1 })
}
