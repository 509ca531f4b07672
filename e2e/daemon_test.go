package e2e

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tendhq/tend/api"
)

// walk visits everything tend keeps.
func (w *world) walk(f func(path string, st os.FileInfo)) {
	for _, top := range []string{"state", "run", "config"} {
		w.ok(filepath.WalkDir(w.path(top, "tend"), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // a file that ends while we look
			}
			if st, err := d.Info(); err == nil {
				f(path, st)
			}
			return nil
		}))
	}
}

// kill9 kills the daemon as nothing may be prepared for.
func (w *world) kill9() {
	w.Helper()
	pid := w.daemon()
	w.ok(syscall.Kill(pid, syscall.SIGKILL))
	w.eventually("the daemon is gone", 5*time.Second, func() bool { return cmdline(pid) == "" })
}

func TestADaemonsDeathIsNotAnAgentsDeath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	live := w.start(nil, w.composer(""))
	ends := w.start(nil, fake("state idle", "sleep 1s", "exit 3"))
	w.until(live.ID, "ready")
	w.until(ends.ID, "ready")
	w.tend("send", live.ID, "one", "--wait")
	pid := w.show(live.ID).Process.PID
	w.kill9()
	w.eventually("the other has ended", 10*time.Second, func() bool { return !alive(ends.Process.PID) })
	if got := w.show(live.ID); got.State != "done" || got.Process.PID != pid || got.Process.Run != 1 {
		t.Fatalf("%s pid %d run %d", got.State, got.Process.PID, got.Process.Run)
	}
	if got := w.until(ends.ID, "attention"); got.Process.Exit == nil || got.Process.Exit.Code == nil || *got.Process.Exit.Code != 3 {
		t.Fatalf("exit %+v", got.Process.Exit)
	}
	w.tend("send", live.ID, "two", "--wait")
	if n := w.show(live.ID).Turn.N; n != 2 {
		t.Fatalf("%d turns", n)
	}
}

func alive(pid int) bool { return cmdline(pid) != "" }

func TestB64OneDaemonServes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	serve := func() *exec.Cmd {
		c := exec.Command(filepath.Join(bin, "tend"), "serve")
		c.Env = w.env
		return c
	}
	var all []*exec.Cmd
	for range 5 {
		c := serve()
		w.ok(c.Start())
		all = append(all, c)
	}
	winner := w.daemon()
	for _, c := range all {
		if c.Process.Pid != winner {
			if err := c.Wait(); err == nil {
				t.Errorf("a second daemon ended with 0: systemd would not tell them apart")
			}
		}
	}
	w.kill9()
	for _, c := range all {
		if c.Process.Pid == winner {
			_ = c.Wait()
		}
	}
	if again := w.daemon(); again == winner {
		t.Fatal("not started again")
	}
	if line := w.fails(1, "serve"); !strings.Contains(line, fmt.Sprint(w.daemon())) {
		t.Fatalf("a second daemon says %q", line)
	}
}

func TestB63NothingIsEverLocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(nil, w.composer(""))
	w.until(s.ID, "ready")
	var wg sync.WaitGroup
	const clients, rounds = 8, 15
	for i := range clients {
		wg.Go(func() {
			for j := range rounds {
				if out, errs, code := w.try(nil, "rename", s.ID, fmt.Sprintf("n-%d-%d", i, j)); code != 0 {
					t.Errorf("exit %d %s%s", code, out, errs)
				}
			}
		})
	}
	wg.Wait()
	n := 0
	for line := range strings.Lines(w.tend("events", "--json")) {
		if strings.Contains(line, `"Rename"`) {
			n++
		}
	}
	if n != clients*rounds {
		t.Fatalf("%d renames on record, want %d", n, clients*rounds)
	}
}

func TestB65KilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, w.composer(""))
	w.until(s.ID, "ready")
	rounds := 8
	if soak {
		rounds = 200
	}
	for i := range rounds {
		killed := make(chan struct{})
		pid := w.daemon()
		go func() {
			defer close(killed)
			time.AfterFunc(time.Duration(i*7%60)*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		}()
		w.try(nil, "run", "--kind", "job", "--", "true")
		<-killed
		w.eventually("the daemon is gone", 5*time.Second, func() bool { return !alive(pid) })
	}
	w.eventually("nothing is shown running that does not run", 5*time.Second, func() bool {
		var list []api.Session
		w.decode(w.tend("ls", "--all", "--json"), &list)
		return !slices.ContainsFunc(list, func(x api.Session) bool { return x.Process.Phase == "running" && !alive(x.Process.PID) })
	})
	if got := w.show(s.ID); got.Process.Run != 1 || !alive(got.Process.PID) {
		t.Fatalf("the agent did not survive: %+v", got.Process)
	}
	if out := w.tend("doctor"); strings.Contains(out, "corrupt") {
		t.Fatalf("%s", out)
	}
}

func TestB75NothingLeaks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	w.tend("status")
	fds := func() int {
		d, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.daemon()))
		w.ok(err)
		return len(d)
	}
	n := 20
	if soak {
		n = 1000
	}
	one := func() {
		s := w.start([]string{"--kind", "job"}, []string{"true"})
		w.until(s.ID, "ended")
		w.tend("close", s.ID)
	}
	one()
	before := fds()
	for range n {
		one()
	}
	w.eventually("as many files as before", 10*time.Second, func() bool { return fds() <= before+5 })
}

