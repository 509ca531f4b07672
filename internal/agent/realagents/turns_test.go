package realagents

import (
	"strings"
	"testing"

	"github.com/tendhq/tend/internal/agent/fakemodel"
	"github.com/tendhq/tend/internal/screen"
)

// send types a prompt and waits until the agent's model has it. It clears the
// box first: on a busy machine Claude has shown a prompt there again that it had
// already sent.
func send(s *Sandbox, n *Terminal, prompt string) fakemodel.Entry {
	s.t.Helper()
	after := 0
	if all := s.Log.All(); len(all) > 0 {
		after = all[len(all)-1].N
	}
	n.Type("\x15")
	n.Type(prompt)
	n.Sees(prompt)
	n.Type("\r")
	return s.Asked(prompt, after)
}

func expect(s *Sandbox, asked fakemodel.Entry, want fakemodel.Kind) {
	s.t.Helper()
	if e := s.Ended(asked); e.Kind != want {
		s.t.Errorf("%s: %s, want %s", asked.Text, e.Kind, want)
	}
}

// TestClaudeTurns is every directive, in one session.
func TestClaudeTurns(t *testing.T) {
	Run(t, Claude, func(t *testing.T, s *Sandbox, path string) {
		n := s.Start([]string{path, "--settings", s.ClaudeSettings(
			"SessionStart", "Stop", "StopFailure", "PreToolUse", "PostToolUse", "PermissionRequest", "SubagentStop",
		)}, "CLAUDE_CODE_MAX_RETRIES=1")
		s.Hook("SessionStart")
		n.Sees("❯")
		expect(s, send(s, n, "TOOL touch made-by-a-tool"), fakemodel.Answered)
		if h := s.Hook("PermissionRequest"); h.Text("tool_name") != "Bash" {
			t.Errorf("%v", h.Payload)
		}
		n.Sees("Do you want to proceed?")
		n.Type("\r")
		s.Hook("PostToolUse")
		stop := func(last string) {
			t.Helper()
			if h := s.Hook("Stop"); h.Text("last_assistant_message") != last {
				t.Errorf("%v", h.Payload)
			}
		}
		stop("done")
		expect(s, send(s, n, "DROP"), fakemodel.Dropped)
		stop("not dropped")
		expect(s, send(s, n, "SUBAGENT SAY from below"), fakemodel.Answered)
		if h := s.Hook("SubagentStop"); h.Text("last_assistant_message") != "from below" {
			t.Errorf("%v", h.Payload)
		}
		stop("done")
		for _, c := range [][2]string{{"ERR400", "unknown"}, {"ERR429", "rate_limit"}, {"ERR529", "server_error"}} {
			expect(s, send(s, n, c[0]), fakemodel.Failed)
			if h := s.Hook("StopFailure"); h.Text("error") != c[1] {
				t.Errorf("%v", h.Payload)
			}
		}
		slow := send(s, n, "SLOW 900")
		n.Sees("word2")
		n.Type("\x1b")
		expect(s, slow, fakemodel.Gone)
		hang := send(s, n, "HANG")
		n.Type("\x1b")
		expect(s, hang, fakemodel.Gone)
		unknown(t, s)
	})
}

// TestCodexTurns is every directive, in one session.
func TestCodexTurns(t *testing.T) {
	Run(t, Codex, func(t *testing.T, s *Sandbox, path string) {
		s.CodexHooks("SessionStart", "Stop", "PermissionRequest", "PostToolUse", "Interrupt")
		n := s.Start([]string{path, "--no-daemon", "--dangerously-bypass-hook-trust"})
		n.State("idle")
		expect(s, send(s, n, "TOOL touch made-by-a-tool"), fakemodel.Answered)
		if h := s.Hook("PermissionRequest"); h.Text("tool_name") != "Bash" {
			t.Errorf("%v", h.Payload)
		}
		if e := n.State("blocked"); e.Kind != "permission" {
			t.Errorf("%+v", e)
		}
		n.Sees("Would you like to run")
		// A key that comes with the dialog is lost: wait until its title blinks.
		for _, title := range []string{"[ . ] Action Required", "[ ! ] Action Required"} {
			n.Event(title, func(e screen.Event) bool {
				is, ok := e.(screen.TitleChanged)
				return ok && strings.HasPrefix(is.Title, title)
			})
		}
		n.Type("\r")
		s.Hook("PostToolUse")
		if h := s.Hook("Stop"); h.Text("last_assistant_message") != "done" {
			t.Errorf("%v", h.Payload)
		}
		n.State("done")
		for _, prompt := range []string{"ERR400", "ERR401", "ERR429", "ERR500", "DROP"} {
			kind := fakemodel.Failed
			if prompt == "DROP" {
				kind = fakemodel.Dropped
			}
			expect(s, send(s, n, prompt), kind)
			n.State("error")
		}
		slow := send(s, n, "SLOW 900")
		n.State("working")
		n.Type("\x1b")
		expect(s, slow, fakemodel.Gone)
		s.Hook("Interrupt")
		n.State("idle")
		hang := send(s, n, "HANG")
		n.State("working")
		n.Type("\x1b")
		expect(s, hang, fakemodel.Gone)
		s.Hook("Interrupt")
		unknown(t, s)
	})
}
