package hosttest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tendhq/tend/internal/session"
)

func prepareStartsNothing(k *kit) {
	ref := k.prepare(k.script("touch started"))
	s, err := k.Inspect(k.ctx, ref)
	k.ok(err)
	if s.Started || s.Alive || !s.Gone {
		k.Fatalf("%+v", s)
	}
	if _, err := os.Stat(filepath.Join(k.dir, "started")); err == nil {
		k.Fatal("it was started")
	}
	known, err := k.Known(k.ctx)
	k.ok(err)
	if !slices.Contains(known, ref) {
		k.Fatalf("%v does not list %v", known, ref)
	}
}

// recorded: what a run was prepared from can be read again, for its session's
// sake.
func recorded(k *kit) {
	l := k.script("read x")
	l.Name, l.Spec = "its name", session.Spec{Agent: "some", Argv: []string{"some", "words"}, Kind: session.Task}
	got, err := k.Recorded(k.ctx, k.startLaunch(l))
	k.ok(err)
	if got.Name != l.Name || got.Spec.Agent != "some" || !slices.Equal(got.Spec.Argv, l.Spec.Argv) || !slices.Equal(got.Argv, l.Argv) || got.Cwd != l.Cwd || got.Size != l.Size {
		k.Fatalf("%+v", got)
	}
	if _, err := k.Recorded(k.ctx, session.RunRef{ID: "NOSUCH", Run: 1}); !errors.Is(err, session.ErrNoRun) {
		k.Fatalf("%v", err)
	}
}

func startedOnce(k *kit) {
	ref := k.start("echo $$ >> pids; read x")
	k.sees(k.follow(ref, 0), "")
	first, err := k.Launch(k.ctx, ref)
	k.ok(err)
	again, err := k.Launch(k.ctx, ref)
	k.ok(err)
	s, err := k.Inspect(k.ctx, ref)
	k.ok(err)
	if first.Process != again.Process || s.Process != first.Process || !s.Alive || s.Gone || s.Process.PID == 0 || s.Process.Start == 0 || s.Process.Boot == "" {
		k.Fatalf("%+v, %+v, %+v", first, again, s)
	}
	k.ok(k.Write(k.ctx, ref, session.Input{By: session.FromPerson, Data: []byte("\n")}))
	k.exit(k.follow(ref, 0))
	b, err := os.ReadFile(filepath.Join(k.dir, "pids"))
	k.ok(err)
	if n := bytes.Count(b, []byte("\n")); n != 1 {
		k.Fatalf("started %d times", n)
	}
	if at := s.StartedAt; at.IsZero() || !at.Equal(at.Truncate(time.Millisecond)) {
		k.Fatalf("started at %v: what is recorded has milliseconds", at)
	}
}

func notOnRecord(k *kit) {
	ref := session.RunRef{ID: "NOSUCH", Run: 1}
	if _, err := k.Inspect(k.ctx, ref); !errors.Is(err, session.ErrNoRun) {
		k.Errorf("inspect: %v", err)
	}
	if _, _, _, err := k.ReadOutput(k.ctx, ref, 0, make([]byte, 1)); !errors.Is(err, session.ErrNoRun) {
		k.Errorf("read: %v", err)
	}
	if err := k.Follow(k.ctx, ref, 0, nil); !errors.Is(err, session.ErrNoRun) {
		k.Errorf("follow: %v", err)
	}
	if err := k.Write(k.ctx, ref, session.Input{Data: []byte("x")}); !errors.Is(err, session.ErrNoRun) {
		k.Errorf("write: %v", err)
	}
}

func launchesThatFail(k *kit) {
	plain := filepath.Join(k.dir, "plain")
	k.ok(os.WriteFile(plain, []byte("no program"), 0o600))
	l := k.script("true")
	for kind, change := range map[string]func(*session.Launch){
		"notFound":      func(l *session.Launch) { l.Argv = []string{"no-such-command-anywhere"} },
		"notExecutable": func(l *session.Launch) { l.Argv = []string{plain} },
		"badDirectory":  func(l *session.Launch) { l.Cwd = filepath.Join(k.dir, "gone") },
		"argvTooLong":   func(l *session.Launch) { l.Argv = append(l.Argv, strings.Repeat("x", 200<<10)) },
	} {
		bad := l
		change(&bad)
		ref := k.prepare(bad)
		_, err := k.Launch(k.ctx, ref)
		var le *session.LaunchError
		if !errors.As(err, &le) || le.Kind != kind || le.Detail == "" || strings.Contains(le.Detail, "\n") {
			k.Errorf("%s: %#v", kind, err)
		}
		if s, err := k.Inspect(k.ctx, ref); err != nil || s.Alive {
			k.Errorf("%s left %+v, %v", kind, s, err)
		}
	}
}

func exits(k *kit) {
	for _, c := range []struct {
		script string
		code   int
		signal syscall.Signal
	}{
		{"exit 0", 0, 0},
		{"exit 3", 3, 0},
		{"exit 143", 143, 0},
		{"kill -SEGV $$", 0, syscall.SIGSEGV},
		{"kill -KILL $$", 0, syscall.SIGKILL},
		{"kill -PIPE $$", 0, syscall.SIGPIPE},
		{"kill -HUP $$", 0, syscall.SIGHUP},
	} {
		x := k.exit(k.follow(k.start(c.script), 0))
		signalled := x.Signal != nil && syscall.Signal(*x.Signal) == c.signal && x.Code == nil
		exited := x.Code != nil && *x.Code == c.code && x.Signal == nil
		if (c.signal != 0 && !signalled) || (c.signal == 0 && !exited) || x.At.IsZero() || x.Source == "" {
			k.Errorf("%s: %s at %v from %q", c.script, session.DescribeExit(&x), x.At, x.Source)
		}
	}
}

