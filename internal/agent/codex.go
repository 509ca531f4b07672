package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tendhq/tend/internal/agent/transcript"
	"github.com/tendhq/tend/internal/session"
)

// codex is the Codex CLI, as measured with 0.171.0 (December 2026). It says in
// its byte stream what it does (OSC 7501), and more by its hooks; how an API
// error was is in its own record alone. How it is started is here, what it says
// is in codex_says.go.
var codex = &Agent{
	Name:       "codex",
	Programs:   []string{"codex"},
	Measured:   "0.171.0",
	Install:    "npm install -g @openai/codex",
	Caps:       session.Caps{NativeReady: true, NativeDone: true, NativeWaiting: true, Resume: true},
	launch:     codexLaunch,
	kind:       codexKind,
	posture:    codexPosture,
	settings:   []string{"~/.codex/config.toml"},
	dialect:    func() dialect { return &codexSays{} },
	transcript: transcript.Codex,
	traits: traits{speaks: true, interrupt: "\x1b", clear: "\x03", missing: "No saved session found with ID", dialogs: []dialog{
		{"Sign in with ChatGPT", "login"},
		{"Finish signing in via your browser", "login"},
		{"Do you trust the contents of this directory", "trust"},
		{"Hooks need review", "trust"},
		{"Update available!", "question"},
	}},
}

// codexHooks are the hooks that carry evidence, and what its configuration calls
// them where their trust is kept.
var codexHooks = [][2]string{
	{"SessionStart", "session_start"}, {"UserPromptSubmit", "user_prompt_submit"}, {"PreToolUse", "pre_tool_use"},
	{"PermissionRequest", "permission_request"}, {"PostToolUse", "post_tool_use"}, {"Stop", "stop"}, {"Interrupt", "interrupt"},
}

// codexFlags are its flags (codex --help).
var codexFlags = flagTable(`-c: --config: --enable: --disable: --remote: --remote-auth-token-env: --strict-config -i* --image* -m:
	--model: --oss --local-provider: -p: --profile: -s: --sandbox: --approve-for-me --dangerously-bypass-approvals-and-sandbox
	--dangerously-bypass-hook-trust -C: --cd: --worktree --add-dir: -a: --ask-for-approval: --search --no-alt-screen --no-daemon
	--full-auto --yolo -h --help -V --version --last --all`)

// codexWords are its subcommands that start no conversation in a terminal.
var codexWords = strings.Fields(`agents exec e review login logout mcp plugin app-server remote-control completion update doctor sandbox
	debug apply a queue archive delete migrate-rollouts migrate-nfs-db unarchive cloud exec-server features help`)

// codexWord is the subcommand of a command line, or its first prompt.
func codexWord(args []arg) string {
	if i := slices.IndexFunc(args, func(a arg) bool { return a.name == "" }); i >= 0 {
		return args[i].text
	}
	return ""
}

func codexKind(argv []string) session.Kind {
	switch codexWord(codexFlags.split(argv[1:])) {
	case "exec", "e", "review":
		return session.Job
	}
	return ""
}

// codexLaunch adds our hooks. To resume, a subcommand and the first prompt are
// left out.
func codexLaunch(spec session.Spec, o session.LaunchOrder) (session.LaunchPlan, error) {
	args := codexFlags.split(spec.Argv[1:])
	if slices.Contains(codexWords, codexWord(args)) {
		return session.LaunchPlan{Argv: slices.Clone(spec.Argv)}, nil
	}
	plan := session.LaunchPlan{Argv: []string{spec.Argv[0]}}
	if o.NativeID != "" {
		plan.Argv = append(plan.Argv, "resume", o.NativeID)
		args = goingOn(args, []string{"--last", "--all"})
	}
	plan.Argv = join(plan.Argv, args)
	if len(o.Hook) == 0 {
		return plan, nil
	}
	settings, err := codexHookSettings(o.Hook)
	if err != nil {
		return plan, err
	}
	at := len(plan.Argv)
	if i := slices.Index(plan.Argv, "--"); i >= 0 {
		at = i
	}
	plan.Argv = slices.Insert(plan.Argv, at, settings...)
	plan.Env = []string{"TEND_RUN=" + session.RunFolder}
	return plan, nil
}

// codexTimeout bounds a hook, in seconds. Codex allows no more to Interrupt.
const codexTimeout = 3

// codexHookSettings has every hook run our command, for this launch alone, beside
// the user's own. Codex runs a hook only if a hash of it is trusted; ours comes
// along, so that nobody is asked, and no other hook is trusted by it. The hash is
// that of the hook as JSON with sorted keys (measured, 0.171.0): another version
// that hashes otherwise asks, and its hooks are silent until somebody agrees.
func codexHookSettings(hook []string) ([]string, error) {
	h := codexHandler{Command: shellWords(hook), Timeout: codexTimeout, Type: "command"}
	command, err := marshal(h.Command)
	if err != nil {
		return nil, err
	}
	var out, trusted []string
	for _, names := range codexHooks {
		trusted = append(trusted, fmt.Sprintf(`"/<session-flags>/config.toml:%s:0:0"={trusted_hash="%s"}`, names[1], codexTrust(names[1], h)))
		out = append(out, "-c", fmt.Sprintf(`hooks.%s=[{hooks=[{type="command",command=%s,timeout=%d}]}]`, names[0], command, codexTimeout))
	}
	return append(out, "-c", "hooks.state={"+strings.Join(trusted, ",")+"}"), nil
}

// codexHandler is one hook as Codex hashes it: the order of the keys is the
// alphabet's.
type codexHandler struct {
	Async   bool   `json:"async"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
	Type    string `json:"type"`
}

// codexTrust is the hash by which Codex knows a hook of an event.
func codexTrust(event string, h codexHandler) string {
	b, err := marshal(struct {
		Event string         `json:"event_name"`
		Hooks []codexHandler `json:"hooks"`
	}{event, []codexHandler{h}})
	if err != nil {
		return "" // never for these types; no hook is trusted by it
	}
	sum := sha256.Sum256([]byte(b))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// marshal is JSON without the escapes that only HTML needs.
func marshal(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("write the settings of an agent: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
