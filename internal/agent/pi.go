package agent

import (
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// pi is the pi coding agent, as measured with 0.74.2 (December 2026). It asks for
// no permissions. What it does is told by an extension of ours that is loaded for
// one launch.
var pi = &Agent{
	Name:     "pi",
	Programs: []string{"pi"},
	Measured: "0.74.2",
	Install:  "npm install -g @earendil-works/pi-coding-agent",
	Caps:     session.Caps{NativeReady: true, NativeDone: true, NativeWaiting: true, Confirms: true, Resume: true},
	launch:   piLaunch,
	kind:     piKind,
	dialect:  func() dialect { return &piSays{} },
	traits:   traits{speaks: true, interrupt: "\x1b", missing: "No session found"},
}

// piFlags are its flags (pi --help).
var piFlags = flagTable(`--provider: --model: --api-key: --system-prompt: --append-system-prompt: --mode: -p --print -c --continue -r
	--resume --session: --fork: --session-dir: --no-session --models: -nt --no-tools -nbt --no-builtin-tools -t: --tools:
	--thinking: -e: --extension: -ne --no-extensions --skill: -ns --no-skills --prompt-template: -np --no-prompt-templates
	--theme: --no-themes -nc --no-context-files --export: --list-models? --verbose --offline -h --help -v --version`)

var piWords = strings.Fields("install remove uninstall update list config")

var piNames = strings.Fields("-c --continue -r --resume --session --fork")

// piExtension is the name of the per-launch extension.
const piExtension = "tend-pi.js"

//go:embed pi_extension.js
var piExtensionText string

func piKind(argv []string) session.Kind {
	for _, a := range piFlags.split(argv[1:]) {
		if a.name == "-p" || a.name == "--print" || a.name == "--mode" && a.text != "text" {
			return session.Job
		}
	}
	return ""
}

func piLaunch(spec session.Spec, o session.LaunchOrder) (session.LaunchPlan, error) {
	args := piFlags.split(spec.Argv[1:])
	if len(args) > 0 && slices.Contains(piWords, args[0].text) {
		return session.LaunchPlan{Argv: slices.Clone(spec.Argv)}, nil
	}
	plan := session.LaunchPlan{Argv: []string{spec.Argv[0]}}
	if len(o.Hook) > 0 {
		command, err := marshal(o.Hook)
		if err != nil {
			return plan, err
		}
		plan.Files = []session.LaunchFile{{Name: piExtension, Data: strings.Replace(piExtensionText, "[] /* the hook command */", command, 1)}}
		plan.Env = []string{"TEND_RUN=" + session.RunFolder}
		plan.Argv = append(plan.Argv, "-e", session.RunFolder+"/"+piExtension)
	}
	if o.NativeID != "" {
		plan.Argv = append(plan.Argv, "--session", o.NativeID)
		args = goingOn(args, piNames)
	}
	plan.Argv = join(plan.Argv, args)
	return plan, nil
}

// piSays is what one run of pi says of itself.
type piSays struct {
	silence
	failedAt time.Time // of a try that an error ended, until the next begins
	failure  string
}

// piRetry is how long after an error the next try of pi is awaited: it begins
// within some seconds, and each waits longer.
const piRetry = 15 * time.Second

type piPayload struct {
	Event   string `json:"event"`
	Session string `json:"sessionId"`
	Record  string `json:"sessionFile"`
	Reason  string `json:"reason"`
	Tool    string `json:"toolName"`
	Stop    string `json:"stopReason"`
	Error   string `json:"errorMessage"`
	Answer  string `json:"text"`
}

func (a *piSays) hook(w *Watch, payload []byte) {
	var p piPayload
	if !decode(payload, &p) || p.Event == "" || !w.owns(p.Session, p.Event, p.Event == "session_start") {
		return
	}
	w.hooks.record = p.Record
	why := "(extension, " + p.Event + ")"
	switch p.Event {
	case "session_start":
		w.started(p.Reason, true)
	case "agent_start":
		a.failedAt = time.Time{}
		w.say(session.FromHook, "it has taken a prompt "+why, session.TurnStarted{})
	case "tool_execution_start":
		w.usesTool(p.Tool, why, session.ToolActivity{Running: true})
	case "tool_execution_end":
		w.usesTool(p.Tool, why, session.ToolActivity{})
	case "agent_end":
		a.ended(w, p)
	}
}

func (a *piSays) ended(w *Watch, p piPayload) {
	switch p.Stop {
	case "stop":
		d := session.DoneSeen{Summary: cut(p.Answer, 200)}
		w.say(session.FromHook, "it said that the turn is complete (extension, agent_end): "+d.Summary, d)
	case "aborted":
		w.say(session.FromHook, "its turn was interrupted (extension, agent_end)", session.Interrupted{})
	case "error", "length":
		a.failedAt, a.failure = w.now, cut(p.Stop+": "+p.Error, 300)
		w.say(session.FromHook, "a try has failed: "+a.failure, session.Progress{})
	}
}

// next: pi tries again by itself; if it does not, the turn has failed.
func (a *piSays) next(w *Watch) (due time.Time, act func()) {
	if a.failedAt.IsZero() {
		return time.Time{}, nil
	}
	return a.failedAt.Add(piRetry), func() {
		a.failedAt = time.Time{}
		w.say(session.FromHook, "it said: "+a.failure+", and does not try again", session.Escalate{Cause: apiCause(a.failure, ""), Detail: a.failure})
	}
}
