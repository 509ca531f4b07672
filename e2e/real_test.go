package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/agent/fakemodel"
	"github.com/tendhq/tend/internal/agent/realagents"
)

// These tests run the real programs, driven by tend and by nothing else, in a
// network namespace with a fake model: what a prompt says is what the model does
// (package fakemodel).

// realWorld is one person's machine inside the sandbox, with one agent installed.
type realWorld struct {
	*world
	box  *realagents.Sandbox
	seen int // of the model's log
}

func withReal(t *testing.T, p realagents.Program, f func(r *realWorld)) {
	realagents.Run(t, p, func(t *testing.T, s *realagents.Sandbox, path string) {
		// Gemini CLI takes no settings below a folder that others may write to, such
		// as /tmp; inside the sandbox /run is its own.
		t.Setenv("TMPDIR", "/run")
		w := newWorld(t)
		own := filepath.Dir(path)
		if filepath.Base(path) != p.Name { // found by its usual name
			own = s.Path("bin")
			w.ok(os.Mkdir(own, 0o700))
			w.ok(os.Symlink(path, filepath.Join(own, p.Name)))
		}
		xdg := w.env[4:]
		w.env = append(s.Env("PATH="+bin+":"+own+":/usr/local/bin:/usr/bin:/bin", "TEND_MIN_LIFETIME=1s"), xdg...)
		s.Trust(w.path("work"))
		r := &realWorld{world: w, box: s}
		t.Cleanup(r.tell)
		f(r)
	})
}

// tell shows what there is to see when a test has failed.
func (r *realWorld) tell() {
	if !r.Failed() {
		return
	}
	var all []api.Session
	out, _, _ := r.try(nil, "ls", "--all", "--json")
	r.decode(out, &all)
	for _, s := range all {
		story, _, _ := r.try(nil, "explain", s.ID)
		screen, _, _ := r.try(nil, "logs", s.ID, "--plain")
		r.Logf("%s\nits screen:\n%s", story, screen)
	}
}

// start runs the agent and waits until it takes prompts.
func (r *realWorld) begin(flags []string, argv ...string) api.Session {
	r.Helper()
	return r.until(r.start(flags, argv).ID, "ready")
}

// send sends a prompt that the model then has been asked.
func (r *realWorld) send(id, prompt string) {
	r.Helper()
	r.tend("send", id, prompt)
	e := r.box.Asked(prompt, r.seen)
	r.seen = e.N
}

// turn is a prompt that leads to a state.
func (r *realWorld) turn(id, prompt, state string) api.Session {
	r.Helper()
	r.send(id, prompt)
	return r.until(id, state)
}

// explains checks that the evidence says this.
func (r *realWorld) explains(id, want string) {
	r.Helper()
	if story := r.tend("explain", id); !strings.Contains(story, want) {
		r.Errorf("no word of %q in:\n%s", want, story)
	}
}

func (r *realWorld) kill(pid int) {
	r.Helper()
	if pid <= 1 {
		r.Fatalf("pid %d", pid)
	}
	r.ok(syscall.Kill(pid, syscall.SIGKILL))
}

func TestRealClaude(t *testing.T) {
	withReal(t, realagents.Claude, func(r *realWorld) {
		id := r.begin(nil, "claude").ID
		if s := r.turn(id, "SAY hello", "done"); s.NativeID == "" || s.Turn.N != 1 || !strings.Contains(s.View.Why, "hello") {
			r.Errorf("%+v", s)
		}
		r.eventually("its record, which it writes a moment after its hook, tells the turn", 20*time.Second, func() bool {
			told := r.tend("transcript", id)
			return strings.Contains(told, "prompt       SAY hello") && strings.Contains(told, "answer       hello")
		})
		r.turns(id, "allowed.txt", "denied.txt")
		r.turn(id, "HANG", "busy")
		r.tend("interrupt", id)
		r.until(id, "ready") // it puts the prompt back into its box
		if s := r.turn(id, "SAY after the hang", "done"); s.View.Group != "ready" {
			r.Errorf("%+v", s.View)
		}
		if s := r.turn(id, "ERR400", "attention"); s.Attention.Cause != "turnFailed" {
			r.Errorf("%+v", s.Attention)
		}
		r.turn(id, "SAY it goes on", "done")
		r.turn(id, "SUBAGENT SAY from below", "done")
		r.turn(id, "DROP", "done") // it falls back to another request
		r.tend("send", id, "/exit")
		if s := r.until(id, "ended"); s.Process.Exit == nil || s.Process.Exit.Code == nil || *s.Process.Exit.Code != 0 {
			r.Errorf("%+v", s.Process)
		}
	})
}

