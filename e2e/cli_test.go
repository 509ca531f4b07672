package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/api"
)

// oneLineError runs a verb that must fail with code, and says so in one line
// that names words.
func (w *world) oneLineError(code int, words string, args ...string) {
	w.Helper()
	_, errs, got := w.try(nil, args...)
	var lines []string
	for line := range strings.Lines(errs) {
		if !strings.Contains(line, "started the daemon") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if got != code || len(lines) != 1 || !strings.Contains(lines[0], words) {
		w.Errorf("tend %.80q: exit %d, want %d with %q in one line:\n%.600s", args, got, code, words, errs)
	}
}

func TestBadInputIsAClearLineAndLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start([]string{"--name", "taken", "--kind", "job"}, []string{"sleep", "60"})
	for _, c := range []struct {
		code  int
		words string
		args  []string
	}{
		{2, "no command given", []string{"run"}},
		{2, "tend run --help", []string{"run", "--no-such-flag", "true"}},
		{2, "tend --help", []string{"frobnicate"}},
		{1, "no command called no-such-command in PATH", []string{"run", "no-such-command"}},
		{1, "is a directory", []string{"run", "/"}},
		{1, "cannot use the directory /no/such", []string{"run", "--cwd", "/no/such", "true"}},
		{4, "taken", []string{"run", "--name", "taken", "true"}},
		{2, "UTF-8", []string{"run", "--name", "\xff\xfe", "true"}},
		{2, "UTF-8", []string{"run", "--prompt", "\xff", "true"}},
		{2, "a job takes no prompt", []string{"run", "--kind", "job", "--prompt", "x", "true"}},
		{2, "kind", []string{"run", "--kind", "hobby", "true"}},
		{2, "no host called", []string{"run", "--host", "moon", "true"}},
		{2, "--env NOPE=VALUE", []string{"run", "--env", "NOPE", "true"}},
		{3, "tend ls --all", []string{"show", "nobody"}},
		{3, "tend ls --all", []string{"stop", "nobody"}},
		{4, "asks nothing", []string{"answer", "taken", "y"}},
		{4, "read-only", []string{"send", "taken", "x"}},
		{2, "there is no state", []string{"wait", "taken", "--until", "bliss"}},
		{5, "time", []string{"wait", "taken", "--until", "done", "--timeout", "100ms"}},
		{2, "needs a terminal", []string{"attach", "taken"}},
		{2, "tend confirm", []string{"done"}},
		{2, "--yes", []string{"uninstall"}},
	} {
		w.oneLineError(c.code, c.words, c.args...)
	}
	var open []api.Session
	w.decode(w.tend("ls", "--json"), &open)
	if len(open) != 1 {
		t.Errorf("half-made sessions:\n%s", w.tend("ls"))
	}
}

func TestFoldersAndFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok(os.WriteFile(w.path("afile"), nil, 0o600))
	clean := w.env
	for _, c := range []struct{ env, words string }{
		{"XDG_STATE_HOME=" + w.path("afile"), "cannot make the folder"},
		{"XDG_RUNTIME_DIR=" + w.path("afile"), "cannot make the folder"},
		{"TEND_STALL=soon", "TEND_STALL"},
		{"TEND_HOST=moon", "TEND_HOST"},
	} {
		w.env = append(append([]string(nil), clean...), c.env)
		_, errs, code := w.try(nil, "ls")
		if code == 0 || !strings.Contains(errs, c.words) || strings.Count(strings.TrimSpace(errs), "\n") > 0 {
			t.Errorf("%s: exit %d %q", c.env, code, errs)
		}
	}
	w.env = []string{"PATH=" + os.Getenv("PATH")}
	w.oneLineError(1, "HOME", "ls")
	w.env = clean
	w.ok(os.Mkdir(w.path("config", "tend"), 0o700))
	w.ok(os.WriteFile(w.path("config", "tend", "config.toml"), []byte("stall = \"5m\"\n\nstal = \"5m\"\n"), 0o600))
	w.oneLineError(2, "config.toml:3: there is no key \"stal\"", "ls")
	w.ok(os.WriteFile(w.path("config", "tend", "config.toml"), []byte("# mine\nstall = \"never\"\n"), 0o600))
	w.oneLineError(2, "config.toml:2: stall", "ls")
	w.ok(os.WriteFile(w.path("config", "tend", "config.toml"), []byte("stall = \n"), 0o600))
	w.oneLineError(2, "config.toml:1", "ls")
	w.ok(os.Remove(w.path("config", "tend", "config.toml")))
}

