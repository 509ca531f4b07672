package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// gemini is the Gemini CLI, as measured with 0.61.0 (December 2026): three states
// in its title, and hooks. An interrupted turn and one that an API error ended
// look finished to its hooks; its screen and an empty answer tell them apart.
var gemini = &Agent{
	Name:     "gemini",
	Programs: []string{"gemini"},
	Measured: "0.61.0",
	Install:  "npm install -g @google/gemini-cli",
	Caps:     session.Caps{NativeReady: true, NativeDone: true, NativeWaiting: true, Confirms: true, Resume: true},
	launch:   geminiLaunch,
	kind:     geminiKind,
	posture:  geminiPosture,
	dialect:  func() dialect { return &geminiSays{} },
	traits: traits{speaks: true, interrupt: "\x1b", missing: "Error resuming session", dialogs: []dialog{
		{"Do you trust this folder", "trust"},
		{"Do you trust the files in this folder", "trust"},
		{"How would you like to authenticate", "login"},
		{"Waiting for authentication", "login"},
		{"Waiting for auth", "login"},
	}},
}

// geminiSettings is the name of the per-launch settings file. It is given as the
// system's defaults, which every other file of settings overrides.
const geminiSettings = "gemini-settings.json"

var geminiHooks = strings.Fields("SessionStart BeforeAgent AfterAgent BeforeTool AfterTool Notification SessionEnd")

// geminiFlags are its flags (gemini --help).
var geminiFlags = flagTable(`-d --debug -m: --model: -p: --prompt: -i: --prompt-interactive: --skip-trust -w? --worktree? -s --sandbox -y
	--yolo --approval-mode: --policy: --admin-policy: --acp --experimental-acp --allowed-mcp-server-names* --allowed-tools* -e*
	--extensions* -l --list-extensions -r? --resume? --session-file: --session-id: --list-sessions --delete-session:
	--include-directories: --screen-reader -o: --output-format: --raw-output --accept-raw-output-risk -v --version -h --help`)

var geminiWords = strings.Fields("mcp extensions extension skills skill hooks hook gemma")

// geminiNames are the flags that name a conversation, geminiTurns those that begin
// a turn in it.
var (
	geminiNames = strings.Fields("-r --resume --session-file --session-id")
	geminiTurns = strings.Fields("-i --prompt-interactive")
)

func geminiKind(argv []string) session.Kind {
	if anyOf(geminiFlags.split(argv[1:]), "-p", "--prompt") {
		return session.Job
	}
	return ""
}

