//go:build soak

package e2e

import (
	"os"
	"testing"

	"github.com/tendhq/tend/internal/agent/realagents"
)

// These are the agents that only the long tests run (make agents-soak): they take
// ten seconds and more to start.

var (
	geminiCommand   = []string{"gemini", "--skip-trust"}
	opencodeCommand = []string{"opencode"}
	piCommand       = []string{"pi", "--offline"}
	opencodeFlags   = []string{
		"--env", "OPENCODE_CONFIG", "--env", "OPENCODE_DISABLE_AUTOUPDATE", "--env", "OPENCODE_DISABLE_MODELS_FETCH",
		"--env", "OPENCODE_DISABLE_LSP_DOWNLOAD",
	}
)

func TestRealGemini(t *testing.T) {
	withReal(t, realagents.Gemini, func(r *realWorld) { r.work(r.begin(nil, geminiCommand...).ID, "/quit") })
}

func TestRealOpencode(t *testing.T) {
	withReal(t, realagents.Opencode, func(r *realWorld) { r.work(r.begin(opencodeFlags, opencodeCommand...).ID, "/exit") })
}

func TestRealPi(t *testing.T) {
	withReal(t, realagents.Pi, func(r *realWorld) {
		id := r.begin(nil, piCommand...).ID
		r.turn(id, "SAY hello", "done")
		r.turn(id, "TOOL touch allowed.txt", "done") // it asks for nothing
		r.exists("allowed.txt", true)
		r.rest(id, "/quit")
	})
}

// work is what an agent with permissions must show.
func (r *realWorld) work(id, quit string) {
	r.Helper()
	if s := r.turn(id, "SAY hello", "done"); s.NativeID == "" || s.Turn.N != 1 {
		r.Errorf("%+v", s)
	}
	if s := r.turn(id, "TOOL touch allowed.txt", "waiting"); s.Waiting.Kind != "permission" {
		r.Errorf("%+v", s.Waiting)
	}
	r.tend("answer", id, "yes")
	r.until(id, "done")
	r.exists("allowed.txt", true)
	r.turn(id, "TOOL touch denied.txt", "waiting")
	r.tend("answer", id, "no")
	r.until(id, "ready")
	r.exists("denied.txt", false)
	r.rest(id, quit)
}

// rest is what every agent must show: it is interrupted, and it exits.
func (r *realWorld) rest(id, quit string) {
	r.Helper()
	r.turn(id, "SLOW 200", "busy")
	r.tend("interrupt", id)
	r.until(id, "ready")
	r.turn(id, "HANG", "busy")
	r.tend("interrupt", id)
	r.until(id, "ready")
	r.turn(id, "ERR400", "attention")
	r.turn(id, "SAY it goes on", "done")
	r.tend("send", id, quit)
	if s := r.until(id, "ended"); s.Process.Exit == nil || s.Process.Exit.Code == nil || *s.Process.Exit.Code != 0 {
		r.Errorf("%+v", s.Process)
	}
}

func (r *realWorld) exists(name string, want bool) {
	r.Helper()
	if _, err := os.Stat(r.path("work", name)); (err == nil) != want {
		r.Errorf("%s: %v, want it there: %t", name, err, want)
	}
}