func TestADamagedDatabaseIsKeptAndRepairedOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.until(w.start([]string{"--kind", "job", "--name", "before"}, []string{"true"}).ID, "done")
	w.tend("shutdown")
	db := w.database()
	b, err := os.ReadFile(db)
	w.ok(err)
	for i := 4096 * 3; i < min(len(b), 4096*6); i++ {
		b[i] = 0xa5
	}
	w.ok(os.WriteFile(db, b, 0o600))
	w.oneLineError(1, "tend doctor --repair", "ls")
	if again, err := os.ReadFile(db); err != nil || string(again) != string(b) {
		t.Fatal("it was touched")
	}
	if out, _, code := w.try(nil, "doctor"); code == 0 || !strings.Contains(out, "--repair") {
		t.Fatalf("doctor: exit %d\n%s", code, out)
	}
	if out := w.tend("doctor", "--repair"); !strings.Contains(out, "kept as") {
		t.Fatalf("%s", out)
	}
	w.tend("ls")
}

func TestEveryVerbThatPrintsTakesJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start([]string{"--name", "j"}, w.composer(""))
	w.until("j", "ready")
	for _, args := range [][]string{
		{"ls"}, {"ls", "--all"}, {"show", "j"}, {"explain", "j"}, {"status"}, {"version"}, {"keep", "j"}, {"unkeep", "j"}, {"rename", "j", "j"},
		{"send", "j", "hi", "--wait"}, {"wait", "j", "--until", "done"}, {"stop", "j"}, {"wait", "j", "--until", "ended"}, {"close", "j"}, {"reopen", "j"},
		{"doctor"},
	} {
		var v any
		w.decode(w.tend(append(args, "--json")...), &v)
	}
	if out := w.tend("events", "--json"); !strings.Contains(out, s.ID) {
		t.Errorf("%s", out)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out := w.tend("completion", shell); !strings.Contains(out, "tend") {
			t.Errorf("%s: %.80q", shell, out)
		}
	}
	if out := w.tend("help", "config"); !strings.Contains(out, "detach_keys") || !strings.Contains(out, "TEND_STALL") {
		t.Errorf("%s", out)
	}
	if out := w.tend("uninstall", "--dry-run"); !strings.Contains(out, w.path("state", "tend")) {
		t.Errorf("%s", out)
	}
	w.oneLineError(2, "--yes", "uninstall")
}

func TestTheAgentsOwnWordAndAPersons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	s := w.start(nil, fake("print working on it", "sleep 2s", "exec tend done --summary 'all green'", "hang"))
	got := w.until(s.ID, "done")
	if !strings.Contains(got.View.Why, "all green") {
		t.Errorf("why: %s", got.View.Why)
	}
	q := w.start(nil, fake("ask proceed? [y/N]", "print thanks", "state working", "hang"))
	asked := w.until(q.ID, "waiting")
	if asked.Waiting.Kind != "question" || !strings.Contains(asked.View.Why, "proceed?") {
		t.Errorf("%+v %s", asked.Waiting, asked.View.Why)
	}
	w.tend("answer", q.ID, "y")
	w.until(q.ID, "busy")
	w.oneLineError(4, "busy", "confirm", q.ID)
	w.tend("retry", q.ID)
	w.eventually("a second run that asks", 20*time.Second, func() bool { got := w.show(q.ID); return got.Process.Run == 2 && got.State == "waitingOnInput" })
	w.tend("close", q.ID)
	w.eventually("archived", 10*time.Second, func() bool { return w.show(q.ID).Closed != nil })
	if out := w.tend("ls", "--all"); !strings.Contains(out, "archived") {
		t.Errorf("%s", out)
	}
	w.tend("resume", q.ID)
	w.until(q.ID, "waiting")
}

func TestTheDemonstrationEndsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "NO_COLOR=1", "TMPDIR="+os.TempDir())
	start := time.Now()
	out := w.tend("demo")
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, want := range []string{"done", "asks: question", "needs you"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	dir := lines[len(lines)-1][strings.LastIndex(lines[len(lines)-1], " ")+1:]
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("its files: %v", err)
	}
	w.ok(os.RemoveAll(dir))
	if strings.Contains(out, "\x1b") {
		t.Errorf("escape sequences in plain lines")
	}
}