func geminiLaunch(spec session.Spec, o session.LaunchOrder) (session.LaunchPlan, error) {
	args := geminiFlags.split(spec.Argv[1:])
	if len(args) > 0 && slices.Contains(geminiWords, args[0].text) {
		return session.LaunchPlan{Argv: slices.Clone(spec.Argv)}, nil
	}
	plan := session.LaunchPlan{Argv: []string{spec.Argv[0]}}
	switch {
	case o.NativeID != "":
		plan.Argv = append(plan.Argv, "--resume", o.NativeID)
		args = goingOn(args, slices.Concat(geminiNames, geminiTurns))
	case !anyOf(args, geminiNames...) && o.FreshID != "":
		plan.NativeID = o.FreshID
		plan.Argv = append(plan.Argv, "--session-id", o.FreshID)
	}
	plan.Argv = join(plan.Argv, args)
	if len(o.Hook) == 0 {
		return plan, nil
	}
	settings, err := geminiHookSettings(o.Hook)
	plan.Files = []session.LaunchFile{{Name: geminiSettings, Data: settings}}
	plan.Env = []string{"TEND_RUN=" + session.RunFolder, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH=" + session.RunFolder + "/" + geminiSettings}
	return plan, err
}

func geminiHookSettings(hook []string) (string, error) {
	type entry struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	type group struct {
		Matcher string  `json:"matcher"`
		Hooks   []entry `json:"hooks"`
	}
	all := map[string][]group{}
	for _, name := range geminiHooks {
		all[name] = []group{{"*", []entry{{"tend", "command", shellWords(hook)}}}}
	}
	return marshal(map[string]any{"hooks": all})
}

func geminiPosture(argv, _ []string) (out []string) {
	for _, a := range geminiFlags.split(argv) {
		switch {
		case a.name == "-y" || a.name == "--yolo":
			out = append(out, a.name)
		case a.name == "--approval-mode" && a.text == "yolo":
			out = append(out, a.name+" "+a.text)
		}
	}
	return out
}

// geminiSays is what one run of the Gemini CLI says of itself.
type geminiSays struct {
	silence
	state   string    // of its title
	notices int       // notices of a cancelled request on its screen when the turn began
	restAt  time.Time // since when its title is at rest while a turn is open
}

// geminiMissed is how long after its title's rest the hook of a turn's end is
// awaited: its hooks take up to 0.3 s each.
const geminiMissed = 5 * time.Second

// geminiCancelled is its notice that a request was interrupted.
const geminiCancelled = "Request cancelled"

// geminiNothing is the answer of a turn that an error ended.
const geminiNothing = "[no response text]"

type geminiPayload struct {
	Event   string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Source  string `json:"source"`
	Tool    string `json:"tool_name"`
	Kind    string `json:"notification_type"`
	Message string `json:"message"`
	Details struct {
		Command string `json:"command"`
		Title   string `json:"title"`
	} `json:"details"`
	Answer string `json:"prompt_response"`
}

func (g *geminiSays) hook(w *Watch, payload []byte) {
	var p geminiPayload
	if !decode(payload, &p) || p.Event == "" || !w.owns(p.Session, p.Event, p.Event == "SessionStart") {
		return
	}
	why := "(hook " + p.Event + ")"
	switch p.Event {
	case "SessionStart":
		w.started(p.Source, false)
	case "BeforeAgent":
		g.notices, w.typed.interruptAt = w.shows(geminiCancelled), time.Time{}
		if !g.restAt.After(w.hooks.at) {
			g.restAt = time.Time{} // its title's rest was before this
		}
		w.say(session.FromHook, "it has taken a prompt "+why, session.TurnStarted{})
	case "BeforeTool":
		w.usesTool(p.Tool, why, session.ToolActivity{Running: true})
	case "AfterTool":
		w.usesTool(p.Tool, why, session.ToolActivity{})
	case "Notification":
		if p.Kind == "ToolPermission" {
			text := p.Message
			if p.Details.Command != "" {
				text = p.Details.Title + ": " + p.Details.Command
			}
			w.say(session.FromHook, "it asks for permission "+why, session.Asked{Kind: "permission", Text: cut(text, questionBytes)})
		}
	case "AfterAgent":
		g.ended(w, p)
	}
}

// ended tells how a turn ended: the hook is the same for all ends.
func (g *geminiSays) ended(w *Watch, p geminiPayload) {
	interrupted := w.shows(geminiCancelled) > g.notices || !w.typed.interruptAt.IsZero() && w.now.Sub(w.typed.interruptAt) < interruptEffect
	switch {
	case interrupted:
		w.typed.interruptAt = time.Time{}
		w.say(session.FromHook, "its turn was interrupted (hook AfterAgent, and its screen)", session.Interrupted{})
	case strings.TrimSpace(p.Answer) == geminiNothing:
		detail := "it ended the turn without an answer: attach and look"
		w.say(session.FromHook, detail+" (hook AfterAgent)", session.Escalate{Cause: session.TurnFailed, Detail: detail})
	default:
		d := session.DoneSeen{Summary: cut(p.Answer, 200)}
		w.say(session.FromHook, "it said that the turn is complete (hook AfterAgent): "+d.Summary, d)
	}
}

// title: "◇  Ready", "✦  Working…", "✋  Action Required", each with the folder.
func (g *geminiSays) title(w *Watch, title string) {
	state := ""
	for glyph, st := range map[string]string{"◇": "ready", "✦": "working", "✋": "asks"} {
		if strings.HasPrefix(title, glyph) {
			state = st
		}
	}
	if state == "" || state == g.state {
		return
	}
	g.state, g.restAt = state, time.Time{}
	switch {
	case state == "ready":
		g.restAt = w.now
	case state == "asks" && w.known.state != session.WaitingOnInput:
		w.say(session.FromTitle, "its title says that it needs an answer", session.Asked{Kind: "permission", Text: w.question()})
	case state == "working" && (w.known.state == session.WaitingOnInput || w.known.state == session.Idle || w.known.state == session.NeedsAttention):
		w.say(session.FromTitle, "its title says that it works", session.BusySeen{})
	}
}

func (g *geminiSays) next(w *Watch) (due time.Time, act func()) {
	st := w.known.state
	if g.restAt.IsZero() || st != session.Busy && st != session.WaitingOnInput {
		return time.Time{}, nil
	}
	return latest(g.restAt, w.known.since).Add(geminiMissed), func() {
		g.restAt = time.Time{}
		if st == session.WaitingOnInput {
			w.say(session.FromTitle, "its title says that it is ready and asks nothing any more", session.Interrupted{})
			return
		}
		w.say(session.FromTitle, "its title says that it is ready, and no hook has said how the turn ended", session.QuietSeen{MissedNative: true})
	}
}
