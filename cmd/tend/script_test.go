package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets this test binary be tend too, so that the daemon runs under the
// race detector when the tests do. The holder is the small program itself.
func TestMain(m *testing.M) { testscript.Main(withHolder{m}, map[string]func(){"tend": main}) }

// withHolder builds tend-hold beside tend before the tests run.
type withHolder struct{ *testing.M }

func (w withHolder) Run() int {
	tend, err := exec.LookPath("tend")
	if err == nil {
		c := exec.Command("go", "build", "-o", filepath.Dir(tend), "../tend-hold")
		c.Env, c.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
		err = c.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build tend-hold:", err)
		return 1
	}
	return w.M.Run()
}

// TestScripts runs the stories in testdata/script: a real daemon, real holders,
// a real database, each in a home of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		Setup:              func(env *testscript.Env) error { return newHome(env) },
		RequireUniqueNames: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"eventually":   eventually,
			"fails":        fails,
			"json":         jsonLines,
			"killdaemon":   killDaemon,
			"freezedaemon": freezeDaemon,
		},
	})
}

// home is where one person's tend lives.
type home struct {
	dir string
	env []string
}

func (h home) path(elem ...string) string { return filepath.Join(append([]string{h.dir}, elem...)...) }

// makeHome prepares the folders below dir.
func makeHome(dir string) (home, error) {
	h := home{dir: dir}
	for _, d := range []string{"home", "run", "state", "config"} {
		if err := os.Mkdir(h.path(d), 0o700); err != nil {
			return h, err
		}
	}
	h.env = []string{
		"HOME=" + h.path("home"), "XDG_RUNTIME_DIR=" + h.path("run"), "XDG_STATE_HOME=" + h.path("state"),
		"XDG_CONFIG_HOME=" + h.path("config"), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color", "NO_COLOR=1",
		"GORACE=atexit_sleep_ms=0",
	}
	return h, nil
}

func newHome(env *testscript.Env) error {
	h, err := makeHome(env.WorkDir)
	if err != nil {
		return err
	}
	env.Vars = append(env.Vars, h.env...)
	errorf := env.T().(interface{ Errorf(string, ...any) }).Errorf
	env.Defer(func() { h.leave(errorf) })
	return nil
}

// leave ends what was started and complains about what stays, and about races.
func (h home) leave(errorf func(string, ...any)) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "tend", "shutdown", "--stop-agents")
	c.Env = h.env
	if out, err := c.CombinedOutput(); err != nil && !bytes.HasPrefix(out, []byte("tend: ")) {
		errorf("shutdown: %v %s", err, out)
	}
	for end := time.Now().Add(5 * time.Second); len(h.processes()) > 0 && time.Now().Before(end); {
		<-time.After(20 * time.Millisecond) // the last steps of holders
	}
	for _, pid := range h.processes() {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		errorf("left running: %d %q", pid, b)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if b, err := os.ReadFile(h.path("state", "tend", "daemon.log")); err == nil && bytes.Contains(b, []byte("DATA RACE")) {
		errorf("%s", b)
	}
}

// processes lists what runs with this home in its environment.
func (h home) processes() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, e := range all {
		b, err := os.ReadFile(e)
		if err != nil || !bytes.Contains(b, []byte("XDG_STATE_HOME="+h.path("state"))) {
			continue
		}
		if pid, err := strconv.Atoi(strings.Split(e, "/")[2]); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// fails CODE COMMAND…: the command ends with CODE and says why in one line.
func fails(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != want {
		ts.Fatalf("%q: %v, want exit status %d", args[1:], err, want)
	}
	said := slices.DeleteFunc(strings.Split(strings.TrimSpace(ts.ReadFile("stderr")), "\n"), func(l string) bool {
		return strings.Contains(l, "started the daemon")
	})
	if len(said) != 1 || !strings.HasPrefix(said[0], "tend: ") {
		ts.Fatalf("it says %q, want one line", said)
	}
}

// json COMMAND…: every line on standard output is JSON.
func jsonLines(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec(args[0], args[1:]...))
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if !json.Valid([]byte(line)) {
			ts.Fatalf("%q is not JSON", line)
		}
	}
}

// eventually PATTERN COMMAND…: the command prints it sooner or later. For what
// tend wait cannot wait for.
func eventually(ts *testscript.TestScript, _ bool, args []string) {
	want := regexp.MustCompile("(?m)" + args[0])
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); ; <-tick.C {
		err := ts.Exec(args[1], args[2:]...)
		if err == nil && want.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("not within 20s: %s (%v)", args[0], err)
		}
	}
}

func daemonOf(ts *testscript.TestScript) int {
	text, _, _ := strings.Cut(ts.ReadFile(ts.Getenv("XDG_STATE_HOME")+"/tend/tend.lock"), " ")
	pid, err := strconv.Atoi(strings.TrimSpace(text))
	ts.Check(err)
	return pid
}

// freezeDaemon makes the daemon hang until it is killed.
func freezeDaemon(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(syscall.Kill(daemonOf(ts), syscall.SIGSTOP))
}

// killDaemon ends the daemon as a power cut would, and waits until it is gone.
func killDaemon(ts *testscript.TestScript, _ bool, _ []string) {
	pid := daemonOf(ts)
	ts.Check(syscall.Kill(pid, syscall.SIGKILL))
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil; <-tick.C {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && len(b) == 0 {
			return // a zombie, where nobody reaps
		}
		if time.Now().After(end) {
			ts.Fatalf("process %d does not end", pid)
		}
	}
}