func stopTree(k *kit) {
	ref := k.start(`echo $$ >> pids
		sleep 300 & echo $! >> pids
		setsid sleep 300 & echo $! >> pids
		(setsid sh -c 'echo $$ >> pids; exec sleep 300' &)
		sh -c 'trap "" TERM HUP INT; echo $$ >> pids; while :; do sleep 1; done' &
		until [ $(wc -l < pids) = 5 ]; do sleep 0.05; done
		echo all up; wait`)
	r := k.follow(ref, 0)
	k.sees(r, "all up")
	left, err := k.Stop(k.ctx, ref, session.StopOrder{Signal: 15, Grace: 500 * time.Millisecond})
	k.ok(err)
	if len(left) > 0 {
		k.Errorf("survivors %v", left)
	}
	b, err := os.ReadFile(filepath.Join(k.dir, "pids"))
	k.ok(err)
	for _, pid := range strings.Fields(string(b)) {
		if state := procState(pid); state != "" && state != "Z" {
			k.Errorf("process %s survived the stop in state %s", pid, state)
		}
	}
	if x := k.exit(r); x.Signal == nil || *x.Signal != 15 {
		k.Errorf("the agent's own end: %s", session.DescribeExit(&x))
	}
}

// procState is the state letter of a process, "" when it is gone.
func procState(pid string) string {
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return rest[:1]
}

func stopTwice(k *kit) {
	ref := k.start("exit 0")
	k.exit(k.follow(ref, 0))
	for range 2 {
		if left, err := k.Stop(k.ctx, ref, session.StopOrder{Signal: 15, Grace: time.Second}); err != nil || len(left) > 0 {
			k.Fatalf("%v, %v", left, err)
		}
	}
	for range 2 {
		k.ok(k.Release(k.ctx, ref))
	}
	if left, err := k.Stop(k.ctx, ref, session.StopOrder{Signal: 15, Grace: time.Second}); err != nil || len(left) > 0 {
		k.Fatalf("after the release: %v, %v", left, err)
	}
}

func environment(k *kit) {
	l := k.script(`env | sort; ls /proc/self/fd | tr '\n' ' '; echo END`)
	l.Env = append(l.Env, "ODD=a'b\"c $HOME `x`", "TMUX=")
	ref := k.startLaunch(l)
	r := k.follow(ref, 0)
	k.sees(r, "END")
	k.exit(r)
	out := strings.ReplaceAll(r.out.String(), "\r\n", "\n")
	for _, want := range []string{"ODD=a'b\"c $HOME `x`\n", "TERM=xterm-256color\n", "COLORTERM=truecolor\n", "LANG=C.UTF-8\n", "\n0 1 2 3 END"} {
		if !strings.Contains(out, want) {
			k.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, never := range []string{"HOME=", "USER=", "GOPATH"} {
		if strings.Contains("\n"+out, "\n"+never) {
			k.Errorf("%s was inherited", never)
		}
	}
	next := session.RunRef{ID: ref.ID, Run: 2}
	again := k.script("echo $ODD; exit 0")
	again.Env, again.EnvFromRun = nil, 1
	k.ok(k.Prepare(k.ctx, next, again))
	_, err := k.Launch(k.ctx, next)
	k.ok(err)
	r = k.follow(next, 0)
	k.sees(r, "a'b\"c")
	k.exit(r)
	k.ok(k.Release(k.ctx, next))
}

func secrets(k *kit) {
	const canary = "canary-5d1f"
	l := k.script("echo up; read x")
	l.Env = append(l.Env, "SECRET="+canary)
	ref := k.startLaunch(l)
	k.sees(k.follow(ref, 0), "up")
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	k.ok(err)
	for _, p := range all {
		if b, err := os.ReadFile(p); err == nil && bytes.Contains(b, []byte(canary)) {
			k.Errorf("%s has it", p)
		}
	}
}

func suspended(k *kit) {
	ref := k.start("echo up; read x; echo on; read x")
	r := k.follow(ref, 0)
	k.sees(r, "up")
	s, err := k.Inspect(k.ctx, ref)
	k.ok(err)
	has := func(stopped bool) func(*reading) bool {
		return func(r *reading) bool {
			return slices.ContainsFunc(r.events, func(e session.TerminalEvent) bool { return e == session.Suspended{Stopped: stopped} })
		}
	}
	k.ok(syscall.Kill(s.Process.PID, syscall.SIGSTOP))
	k.until(r, "the suspension", has(true))
	if s, err := k.Inspect(k.ctx, ref); err != nil || !s.Alive {
		k.Fatalf("a suspended agent: %+v, %v", s, err)
	}
	k.ok(syscall.Kill(s.Process.PID, syscall.SIGCONT))
	k.until(r, "the continuation", has(false))
	k.ok(k.Write(k.ctx, ref, session.Input{By: session.FromPerson, Data: []byte("\r")}))
	k.sees(r, "on")
}

func descendant(k *kit) {
	// The child is in a session of its own before its parent ends, and keeps the
	// terminal open.
	ref := k.start("setsid sh -c 'echo child $$ > up; exec sleep 300' & until [ -s up ]; do sleep 0.02; done; cat up; exit 0")
	start := time.Now()
	r := k.follow(ref, 0)
	x := k.exit(r)
	if took := time.Since(start); took > 5*time.Second {
		k.Errorf("the end took %v: it waited for a descendant", took)
	}
	if len(x.LeftBehind) != 1 || !strings.Contains(r.out.String(), fmt.Sprintf("child %d", x.LeftBehind[0])) {
		k.Errorf("left behind %v of %q", x.LeftBehind, r.out.String())
	}
}