func TestB76AHolderWithoutADaemonEnds(t *testing.T) {
	t.Parallel()
	if !soak {
		t.Skip("takes over a minute: run by make soak")
	}
	w := newWorld(t, old)
	s := w.start([]string{"--kind", "job"}, []string{"sleep", "1"})
	holder := 0
	for _, pid := range w.processes() {
		if strings.Contains(cmdline(pid), "tend-hold") {
			holder = pid
		}
	}
	if holder == 0 {
		t.Fatalf("no holder for %s", s.ID)
	}
	w.kill9()
	w.eventually("the holder ends by itself", 70*time.Second, func() bool { return !alive(holder) })
}

func TestB87AForeignPidIsNeverSignalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, fake("state idle", "hang"))
	w.until(s.ID, "ready")
	bystander := exec.Command("sleep", "600")
	w.ok(bystander.Start())
	t.Cleanup(func() { _ = bystander.Process.Kill(); _ = bystander.Wait() })
	pid := w.show(s.ID).Process.PID
	w.tend("shutdown")
	for _, p := range w.processes() {
		_ = syscall.Kill(p, syscall.SIGKILL) // agent and holder, as a power cut would
	}
	w.eventually("all gone", 5*time.Second, func() bool { return len(w.processes()) == 0 })
	w.walk(func(path string, st os.FileInfo) {
		if filepath.Base(path) != "holder.json" {
			return
		}
		b, err := os.ReadFile(path)
		w.ok(err)
		w.ok(os.WriteFile(path, []byte(strings.ReplaceAll(string(b), fmt.Sprint(pid), fmt.Sprint(bystander.Process.Pid))), 0o600))
	})
	if got := w.until(s.ID, "attention"); got.Process.Phase == "running" {
		t.Fatalf("a foreign process was adopted: %+v", got.Process)
	}
	w.tend("stop", s.ID)
	w.tend("close", s.ID)
	if !alive(bystander.Process.Pid) {
		t.Fatal("a foreign process was killed")
	}
}

func TestB90NamesAreKeptVerbatim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := map[string]bool{}
	for _, name := range []string{"v1.2:x", "v1_2_x", "a b", "-x", "$1", strings.Repeat("n", 300), "👩‍👩‍👧‍👦 team"} {
		s := w.start([]string{"--name=" + name, "--kind", "job"}, []string{"sleep", "60"})
		if s.Name != name || seen[s.ID] {
			t.Errorf("%q became %q", name, s.Name)
		}
		seen[s.ID] = true
		if got := w.tend("show", "--json", "--", name); !strings.Contains(got, s.ID) {
			t.Errorf("%q is not found by its name", name)
		}
	}
	if line := w.fails(4, "run", "--name=a b", "--", "true"); !strings.Contains(line, "a b") {
		t.Fatalf("a taken name says %q", line)
	}
}

func TestB97TheDirectoryIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	dir := w.path("gone")
	w.ok(os.Mkdir(dir, 0o700))
	s := w.start([]string{"--cwd", dir}, fake("state working", "hang"))
	w.until(s.ID, "busy")
	w.ok(os.Remove(dir))
	if got := w.until(s.ID, "attention"); w.cause(got) != "worktreeMissing" {
		t.Fatalf("%s", w.cause(got))
	}
	w.until(w.start([]string{"--kind", "job"}, []string{"true"}).ID, "done")
}

func TestB95LongRuntimeFolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := w.path("run", strings.Repeat("é", 75))
	w.ok(os.Mkdir(long, 0o700))
	w.env = append(w.env, "XDG_RUNTIME_DIR="+long)
	out, errs, code := w.try(nil, "status")
	if code != 0 && !strings.Contains(errs, "bytes") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	if code == 0 {
		w.until(w.start([]string{"--kind", "job"}, []string{"true"}).ID, "done")
	}
}

func TestEventsFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tend("status")
	c := exec.Command(filepath.Join(bin, "tend"), "events", "-f", "--json")
	c.Env = w.env
	out, err := c.StdoutPipe()
	w.ok(err)
	w.ok(c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	lines := bufio.NewScanner(out)
	s := w.start([]string{"--kind", "job"}, []string{"true"})
	var last int64
	for lines.Scan() {
		var e api.Entry
		w.decode(lines.Text(), &e)
		if e.Seq <= last {
			t.Fatalf("seq %d after %d", e.Seq, last)
		}
		last = e.Seq
		if e.Session == s.ID && e.To == "done" {
			return
		}
	}
	t.Fatal("the end was not told")
}

func TestRemovedSocketsComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(nil, w.composer(""))
	w.until(s.ID, "ready")
	all, err := filepath.Glob(w.path("run", "tend", "*"))
	w.ok(err)
	for _, p := range all {
		w.ok(os.Remove(p))
	}
	w.eventually("the sockets are back", 12*time.Second, func() bool {
		now, _ := filepath.Glob(w.path("run", "tend", "*"))
		return len(now) == len(all)
	})
	w.tend("send", s.ID, "still here", "--wait")
}

func TestAKilledHolderIsNotGuessedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old, "TEND_EXIT_TRUTH=2s")
	s := w.start(nil, fake("state idle", "hang"))
	w.until(s.ID, "ready")
	for _, pid := range w.own() {
		if pid != w.daemon() {
			w.ok(syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	if got := w.until(s.ID, "attention"); w.cause(got) != "exitUnknown" || got.Process.Exit != nil && !got.Process.Exit.Unknown {
		t.Fatalf("%s %+v", w.cause(got), got.Process.Exit)
	}
}
