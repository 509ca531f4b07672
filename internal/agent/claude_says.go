package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// claudeSays is what one run of Claude Code says of itself.
type claudeSays struct {
	silence
	working bool      // its title shows the spinner
	restAt  time.Time // since when the title rests while a turn is open; zero: it does not
	looks   int       // at the record, since then
}

// The times of Claude's silent ends. Its Stop hook comes within 0.3 s of the
// title's rest, so what has not come by claudeMissed was missed.
var claudeLooks = []time.Duration{300 * time.Millisecond, time.Second, 2 * time.Second}

const claudeMissed = 5 * time.Second

// claudeWorks is how long after a question its title may still show work: it
// rests as soon as the dialog is drawn. Longer, and the question is answered, as
// when an answer was given while no daemon ran.
const claudeWorks = 3 * time.Second

// claudePayload is what is read of a hook's payload.
type claudePayload struct {
	Event      string          `json:"hook_event_name"`
	Session    string          `json:"session_id"`
	Prompt     string          `json:"prompt_id"`
	Record     string          `json:"transcript_path"`
	Source     string          `json:"source"`
	Tool       string          `json:"tool_name"`
	Input      json.RawMessage `json:"tool_input"`
	Kind       string          `json:"notification_type"`
	Message    string          `json:"message"`
	Error      json.RawMessage `json:"error"`
	Answer     string          `json:"last_assistant_message"`
	Background json.RawMessage `json:"background_tasks"`
}

func (c *claudeSays) hook(w *Watch, payload []byte) {
	var p claudePayload
	if !decode(payload, &p) || p.Event == "" {
		return
	}
	// The conversation goes on under another name after /clear and /resume.
	renames := p.Event == "SessionStart" && (p.Source == "clear" || p.Source == "resume" || p.Source == "compact")
	if p.Event == "SessionEnd" || !w.owns(p.Session, p.Event, renames) {
		return // an end names nothing: it comes from a resume that failed, too
	}
	if p.Record != "" {
		w.hooks.record = p.Record
	}
	switch p.Event {
	case "SessionStart":
		c.started(w, p)
	case "UserPromptSubmit":
		if !c.restAt.After(w.hooks.at) {
			c.restAt = time.Time{} // its title's rest was before this
		}
		w.say(session.FromHook, "it has taken a prompt (hook UserPromptSubmit)", session.TurnStarted{Native: p.Prompt})
	case "PreToolUse":
		c.tool(w, p)
	case "PostToolUse", "PostToolUseFailure":
		w.usesTool(p.Tool, "(hook "+p.Event+")", session.ToolActivity{Native: p.Prompt})
	case "PermissionRequest":
		w.say(session.FromHook, "it asks for permission (hook PermissionRequest)", session.Asked{Kind: "permission", Text: claudeAsks(p)})
	case "Notification":
		c.notice(w, p)
	case "Stop":
		c.stopped(w, p)
	case "StopFailure":
		c.stopFailed(w, p)
	case "PermissionDenied", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact":
		w.say(session.FromHook, "it goes on (hook "+p.Event+")", session.Progress{})
	}
}

func (c *claudeSays) started(w *Watch, p claudePayload) {
	if p.Source == "compact" {
		w.say(session.FromHook, "it goes on, compacted (hook SessionStart)", session.Progress{})
		return
	}
	w.started(p.Source, false)
}

// claudeAsker reports the tools that are themselves a question to the person.
func claudeAsker(tool string) bool { return tool == "AskUserQuestion" || tool == "ExitPlanMode" }

func (c *claudeSays) tool(w *Watch, p claudePayload) {
	if claudeAsker(p.Tool) {
		w.say(session.FromHook, "it asks (hook PreToolUse, "+p.Tool+")", session.Asked{Kind: "question", Text: claudeAsks(p)})
		return
	}
	w.usesTool(p.Tool, "(hook PreToolUse)", session.ToolActivity{Running: true, Native: p.Prompt})
}

func (c *claudeSays) notice(w *Watch, p claudePayload) {
	switch p.Kind {
	case "idle_prompt":
		w.say(session.FromHook, "it notes that it has been idle (hook Notification)", session.Asked{Kind: "question", IdleNotice: true})
	case "permission_prompt":
		w.say(session.FromHook, "it still waits for permission (hook Notification)", session.Asked{Kind: "permission"})
	case "elicitation_dialog":
		w.say(session.FromHook, "it asks (hook Notification)", session.Asked{Kind: "question", Text: cut(p.Message, questionBytes)})
	}
}

func (c *claudeSays) stopped(w *Watch, p claudePayload) {
	var tasks []json.RawMessage
	_ = json.Unmarshal(p.Background, &tasks) // absent, or of a later version: none
	d := session.DoneSeen{Native: p.Prompt, Background: len(tasks), Summary: cut(p.Answer, 200)}
	why := "it said that the turn is complete (hook Stop)"
	if d.Background > 0 {
		why = fmt.Sprintf("it said done, and %d background tasks go on (hook Stop)", d.Background)
	} else if d.Summary != "" {
		why += ": " + d.Summary
	}
	w.say(session.FromHook, why, d)
}

