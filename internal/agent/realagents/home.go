package realagents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// Trust writes the agents' files in Home so that none of them asks anything at
// its start: not who you are, nor which theme, nor whether it may work in Work
// or one of dirs. What an agent has written there before is lost, and so are
// the hooks of CodexHooks.
//
// The keys are those of the pinned versions.
func (s *Sandbox) Trust(dirs ...string) {
	s.t.Helper()
	dirs = append([]string{s.Work}, dirs...)
	projects := object{}
	for _, d := range dirs {
		projects[d] = object{
			"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true,
			"projectOnboardingSeenCount": 4, "allowedTools": []any{},
		}
	}
	s.writeJSON(filepath.Join(s.Home, ".claude.json"), object{
		"hasCompletedOnboarding": true, "lastOnboardingVersion": Claude.Version, "theme": "dark",
		"autoUpdates": false, "numStartups": 5, "projects": projects,
		// A key counts as approved by its last 20 characters.
		"customApiKeyResponses": object{
			"approved": []any{anthropicKey[len(anthropicKey)-20:]}, "rejected": []any{},
		},
	})
	s.writeJSON(filepath.Join(s.Home, ".gemini", "settings.json"), object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
		"privacy":  object{"usageStatisticsEnabled": false}, "general": object{"enableAutoUpdate": false},
	})
	s.writeJSON(s.opencodeConfig(), s.opencode())
	s.writeJSON(filepath.Join(s.Home, ".pi", "agent", "models.json"), object{"providers": object{"fake": object{
		"baseUrl": s.OpenAI, "api": "openai-completions", "apiKey": openAIKey,
		"compat": object{"supportsDeveloperRole": false, "supportsReasoningEffort": false},
		"models": []any{object{"id": "fake-model"}},
	}}})
	s.writeJSON(filepath.Join(s.Home, ".pi", "agent", "settings.json"), object{
		"quietStartup": true, "defaultProvider": "fake", "defaultModel": "fake-model",
	})
	s.ok(os.MkdirAll(filepath.Join(s.Home, ".codex"), 0o700))
	s.ok(os.WriteFile(s.codexConfig(), []byte(s.codex(dirs)), 0o600))
}

func (s *Sandbox) opencodeConfig() string { return filepath.Join(s.Home, "opencode.json") }

// opencode is what opencode is told by OPENCODE_CONFIG.
func (s *Sandbox) opencode() object {
	return object{
		"autoupdate": false, "share": "disabled", "model": "fake/fake-model", "small_model": "fake/fake-model",
		"enabled_providers": []any{"fake"}, "permission": object{"bash": "ask", "edit": "ask"}, "lsp": false, "formatter": false,
		"provider": object{"fake": object{
			"npm": "@ai-sdk/openai-compatible", "options": object{"baseURL": s.OpenAI, "apiKey": openAIKey},
			"models": object{"fake-model": object{}},
		}},
	}
}

func (s *Sandbox) codexConfig() string { return filepath.Join(s.Home, ".codex", "config.toml") }

// codex is Codex's config.toml. In these texts a quoted string of Go is one of
// TOML.
func (s *Sandbox) codex(dirs []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `model = "fake-model"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
notify = [%q]

[analytics]
enabled = false

[feedback]
enabled = false

[model_providers.fake]
name = "fake"
base_url = %q
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 15000
`, s.Path("notify"), s.OpenAI)
	for _, d := range dirs {
		fmt.Fprintf(&b, "\n[projects.%q]\ntrust_level = \"trusted\"\n", d)
	}
	return b.String()
}

// CodexHooks adds hooks to Codex's config.toml. Start it with
// --dangerously-bypass-hook-trust, or it asks whether they are to be trusted.
func (s *Sandbox) CodexHooks(events ...string) {
	s.t.Helper()
	f, err := os.OpenFile(s.codexConfig(), os.O_APPEND|os.O_WRONLY, 0)
	s.ok(err)
	for _, e := range events {
		_, err := fmt.Fprintf(f, "\n[[hooks.%s]]\n[[hooks.%s.hooks]]\ntype = \"command\"\ncommand = %q\n", e, e, s.Path("hook"))
		s.ok(err)
	}
	s.ok(f.Close())
}

// ClaudeSettings writes a file for --settings with hooks for these events, and
// returns its path.
func (s *Sandbox) ClaudeSettings(events ...string) string {
	s.t.Helper()
	all := object{}
	for _, e := range events {
		all[e] = []any{object{"hooks": []any{object{"type": "command", "command": s.Path("hook")}}}}
	}
	path := s.Path("settings.json")
	s.writeJSON(path, object{"hooks": all})
	return path
}

func (s *Sandbox) writeJSON(path string, o object) {
	s.t.Helper()
	text, err := json.MarshalIndent(o, "", "  ")
	s.ok(err)
	s.ok(os.MkdirAll(filepath.Dir(path), 0o700))
	s.ok(os.WriteFile(path, text, 0o600))
}
