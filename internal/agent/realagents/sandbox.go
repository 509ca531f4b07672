package realagents

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/agent/fakemodel"
)

// patience bounds every wait: an agent starts in a second or two, on a busy
// machine in ten.
const patience = 60 * time.Second

// Sandbox is a small world for agents: a home, a folder to work in, models.
// It goes with the test, and everything that was started with its Env.
type Sandbox struct {
	Dir  string // holds the others; short, for sockets
	Home string
	Work string // trusted by the agents, no repository
	Tmp  string // TMPDIR; Home is not below it, which Codex would mind

	Log       *fakemodel.Log // of all models
	Anthropic string         // ANTHROPIC_BASE_URL
	OpenAI    string         // with /v1
	Gemini    string         // GOOGLE_GEMINI_BASE_URL

	t     testing.TB
	hooks *hooks
}

// The keys are well formed and false.
const (
	anthropicKey = "sk-ant-fake-0123456789abcdefghijklmnopqrstuvwxyz"
	openAIKey    = "sk-fake-0123456789"
	geminiKey    = "fake-0123456789"
)

func newSandbox(t testing.TB, dir string) *Sandbox {
	t.Helper()
	s := &Sandbox{
		Dir: dir, Home: filepath.Join(dir, "home"), Work: filepath.Join(dir, "work"), Tmp: filepath.Join(dir, "tmp"),
		Log: new(fakemodel.Log), t: t,
	}
	t.Cleanup(func() { kill(dir) })
	for _, d := range []string{s.Home, s.Work, s.Tmp} {
		s.ok(os.Mkdir(d, 0o700))
	}
	s.Anthropic = s.serve(fakemodel.Anthropic(s.Log))
	s.OpenAI = s.serve(fakemodel.OpenAI(s.Log)) + "/v1"
	s.Gemini = s.serve(fakemodel.Gemini(s.Log))
	s.hooks = newHooks(s)
	s.Trust()
	t.Cleanup(func() {
		if t.Failed() {
			for _, e := range s.Log.All() {
				t.Logf("model: %+v", e)
			}
			t.Logf("hooks: %v", s.hooks.names())
		}
	})
	return s
}

// serve runs a handler on a port of loopback until the test ends.
func (s *Sandbox) serve(h http.Handler) string {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.ok(err)
	server := &http.Server{Handler: h, ReadHeaderTimeout: patience}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // it ends by Close
	}()
	s.t.Cleanup(func() {
		_ = server.Close() // with its connections: HANG ends
		<-done
	})
	return "http://" + l.Addr().String()
}

// Path is a path in Dir.
func (s *Sandbox) Path(elem ...string) string {
	return filepath.Join(append([]string{s.Dir}, elem...)...)
}

// Env is the whole environment for an agent, or for a tend that starts one:
// nothing of this machine's but the folders of programs. Later values win.
func (s *Sandbox) Env(more ...string) []string {
	return append([]string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=" + s.Home, "TMPDIR=" + s.Tmp, "LANG=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh",
		"ANTHROPIC_BASE_URL=" + s.Anthropic, "ANTHROPIC_API_KEY=" + anthropicKey,
		"DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"FAKE_KEY=" + openAIKey,
		"GOOGLE_GEMINI_BASE_URL=" + s.Gemini, "GEMINI_API_KEY=" + geminiKey,
		"OPENCODE_CONFIG=" + s.opencodeConfig(), "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	}, more...)
}

// Asked waits until a model is asked this text by an agent with its tools, and
// returns the entry. With after, the N of an entry, only later ones count.
func (s *Sandbox) Asked(text string, after int) fakemodel.Entry {
	s.t.Helper()
	return s.Find("asked "+text, after, func(e fakemodel.Entry) bool {
		return e.Kind == fakemodel.Asked && !e.Title && e.Text == text
	})
}

// Ended waits until the request of an Asked is over, and returns how.
func (s *Sandbox) Ended(asked fakemodel.Entry) fakemodel.Entry {
	s.t.Helper()
	return s.Find("the end of "+asked.Text, asked.N, func(e fakemodel.Entry) bool { return e.Of == asked.N })
}

// Find waits for an entry of the models' log.
func (s *Sandbox) Find(what string, after int, fits func(fakemodel.Entry) bool) fakemodel.Entry {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	e, err := s.Log.Find(ctx, after, fits)
	if err != nil {
		s.t.Fatalf("no model saw %s: %v", what, err)
	}
	return e
}

// Processes lists what runs with this sandbox's home in its environment:
// agents, and all that they started.
func (s *Sandbox) Processes() []int { return processes(s.Dir) }

// processes lists what runs with the home of the sandbox in dir. A zombie has
// no environment any more.
func processes(dir string) (pids []int) {
	mark := []byte("HOME=" + filepath.Join(dir, "home") + "\x00")
	entries, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is good
	for _, e := range entries {
		var pid int
		env, err := os.ReadFile(e)
		if _, bad := fmt.Sscanf(e, "/proc/%d/environ", &pid); err == nil && bad == nil && bytes.Contains(env, mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill ends every process of the sandbox in dir. That none stays is for a test
// to say; this is so that none ever does.
func kill(dir string) {
	for range 10 { // what is killed last may have started another
		pids := processes(dir)
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(pids) == 0 {
			return
		}
	}
}

func (s *Sandbox) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}