// stopFailed: the API has ended the turn, and the program lives.
func (c *claudeSays) stopFailed(w *Watch, p claudePayload) {
	kind := strings.Trim(string(p.Error), `"`)
	cause := session.TurnFailed
	switch kind {
	case "authentication_failed", "oauth_org_not_allowed":
		cause = session.AuthFailedCause
	case "rate_limit", "billing_error":
		cause = session.RateLimited
	}
	detail := cut(p.Answer, 300)
	if detail == "" {
		detail = "the API answered with an error: " + cut(kind, 60)
	}
	w.say(session.FromHook, detail+" (hook StopFailure, "+cut(kind, 60)+")", session.Escalate{Cause: cause, Detail: detail})
}

// claudeAsks is what a permission or question is about, in one text.
func claudeAsks(p claudePayload) string {
	var in struct {
		Command   string `json:"command"`
		File      string `json:"file_path"`
		URL       string `json:"url"`
		Plan      string `json:"plan"`
		Questions []struct {
			Question string `json:"question"`
			Options  []struct {
				Label string `json:"label"`
			} `json:"options"`
		} `json:"questions"`
	}
	_ = json.Unmarshal(p.Input, &in) // what it cannot tell is left out
	if len(in.Questions) > 0 {
		text := in.Questions[0].Question
		for i, o := range in.Questions[0].Options {
			text += fmt.Sprintf("  %d. %s", i+1, o.Label)
		}
		return cut(text, questionBytes)
	}
	for _, about := range []string{in.Command, in.File, in.URL, in.Plan} {
		if about != "" {
			return cut(p.Tool+": "+about, questionBytes)
		}
	}
	return cut(p.Tool, questionBytes)
}

// title: "⠂ NAME" and "⠐ NAME" while it works, "✳ NAME" at rest and while it asks
// for permission. Only a change between them says anything: during its Stop hook
// the spinner still turns.
func (c *claudeSays) title(w *Watch, title string) {
	first := []rune(title + " ")[0]
	working := first >= 0x2801 && first <= 0x28ff
	if !working && first != '✳' || working == c.working {
		return
	}
	c.working = working
	if !working {
		c.restAt, c.looks = w.now, 0
		return
	}
	c.restAt = time.Time{}
	switch w.known.state {
	case session.WaitingOnInput, session.Ready, session.Done, session.Idle, session.NeedsAttention:
		w.say(session.FromTitle, "its title shows that it works", session.BusySeen{})
	case session.Starting, session.Resuming, session.Busy, session.Dead:
	}
}

// resting: a turn is open, and the title says that nothing is being done.
func (c *claudeSays) resting(w *Watch) bool {
	st := w.known.state
	return !c.restAt.IsZero() && (st == session.Busy || st == session.WaitingOnInput)
}

func (c *claudeSays) next(w *Watch) (due time.Time, act func()) {
	from := latest(c.restAt, w.known.since)
	switch {
	case c.working && w.known.state == session.WaitingOnInput && w.known.ask == "permission":
		return w.known.since.Add(claudeWorks), func() {
			w.say(session.FromTitle, "its title shows that it works, "+claudeWorks.String()+" after it asked", session.BusySeen{})
		}
	case !c.resting(w):
		return time.Time{}, nil
	case c.looks < len(claudeLooks):
		due = from.Add(claudeLooks[c.looks])
	case c.looks == len(claudeLooks) && w.known.state == session.Busy:
		due = from.Add(claudeMissed)
	}
	return due, func() { c.rests(w) }
}

// rests looks into why its title is at rest.
func (c *claudeSays) rests(w *Watch) {
	c.looks++
	switch {
	case w.holdsPasted():
		// An Esc before the first byte of an answer leaves no record at all.
		w.say(session.FromTitle, "its title is at rest, and the prompt stands in its input line again", session.Interrupted{})
		return
	case c.looks <= len(claudeLooks):
		w.wantRecord()
		return
	}
	w.say(session.FromTitle, "its title has been at rest for "+claudeMissed.String()+", and no hook has said how the turn ended",
		session.QuietSeen{MissedNative: true})
}

// shown: while it asks, a screen that changes may be the end of the question.
func (c *claudeSays) shown(w *Watch) {
	if w.known.state == session.WaitingOnInput && !c.restAt.IsZero() && c.looks > 0 {
		c.restAt, c.looks = w.now, 0
	}
}

// record: an Esc leaves nothing but a line in Claude's own record. Only the last
// word of the conversation counts.
func (c *claudeSays) record(w *Watch, tail []byte) {
	if !c.resting(w) {
		return
	}
	lines := bytes.Split(tail, []byte{'\n'})
	for i := len(lines) - 1; i >= 0; i-- {
		var l struct {
			Type      string `json:"type"`
			Sidechain bool   `json:"isSidechain"`
			Message   struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		if json.Unmarshal(lines[i], &l) != nil || l.Sidechain || l.Type != "user" && l.Type != "assistant" {
			continue
		}
		if l.Type == "user" && bytes.Contains(l.Message.Content, []byte("[Request interrupted by user")) {
			w.say(session.FromTranscript, "its own record says that the turn was interrupted", session.Interrupted{})
		}
		return
	}
}
