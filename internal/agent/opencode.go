package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tendhq/tend/internal/session"
)

// opencode is opencode, as measured with 1.18.33 (December 2026). It serves what
// it does as a stream of events on a port of loopback. Plugins would say the same,
// but make its start wait for a package install.
var opencode = &Agent{
	Name:     "opencode",
	Programs: []string{"opencode"},
	Measured: "1.18.33",
	Install:  "npm install -g opencode-ai",
	Caps:     session.Caps{NativeReady: true, NativeDone: true, NativeWaiting: true, Confirms: true, Resume: true},
	launch:   opencodeLaunch,
	kind:     opencodeKind,
	posture:  opencodePosture,
	stream:   opencodeStream,
	dialect:  func() dialect { return &opencodeSays{} },
	traits: traits{speaks: true, screenReady: true, interrupt: "\x1b\x00\x1b", answers: map[string]string{
		"yes": "\r", "always": "\x1b[C\r", "no": "\x1b[C\x1b[C\r",
	}, answering: "Permission required"},
}

var opencodeFlags = flagTable(`-h --help -v --version --print-logs --log-level: --pure --port: --hostname: --mdns --mdns-domain: --cors* -m:
	--model: -c --continue -s: --session: --fork --prompt: --agent: --auto --mini --no-replay --replay-limit:`)

// opencodeWords are its subcommands that open no conversation in a terminal.
var opencodeWords = strings.Fields(`completion acp mcp attach run debug providers auth agent upgrade uninstall serve web models stats export
	import github pr session plugin plug db`)

// opencodeNames are the flags that name a conversation or begin a turn in it.
var opencodeNames = strings.Fields("-c --continue -s --session --fork --prompt")

func opencodeWord(argv []string) string {
	args := opencodeFlags.split(argv)
	if len(args) > 0 && slices.Contains(opencodeWords, args[0].text) && args[0].name == "" {
		return args[0].text
	}
	return ""
}

func opencodeKind(argv []string) session.Kind {
	if opencodeWord(argv[1:]) == "run" {
		return session.Job
	}
	return ""
}

func opencodeLaunch(spec session.Spec, o session.LaunchOrder) (session.LaunchPlan, error) {
	if opencodeWord(spec.Argv[1:]) != "" {
		return session.LaunchPlan{Argv: slices.Clone(spec.Argv)}, nil
	}
	plan := session.LaunchPlan{Argv: []string{spec.Argv[0]}}
	args := opencodeFlags.split(spec.Argv[1:])
	if o.NativeID != "" {
		plan.Argv = append(plan.Argv, "--session", o.NativeID)
		args = slices.DeleteFunc(args, func(a arg) bool { return slices.Contains(opencodeNames, a.name) })
	}
	if spec.Port != 0 && !anyOf(args, "--port") {
		plan.Argv = append(plan.Argv, "--port", fmt.Sprint(spec.Port))
	}
	plan.Argv = join(plan.Argv, args)
	return plan, nil
}

func opencodePosture(argv, _ []string) []string {
	if anyOf(opencodeFlags.split(argv), "--auto") {
		return []string{"--auto"}
	}
	return nil
}

// opencodeStream is where it tells what it does.
func opencodeStream(s session.Session) session.Stream {
	if s.Spec.Port == 0 || opencodeWord(s.Spec.Argv[1:]) != "" {
		return session.Stream{}
	}
	base := fmt.Sprintf("http://127.0.0.1:%d", s.Spec.Port)
	return session.Stream{Events: base + "/event", First: []string{base + "/session/status", base + "/permission"}}
}

// opencodeSays is what one run of opencode says of itself.
type opencodeSays struct {
	silence
	prompt   string // the message of the open turn
	over     bool   // its end was told: more words of it are repetitions
	aborted  bool
	broken   bool
	denied   bool            // a person has said no, and it has said nothing since
	answer   string          // its message that was written last
	children map[string]bool // conversations of its own agents
}

type opencodePayload struct {
	Type  string `json:"type"`
	First string `json:"first"` // a page that was read at the beginning
	Body  json.RawMessage
	Props struct {
		Session string `json:"sessionID"`
		Info    struct {
			ID     string `json:"id"`
			Parent string `json:"parentID"`
			Role   string `json:"role"`
		} `json:"info"`
		Permission string   `json:"permission"`
		Patterns   []string `json:"patterns"`
		Reply      string   `json:"reply"`
		Error      struct {
			Name string `json:"name"`
			Data struct {
				Message string `json:"message"`
				Status  int    `json:"statusCode"`
			} `json:"data"`
		} `json:"error"`
	} `json:"properties"`
}

