package agent

import (
	"slices"
	"strings"

	"github.com/tendhq/tend/internal/agent/transcript"
	"github.com/tendhq/tend/internal/session"
)

// claude is Claude Code, as measured with 2.1.197 (December 2026). Its hooks say
// when it is ready, has taken a prompt, asks and is done. They are silent when a
// person presses Esc: that is told by its title and its own record. How it is
// started is here, what it says is in claude_says.go.
var claude = &Agent{
	Name:       "claude",
	Programs:   []string{"claude"},
	Measured:   "2.1.197",
	Install:    "npm install -g @anthropic-ai/claude-code",
	Caps:       session.Caps{NativeReady: true, NativeDone: true, NativeWaiting: true, Confirms: true, Resume: true},
	launch:     claudeLaunch,
	kind:       claudeKind,
	posture:    claudePosture,
	settings:   []string{"~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json"},
	dialect:    func() dialect { return &claudeSays{} },
	transcript: transcript.Claude,
	traits: traits{speaks: true, interrupt: "\x1b", clear: "\x03", missing: "No conversation found with session ID", dialogs: []dialog{
		{"Do you trust the files in this folder", "trust"},
		{"Quick safety check", "trust"},
		{"Bypass Permissions mode", "trust"},
		{"Detected a custom API key", "login"},
		{"Select login method", "login"},
		{"Paste code here if prompted", "login"},
		{"Choose the text style", "question"},
	}},
}

// claudeSettings is the name of the per-launch settings file.
const claudeSettings = "claude-settings.json"

// claudeHooks are the hooks that carry evidence.
var claudeHooks = strings.Fields(`SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure
	PermissionRequest PermissionDenied Notification Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact`)

// claudeWords are its subcommands, which start no conversation.
var claudeWords = strings.Fields(`agents auth auto-mode doctor gateway install mcp plugin plugins project setup-token ultrareview update upgrade`)

// claudeFlags are its flags (claude --help).
var claudeFlags = flagTable(`--add-dir* --agent: --agents: --allow-dangerously-skip-permissions --allowedTools* --allowed-tools*
	--append-system-prompt: --append-system-prompt-file: --ax-screen-reader --bg --background --bare --betas* --brief --chrome
	-c --continue --dangerously-skip-permissions -d? --debug? --debug-file: --disable-slash-commands --disallowedTools*
	--disallowed-tools* --effort: --exclude-dynamic-system-prompt-sections --fallback-model: --file* --fork-session --from-pr?
	-h --help --ide --include-hook-events --include-partial-messages --input-format: --json-schema: --max-budget-usd:
	--max-turns: --mcp-config* --model: -n: --name: --no-chrome --no-session-persistence --output-format: --permission-mode:
	--permission-prompt-tool: --plugin-dir: --plugin-url: -p --print --prompt-suggestions? --remote-control?
	--remote-control-session-name-prefix: --replay-user-messages -r? --resume? --safe-mode --session-id: --setting-sources:
	--settings: --strict-mcp-config --system-prompt: --system-prompt-file: --tmux --tools* --verbose -v --version -w? --worktree?`)

// claudeNames are the flags that name a conversation.
var claudeNames = strings.Fields(`-c --continue -r --resume --session-id --from-pr --fork-session`)

func claudeKind(argv []string) session.Kind {
	if anyOf(claudeFlags.split(argv[1:]), "-p", "--print") {
		return session.Job
	}
	return ""
}

// claudeLaunch adds a settings file with our hooks, and names the conversation
// unless the caller does. To resume, what named a conversation before and the
// first prompt are left out.
func claudeLaunch(spec session.Spec, o session.LaunchOrder) (session.LaunchPlan, error) {
	args := claudeFlags.split(spec.Argv[1:])
	if len(args) > 0 && slices.Contains(claudeWords, args[0].text) {
		return session.LaunchPlan{Argv: slices.Clone(spec.Argv)}, nil
	}
	plan := session.LaunchPlan{Argv: []string{spec.Argv[0]}}
	if !anyOf(args, "--settings") && len(o.Hook) > 0 {
		settings, err := claudeHookSettings(o.Hook)
		if err != nil {
			return plan, err
		}
		plan.Env = []string{"TEND_RUN=" + session.RunFolder}
		plan.Files = []session.LaunchFile{{Name: claudeSettings, Data: settings}}
		plan.Argv = append(plan.Argv, "--settings", session.RunFolder+"/"+claudeSettings)
	}
	switch {
	case o.NativeID != "":
		plan.Argv = append(plan.Argv, "--resume", o.NativeID)
		args = goingOn(args, claudeNames)
	case !anyOf(args, claudeNames...) && o.FreshID != "":
		plan.NativeID = o.FreshID
		plan.Argv = append(plan.Argv, "--session-id", o.FreshID)
	}
	plan.Argv = join(plan.Argv, args)
	return plan, nil
}

// claudeHookSettings is a settings file that has every hook run our command. It
// is added to the user's own settings, which stay as they are.
func claudeHookSettings(hook []string) (string, error) {
	type entry struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"` // seconds
	}
	type group struct {
		Hooks []entry `json:"hooks"`
	}
	all := map[string][]group{}
	for _, name := range claudeHooks {
		all[name] = []group{{[]entry{{"command", shellWords(hook), 5}}}}
	}
	return marshal(map[string]any{"hooks": all})
}
