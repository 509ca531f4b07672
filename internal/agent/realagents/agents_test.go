package realagents

import (
	"slices"
	"testing"

	"github.com/tendhq/tend/internal/agent/fakemodel"
)

func TestClaude(t *testing.T) {
	Run(t, Claude, func(t *testing.T, s *Sandbox, path string) {
		settings := s.ClaudeSettings("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
		n := s.Start([]string{path, "--settings", settings})
		start := s.Hook("SessionStart")
		if start.Text("source") != "startup" || start.Text("session_id") == "" || start.Text("cwd") != s.Work {
			t.Errorf("%v", start.Payload)
		}
		n.Sees("❯")
		n.Type("SAY hello from the model")
		n.Sees("SAY hello from the model")
		n.Type("\r")
		if h := s.Hook("UserPromptSubmit"); h.Text("prompt") != "SAY hello from the model" {
			t.Errorf("%v", h.Payload)
		}
		if e := s.Ended(s.Asked("SAY hello from the model", 0)); e.Kind != fakemodel.Answered {
			t.Errorf("%+v", e)
		}
		if h := s.Hook("Stop"); h.Text("last_assistant_message") != "hello from the model" {
			t.Errorf("%v", h.Payload)
		}
		n.Type("/exit")
		n.Sees("/exit")
		n.Type("\r")
		if h := s.Hook("SessionEnd"); h.Text("reason") != "prompt_input_exit" {
			t.Errorf("%v", h.Payload)
		}
		if status := n.Exit(); status != 0 {
			t.Errorf("status %d", status)
		}
		unknown(t, s)
	})
}

func TestCodex(t *testing.T) {
	Run(t, Codex, func(t *testing.T, s *Sandbox, path string) {
		s.CodexHooks("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
		n := s.Start([]string{path, "--no-daemon", "--dangerously-bypass-hook-trust"})
		n.State("idle")
		if all := s.Hooks(); len(all) > 0 {
			t.Errorf("a hook before the first prompt: %v", all)
		}
		n.Type("SAY hello from the model")
		n.Sees("SAY hello from the model")
		n.Type("\r")
		start := s.Hook("SessionStart")
		if start.Text("source") != "startup" || start.Text("session_id") == "" || start.Text("cwd") != s.Work {
			t.Errorf("%v", start.Payload)
		}
		if h := s.Hook("UserPromptSubmit"); h.Text("prompt") != "SAY hello from the model" {
			t.Errorf("%v", h.Payload)
		}
		n.State("working")
		if e := s.Ended(s.Asked("SAY hello from the model", 0)); e.Kind != fakemodel.Answered {
			t.Errorf("%+v", e)
		}
		if h := s.Hook("Stop"); h.Text("last_assistant_message") != "hello from the model" {
			t.Errorf("%v", h.Payload)
		}
		n.State("done")
		n.Type("/quit")
		n.Sees("/quit")
		n.Type("\r")
		n.State("clear")
		if status := n.Exit(); status != 0 {
			t.Errorf("status %d", status)
		}
		unknown(t, s)
	})
}

// unknown complains about requests that the models do not know.
func unknown(t *testing.T, s *Sandbox) {
	t.Helper()
	all := s.Log.All()
	if i := slices.IndexFunc(all, func(e fakemodel.Entry) bool { return e.Kind == fakemodel.Unknown }); i >= 0 {
		t.Errorf("the model does not know %+v", all[i])
	}
}