// turns are what every agent with permissions must show alike: a tool that is
// allowed, one that is not, an interrupt, prompts of several lines and with
// control bytes.
func (r *realWorld) turns(id, allowed, denied string) {
	r.Helper()
	if s := r.turn(id, "TOOL touch "+allowed, "waiting"); s.Waiting.Kind != "permission" || !strings.Contains(s.Waiting.Text, allowed) || s.View.Group != "needsYou" {
		r.Errorf("%+v %+v", s.Waiting, s.View)
	}
	if line := r.fails(0, "answer", id, "yes"); line != "" {
		r.Errorf("stderr: %s", line)
	}
	r.until(id, "done")
	if _, err := os.Stat(r.path("work", allowed)); err != nil {
		r.Errorf("the tool did not run: %v", err)
	}
	r.turn(id, "TOOL touch "+denied, "waiting")
	r.tend("answer", id, "--key", "esc")
	r.until(id, "ready")
	if _, err := os.Stat(r.path("work", denied)); err == nil {
		r.Error("a tool ran that was denied")
	}
	r.turn(id, "SLOW 200", "busy")
	r.tend("interrupt", id)
	r.until(id, "ready")
	r.turn(id, "SAY first\nsecond \"quoted\" $(line)\nthird", "done")
	r.tend("send", id, "SAY cl\x1b[201~ean\x03ed")
	r.seen = r.box.Asked("SAY cl[201~eaned", r.seen).N
	r.until(id, "done")
}

func TestRealCodex(t *testing.T) {
	withReal(t, realagents.Codex, func(r *realWorld) {
		id := r.begin([]string{"--env", "FAKE_KEY"}, "codex").ID
		if s := r.turn(id, "SAY hello", "done"); s.NativeID == "" || s.Turn.N != 1 {
			r.Errorf("%+v", s)
		}
		r.turns(id, "allowed.txt", "denied.txt")
		r.turn(id, "HANG", "busy")
		r.tend("interrupt", id)
		r.until(id, "ready")
		r.turn(id, "ERR401", "attention")
		r.eventually("its record has told of the error", 20*time.Second, func() bool {
			s := r.show(id)
			return s.Attention != nil && s.Attention.Cause == "authFailed"
		})
		r.explains(id, "401")
	})
}

// A crash is resumed by the agent's own resume, a task goes on, and the death of
// the daemon loses nothing that happens meanwhile.
func TestRealClaudeRecovers(t *testing.T) { withReal(t, realagents.Claude, recovers("claude")) }
func TestRealCodexRecovers(t *testing.T)  { withReal(t, realagents.Codex, recovers("codex")) }

func recovers(command string) func(r *realWorld) {
	return func(r *realWorld) {
		id := r.start([]string{"--env", "FAKE_KEY", "--prompt", "SLOW 600"}, []string{command}).ID
		s := r.until(id, "busy")
		r.box.Asked("SLOW 600", 0)
		r.eventually("an answer, and with it a conversation", 30*time.Second, func() bool { return strings.Contains(r.tend("logs", id, "--plain"), "word9") })
		r.kill(s.Process.PID)
		s = r.until(id, "done") // it is told to continue, and the model answers
		if s.Process.Run != 2 || s.NativeID == "" {
			r.Errorf("%+v, conversation %s", s.Process, s.NativeID)
		}
		r.explains(id, "Continue where you left off.")
		r.turn(id, "SLOW 20", "busy")
		r.kill(r.daemon())
		r.box.Find("the end of the turn", r.seen, func(e fakemodel.Entry) bool { return e.Of == r.seen })
		s = r.until(id, "done")
		if s.Turn.N < 2 || s.Process.Run != 2 {
			r.Errorf("after the daemon's death: %+v %+v", s.Turn, s.Process)
		}
	}
}