func (o *opencodeSays) hook(w *Watch, payload []byte) {
	var p opencodePayload
	if !decode(payload, &p) {
		return
	}
	switch {
	case p.First != "":
		o.first(w, p)
		return
	case p.Props.Session == "" || o.children[p.Props.Session]:
		return
	case p.Type == "session.created" && p.Props.Info.Parent != "":
		if o.children == nil {
			o.children = map[string]bool{}
		}
		o.children[p.Props.Session] = true
		return
	}
	switch p.Type {
	case "session.created", "message.updated", "permission.asked", "permission.replied", "session.error", "session.idle":
		if w.owns(p.Props.Session, p.Type, p.Type == "session.created") {
			o.own(w, p)
		}
	}
}

// own takes an event of its conversation.
func (o *opencodeSays) own(w *Watch, p opencodePayload) {
	why := "(event " + p.Type + ")"
	switch p.Type {
	case "message.updated":
		o.message(w, p, why)
	case "permission.asked":
		text := p.Props.Permission + ": " + strings.Join(p.Props.Patterns, " ")
		w.say(session.FromHook, "it asks for permission "+why, session.Asked{Kind: "permission", Text: cut(text, questionBytes)})
	case "permission.replied":
		o.denied = p.Props.Reply == "reject"
		w.say(session.FromHook, "its question was answered "+why, session.BusySeen{})
	case "session.error":
		o.fails(w, p)
	case "session.idle":
		o.idle(w, why)
	}
}

// message takes a message that was begun or has grown.
func (o *opencodeSays) message(w *Watch, p opencodePayload, why string) {
	i := p.Props.Info
	switch {
	case i.Role == "user" && i.ID != o.prompt:
		o.prompt, o.over, o.aborted, o.broken, o.denied = i.ID, false, false, false, false
		w.say(session.FromHook, "it has taken a prompt "+why, session.TurnStarted{Native: o.prompt})
	case i.Role == "assistant" && i.ID != o.answer:
		o.answer, o.denied = i.ID, false // it goes on after the no
	}
}

func (o *opencodeSays) fails(w *Watch, p opencodePayload) {
	e := p.Props.Error
	if e.Name == "MessageAbortedError" {
		o.aborted = true
		return
	}
	o.broken = true
	detail := cut(fmt.Sprintf("%s: %s", e.Name, e.Data.Message), 300)
	w.say(session.FromHook, "it said: "+detail+" (event session.error)",
		session.Escalate{Cause: apiCause(e.Data.Message, fmt.Sprint(e.Data.Status)), Detail: detail})
}

// idle ends a turn, and comes twice after an error.
func (o *opencodeSays) idle(w *Watch, why string) {
	if o.over {
		return
	}
	o.over = true
	switch {
	case o.aborted:
		w.say(session.FromHook, "its turn was interrupted "+why, session.Interrupted{})
	case o.broken:
	case o.denied:
		w.say(session.FromHook, "its tool was denied, and it stopped "+why, session.Interrupted{})
	default:
		w.say(session.FromHook, "it said that the turn is complete "+why, session.DoneSeen{Native: o.prompt})
	}
}

// first is how things stood when somebody began to listen: an end that nobody
// heard is no completion.
func (o *opencodeSays) first(w *Watch, p opencodePayload) {
	id := w.hooks.native
	var status map[string]struct{ Type string }
	var asked []struct {
		Session    string `json:"sessionID"`
		Permission string
		Patterns   []string
	}
	switch {
	case strings.HasSuffix(p.First, "/permission") && json.Unmarshal(p.Body, &asked) == nil:
		for _, q := range asked {
			if q.Session == id && w.known.state != session.WaitingOnInput {
				text := cut(q.Permission+": "+strings.Join(q.Patterns, " "), questionBytes)
				w.say(session.FromHook, "its server says that it asks", session.Asked{Kind: "permission", Text: text})
			}
		}
	case strings.HasSuffix(p.First, "/session/status") && json.Unmarshal(p.Body, &status) == nil:
		if id != "" && status[id].Type != "busy" && w.known.state == session.Busy {
			w.say(session.FromHook, "its server says that it is idle, and nobody heard how the turn ended", session.QuietSeen{MissedNative: true})
		}
	}
}
