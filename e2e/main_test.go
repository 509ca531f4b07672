// Package e2e drives the built program as a person does: real processes, a real
// terminal, a real database, in a scratch home. The cases named B.. are failures
// that people met in the field with other tools.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/fakeagent"
)

// fakeWord, as first argument, turns this test binary into the fake agent.
const fakeWord = "act-as-agent"

// bin is the folder of the programs under test.
var bin string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == fakeWord {
		os.Exit(fakeagent.Run(os.Args[2:], os.Stdin, os.Stdout))
	}
	os.Exit(build(m))
}

// builtVariable hands the folder of the programs to a test binary that runs
// inside a sandbox, where nothing can be built.
const builtVariable = "TEND_TEST_BIN"

func build(m *testing.M) int {
	if bin = os.Getenv(builtVariable); bin != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "tend-e2e-bin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	if err := os.Setenv(builtVariable, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "../cmd/tend", "../cmd/tend-hold")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// world is one person's machine: a home, a daemon, agents.
type world struct {
	testing.TB
	dir string
	env []string
}

func newWorld(t testing.TB, env ...string) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "tend-e2e") // short: socket paths are limited
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, dir: dir}
	for _, d := range []string{"home", "run", "state", "config", "work"} {
		w.ok(os.Mkdir(filepath.Join(dir, d), 0o700))
	}
	w.env = append([]string{
		"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + w.path("home"), "LANG=C.UTF-8", "TERM=xterm-256color",
		"XDG_RUNTIME_DIR=" + w.path("run"), "XDG_STATE_HOME=" + w.path("state"), "XDG_CONFIG_HOME=" + w.path("config"),
	}, env...)
	t.Cleanup(w.tearDown)
	return w
}

// tearDown ends what the test started, and says so if something stays.
func (w *world) tearDown() {
	if w.Failed() {
		out, _, _ := w.try(nil, "ls", "--all")
		w.Logf("sessions:\n%s", out)
	}
	if _, _, code := w.try(nil, "shutdown", "--stop-agents"); code != 0 && code != 6 {
		w.Logf("shutdown ended with %d", code)
	}
	for end := time.Now().Add(3 * time.Second); len(w.processes()) > 0 && time.Now().Before(end); {
		<-time.After(20 * time.Millisecond) // the daemon's last steps
	}
	for _, pid := range w.processes() {
		w.Errorf("left running: %d %s", pid, cmdline(pid))
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
	_ = os.RemoveAll(w.dir)
}

func (w *world) path(elem ...string) string {
	return filepath.Join(append([]string{w.dir}, elem...)...)
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// processes lists what still runs with this world's folder in its environment.
func (w *world) processes() (pids []int) {
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, e := range entries {
		b, err := os.ReadFile(e)
		if err != nil || !bytes.Contains(b, []byte("XDG_STATE_HOME="+w.path("state"))) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(e, "/proc/%d/environ", &pid); err == nil && cmdline(pid) != "" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// cmdline is a process's command line, "" for one that is gone or a zombie.
func cmdline(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.ReplaceAll(strings.TrimRight(string(b), "\x00"), "\x00", " ")
}

// try runs tend and returns what it printed and its exit code.
func (w *world) try(stdin []byte, args ...string) (stdout, stderr string, code int) {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(bin, "tend"), args...)
	var out, errs bytes.Buffer
	c.Dir, c.Env, c.Stdout, c.Stderr, c.Stdin = w.path("work"), w.env, &out, &errs, bytes.NewReader(stdin)
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		code = -1
		errs.WriteString(err.Error())
	}
	return out.String(), errs.String(), code
}

// tend runs a verb that must succeed.
func (w *world) tend(args ...string) string {
	w.Helper()
	out, errs, code := w.try(nil, args...)
	if code != 0 {
		w.Fatalf("tend %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// fails runs a verb that must end with code, and returns its line of error.
func (w *world) fails(code int, args ...string) string {
	w.Helper()
	out, errs, got := w.try(nil, args...)
	if got != code {
		w.Fatalf("tend %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errs)
	}
	lines := strings.Split(strings.TrimSpace(errs), "\n")
	return lines[len(lines)-1]
}

// fake is the command line of a fake agent.
func fake(steps ...string) []string { return append([]string{os.Args[0], fakeWord}, steps...) }

// start runs a command as a session.
func (w *world) start(flags []string, argv []string) api.Session {
	w.Helper()
	args := append(append([]string{"run", "--json"}, flags...), "--")
	var s api.Session
	w.decode(w.tend(append(args, argv...)...), &s)
	return s
}

func (w *world) decode(out string, v any) {
	w.Helper()
	if err := json.Unmarshal([]byte(out), v); err != nil {
		w.Fatalf("%v in %q", err, out)
	}
}

func (w *world) show(id string) (s api.Session) {
	w.Helper()
	w.decode(w.tend("show", id, "--json"), &s)
	return s
}

// until waits for a state or one of wait's words.
func (w *world) until(id, state string) api.Session {
	w.Helper()
	if out, errs, code := w.try(nil, "wait", id, "--until", state, "--timeout", "60s"); code != 0 {
		story, _, _ := w.try(nil, "explain", id)
		w.Fatalf("wait for %s: exit %d\n%s%s\n%s", state, code, out, errs, story)
	}
	return w.show(id)
}

// eventually asks again until cond holds; for what no event tells.
func (w *world) eventually(what string, d time.Duration, cond func() bool) {
	w.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(d); !cond(); <-tick.C {
		if time.Now().After(end) {
			w.Fatalf("not within %s: %s", d, what)
		}
	}
}

func (w *world) read(elem ...string) string {
	b, err := os.ReadFile(w.path(elem...))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.Fatal(err)
	}
	return string(b)
}

// daemon is the pid of the running daemon.
func (w *world) daemon() int {
	w.Helper()
	var st api.Status
	w.decode(w.tend("status", "--json"), &st)
	return st.PID
}
