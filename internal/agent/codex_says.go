package agent

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// codexSays is what one run of Codex says of itself beside OSC 7501, which is
// heard from its start on; its first hook comes with the first prompt.
type codexSays struct {
	silence
	failedAt time.Time // of a turn whose error is looked for in its record
	looks    int
	turn     string // the newest that its hooks named
}

// codexLooks is when its record is looked at after an error: it may be written
// after the word in the byte stream.
var codexLooks = []time.Duration{0, 300 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second}

// codexPayload is what is read of a hook's payload.
type codexPayload struct {
	Event   string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Turn    string `json:"turn_id"`
	Record  string `json:"transcript_path"`
	Source  string `json:"source"`
	Tool    string `json:"tool_name"`
	Input   struct {
		Command     json.RawMessage `json:"command"` // a text, or words
		Description string          `json:"description"`
	} `json:"tool_input"`
	Answer string `json:"last_assistant_message"`
}

func (c *codexSays) hook(w *Watch, payload []byte) {
	var p codexPayload
	if !decode(payload, &p) || p.Event == "" || !w.owns(p.Session, p.Event, p.Event == "SessionStart" && w.hooks.heard) {
		return
	}
	w.hooks.record = p.Record
	why := "(hook " + p.Event + ")"
	switch p.Event {
	case "SessionStart":
		w.started(p.Source, false)
	case "UserPromptSubmit":
		c.turn = p.Turn
		w.say(session.FromHook, "it has taken a prompt "+why, session.TurnStarted{Native: p.Turn})
	case "PreToolUse":
		w.usesTool(p.Tool, why, session.ToolActivity{Running: true, Native: p.Turn})
	case "PostToolUse":
		w.usesTool(p.Tool, why, session.ToolActivity{Native: p.Turn})
	case "PermissionRequest":
		w.say(session.FromHook, "it asks for permission "+why, session.Asked{Kind: "permission", Text: codexAsks(p)})
	case "Stop":
		d := session.DoneSeen{Native: p.Turn, Summary: cut(p.Answer, 200)}
		if d.Summary != "" {
			why += ": " + d.Summary
		}
		w.say(session.FromHook, "it said that the turn is complete "+why, d)
	case "Interrupt":
		w.say(session.FromHook, "its turn was interrupted "+why, session.Interrupted{})
	}
}

func codexAsks(p codexPayload) string {
	var about string
	if json.Unmarshal(p.Input.Command, &about) != nil {
		about = string(p.Input.Command)
	}
	if p.Input.Description != "" {
		about += " (" + p.Input.Description + ")"
	}
	return cut(p.Tool+": "+about, questionBytes)
}

// failed: of an error its record says more than its byte stream.
func (c *codexSays) failed(w *Watch) { c.failedAt, c.looks = w.now, 0 }

func (c *codexSays) next(w *Watch) (due time.Time, act func()) {
	if c.failedAt.IsZero() || c.looks == len(codexLooks) || w.known.state != session.NeedsAttention {
		return time.Time{}, nil
	}
	return c.failedAt.Add(codexLooks[c.looks]), func() {
		c.looks++
		w.wantRecord()
	}
}

// record tells of what an API error was.
func (c *codexSays) record(w *Watch, tail []byte) {
	if w.known.state != session.NeedsAttention {
		return
	}
	lines := bytes.Split(tail, []byte{'\n'})
	for i := len(lines) - 1; i >= 0; i-- {
		var l struct {
			Type    string `json:"type"`
			Payload struct {
				Type  string `json:"type"`
				Turn  string `json:"turn_id"`
				Error *struct {
					Message string          `json:"message"`
					Info    json.RawMessage `json:"codex_error_info"`
				} `json:"error"`
			} `json:"payload"`
		}
		if json.Unmarshal(lines[i], &l) != nil || l.Type != "event_msg" || l.Payload.Type != "task_complete" {
			continue
		}
		if e := l.Payload.Error; e != nil && (c.turn == "" || l.Payload.Turn == c.turn) {
			c.failedAt = time.Time{}
			detail := cut(e.Message, 300)
			w.say(session.FromTranscript, "its own record says: "+detail, session.Escalate{Cause: apiCause(e.Message, string(e.Info)), Detail: detail})
		}
		return
	}
}

// apiCause is what an error of a model's API calls for.
func apiCause(message, info string) session.Cause {
	text := strings.ToLower(message + " " + info)
	switch {
	case strings.Contains(text, "unauthorized"), strings.Contains(text, "401"):
		return session.AuthFailedCause
	case strings.Contains(text, "usage_limit"), strings.Contains(text, "usagelimit"), strings.Contains(text, "429"), strings.Contains(text, "rate limit"):
		return session.RateLimited
	}
	return session.TurnFailed
}
