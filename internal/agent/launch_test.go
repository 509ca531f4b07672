package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tendhq/tend/internal/session"
)

const freshID = "11111111-2222-4333-8444-555555555555"

func plan(t *testing.T, a *Agent, native string, argv ...string) session.LaunchPlan {
	t.Helper()
	p, err := a.Launch(session.Spec{Argv: argv}, session.LaunchOrder{NativeID: native, FreshID: freshID, Hook: []string{"/opt/te nd/tend-hold", "hook"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// without leaves out what every launch has.
func without(p session.LaunchPlan) string {
	var out []string
	for i := 0; i < len(p.Argv); i++ {
		if p.Argv[i] == "--settings" && strings.HasPrefix(p.Argv[i+1], session.RunFolder) || p.Argv[i] == "-c" && strings.HasPrefix(p.Argv[i+1], "hooks.") {
			i++
			continue
		}
		out = append(out, p.Argv[i])
	}
	return strings.Join(out, " ")
}

func TestLaunch(t *testing.T) {
	id := "--session-id " + freshID
	for _, c := range []struct {
		a             *Agent
		native        string
		argv          string
		want, named   string
		withoutOurOwn bool
	}{
		{claude, "", "claude", "claude " + id, freshID, false},
		{claude, "", "/usr/bin/claude --model opus fix", "/usr/bin/claude " + id + " --model opus fix", freshID, false},
		{claude, "", "claude --continue", "claude --continue", "", false},
		{claude, "", "claude -r abc", "claude -r abc", "", false},
		{claude, "", "claude --session-id=x", "claude --session-id=x", "", false},
		{claude, "", "claude mcp list", "claude mcp list", "", true},
		{claude, "", "claude --settings own.json", "claude " + id + " --settings own.json", freshID, true},
		{claude, "abc", "claude --model opus fix", "claude --resume abc --model opus", "", false},
		{claude, "abc", "claude --continue --verbose fix", "claude --resume abc --verbose", "", false},
		{claude, "abc", "claude --session-id x --add-dir a b -- -fix", "claude --resume abc --add-dir a b --", "", false},
		{claude, "abc", "claude --new-flag value fix", "claude --resume abc --new-flag value", "", false},
		{codex, "", "codex", "codex", "", false},
		{codex, "", "codex -m x fix", "codex -m x fix", "", false},
		{codex, "", "codex exec fix", "codex exec fix", "", true},
		{codex, "abc", "codex -m x fix", "codex resume abc -m x", "", false},
		{codex, "abc", "codex resume --last -m x", "codex resume abc -m x", "", false},
		{codex, "abc", "codex -m x -- -fix", "codex resume abc -m x --", "", false},
	} {
		p := plan(t, c.a, c.native, strings.Fields(c.argv)...)
		if got := without(p); got != c.want || p.NativeID != c.named {
			t.Errorf("%s, resuming %q:\n got %s (named %q)\nwant %s (named %q)", c.argv, c.native, got, p.NativeID, c.want, c.named)
		}
		if ours := slices.Contains(p.Env, "TEND_RUN="+session.RunFolder); ours == c.withoutOurOwn {
			t.Errorf("%s: our hooks are there: %v", c.argv, ours)
		}
	}
}

// The conversation's name comes from the agent: it must not become a flag, a path
// or a command.
func TestHostileConversations(t *testing.T) {
	for _, id := range []string{"--help", "-", "../../x", "a b", "a\nb", "a\x00b", "é", "$(id)", strings.Repeat("x", 10_000)} {
		for _, a := range All() {
			if _, err := a.Launch(session.Spec{Argv: []string{"x"}}, session.LaunchOrder{NativeID: id}); err == nil {
				t.Errorf("%s resumes %q", a.Name, cut(id, 20))
			}
		}
		st := newStoryOf(t, claude, session.Interactive)
		payload, err := json.Marshal(map[string]string{"hook_event_name": "SessionStart", "session_id": id, "source": "startup"})
		if err != nil {
			t.Fatal(err)
		}
		st.feed(session.HookFired{Offset: 10, Payload: payload})
		if st.s.NativeID() != "" || st.s.State != session.Starting {
			t.Errorf("%q became the conversation %q, %s", cut(id, 20), st.s.NativeID(), st.s.State)
		}
	}
}

func TestClaudeSettings(t *testing.T) {
	p := plan(t, claude, "", "claude")
	if len(p.Files) != 1 {
		t.Fatal("no settings file")
	}
	var s struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Type, Command string
				Timeout       int
			}
		}
	}
	if err := json.Unmarshal([]byte(p.Files[0].Data), &s); err != nil {
		t.Fatal(err)
	}
	for _, name := range claudeHooks {
		if h := s.Hooks[name]; len(h) != 1 || h[0].Hooks[0].Command != `'/opt/te nd/tend-hold' 'hook'` || h[0].Hooks[0].Timeout == 0 {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

// The hash by which Codex trusts a hook, as it was written by Codex 0.171.0 itself
// for this hook after "Trust all" (December 2026).
func TestCodexTrust(t *testing.T) {
	sum := codexTrust("stop", codexHandler{Command: "/tmp/play/hook.sh", Timeout: 600, Type: "command"})
	if want := "sha256:7bf0c27dad63f9b349bc6b5dc70fde51929160a369c244297fe61f0f9f4c80a1"; sum != want {
		t.Errorf("got %s", sum)
	}
}

func TestKinds(t *testing.T) {
	for argv, want := range map[string]session.Kind{
		"claude": "", "claude -p hello": session.Job, "claude --print": session.Job, "claude -- -p": "", "claude --model -p": "",
		"codex": "", "codex exec x": session.Job, "codex -m exec": "", "codex e x": session.Job,
	} {
		words := strings.Fields(argv)
		if got := ByCommand(words).Kind(words); got != want {
			t.Errorf("%s: %q", argv, got)
		}
	}
	if ByCommand([]string{"/a/claude"}) != claude || ByCommand([]string{"claudette"}) != generic || ByCommand(nil) != generic {
		t.Error("agents are found by the wrong names")
	}
}

func TestPosture(t *testing.T) {
	bypass := `{"permissions":{"defaultMode":"bypassPermissions"}}`
	for _, c := range []struct {
		a        *Agent
		argv     string
		settings []string
		want     string
	}{
		{claude, "claude", nil, ""},
		{claude, "claude --permission-mode plan", []string{bypass}, ""},
		{claude, "claude --dangerously-skip-permissions", nil, "--dangerously-skip-permissions"},
		{claude, "claude --permission-mode=bypassPermissions", nil, "--permission-mode bypassPermissions"},
		{claude, "claude --permission-mode dontAsk x", nil, "--permission-mode dontAsk"},
		{claude, "claude -- --dangerously-skip-permissions", nil, ""},
		{claude, "claude --append-system-prompt --dangerously-skip-permissions", nil, ""},
		{claude, "claude", []string{bypass}, "settings with defaultMode bypassPermissions"},
		{claude, "claude", []string{bypass, `{"permissions":{"defaultMode":"default"}}`}, ""},
		{claude, "claude", []string{"no JSON"}, ""},
		{claude, "claude --settings " + bypass, nil, "--settings with defaultMode bypassPermissions"},
		{codex, "codex", nil, ""},
		{codex, "codex --yolo", nil, "--yolo"},
		{codex, "codex --dangerously-bypass-approvals-and-sandbox", nil, "--dangerously-bypass-approvals-and-sandbox"},
		{codex, "codex -a never", nil, "-a never"},
		{codex, "codex --sandbox=danger-full-access", nil, "--sandbox danger-full-access"},
		{codex, `codex -c approval_policy="never"`, nil, `-c approval_policy="never"`},
		{codex, "codex", []string{"model = \"x\"\napproval_policy = \"never\"\n"}, "settings with approval_policy never"},
		{codex, "codex -a on-request", []string{"approval_policy = \"never\"\n"}, ""},
		{codex, "codex", []string{"# approval_policy = \"never\"\n"}, ""},
		{generic, "rm -rf", nil, ""},
	} {
		got := strings.Join(c.a.Posture(strings.Fields(c.argv), c.settings), ", ")
		if got != c.want {
			t.Errorf("%s with %q: %q, want %q", c.argv, c.settings, got, c.want)
		}
	}
}

func TestSettingsFiles(t *testing.T) {
	got := strings.Join(claude.SettingsFiles("/h", "/p"), " ")
	if got != "/h/.claude/settings.json /p/.claude/settings.json /p/.claude/settings.local.json" {
		t.Error(got)
	}
}
