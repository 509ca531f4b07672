package transcript

import (
	"encoding/json"
	"strings"
)

// Claude reads a record of Claude Code: ~/.claude/projects/DIR/SESSION.jsonl,
// and those of its sub-agents. Seen: 2.1.197; see testdata.
//
// The turn is the promptId, which the user's lines carry and the others inherit.
// An end is said by the last answer, an interrupt or an error, and by a
// turn_duration behind it, which print mode does not write. A turn that a slash
// command began has no prompt: only its id is new.
func Claude() *Reader { return &Reader{decode: (*Reader).claude} }

type claudeLine struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	Timestamp  string          `json:"timestamp"`
	SessionID  string          `json:"sessionId"`
	PromptID   string          `json:"promptId"`
	AgentID    string          `json:"agentId"`
	Sidechain  bool            `json:"isSidechain"`
	Meta       bool            `json:"isMeta"`
	Summary    bool            `json:"isCompactSummary"`
	APIError   bool            `json:"isApiErrorMessage"`
	Error      json.RawMessage `json:"error"`
	Content    json.RawMessage `json:"content"`
	Attachment struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
	} `json:"attachment"`
	Message struct {
		StopReason string          `json:"stop_reason"`
		Content    json.RawMessage `json:"content"`
	} `json:"message"`
}

// What Claude Code writes as the user's text when a turn is interrupted: by Esc
// while it streams, and at a permission prompt.
const (
	claudeInterrupt     = "[Request interrupted by user]"
	claudeInterruptTool = "[Request interrupted by user for tool use]"
)

// claudeTags begin a user's line that the program wrote: slash commands, shell
// commands typed with !, notices.
var claudeTags = []string{
	"bash-input", "bash-stderr", "bash-stdout", "command-args", "command-message", "command-name",
	"local-command-caveat", "local-command-stderr", "local-command-stdout", "system-reminder", "task-notification",
}

func (r *Reader) claude(b []byte) sort {
	var l claudeLine
	if !object(b, &l) {
		return invalid
	}
	if l.SessionID != "" {
		r.id = short(l.SessionID)
	}
	e := Entry{At: when(l.Timestamp), Agent: l.AgentID, Turn: l.PromptID}
	if l.Sidechain && e.Agent == "" {
		e.Agent = "?"
	}
	if l.PromptID != "" && (e.Agent == "" || r.turn == "") {
		r.turn = short(l.PromptID)
	}
	switch l.Type {
	case "user":
		r.claudeUser(e, &l)
	case "assistant":
		r.claudeAssistant(e, &l)
	case "system":
		r.claudeSystem(e, &l)
	case "attachment":
		if l.Attachment.Type == "queued_command" {
			e.Kind = Prompt
			r.emit(e, plain(l.Attachment.Prompt))
		}
	case "ai-title", "custom-title", "file-history-snapshot", "last-prompt", "mode", "permission-mode", "progress",
		"queue-operation", "summary":
	default:
		return unknown
	}
	return known
}

func (r *Reader) claudeUser(e Entry, l *claudeLine) {
	for _, k := range blocks(l.Message.Content) {
		e := e
		text := k.Text
		switch {
		case k.Type == "tool_result":
			e.Kind, e.Call, e.Failed = Result, k.UseID, k.IsError
			text = plain(k.Content)
		case !isText(k.Type):
			e.Kind, text = Prompt, "["+k.Type+"]"
		case strings.TrimSpace(text) == claudeInterrupt:
			e.Kind, e.Edge, e.Code = Interrupt, Ends, "interrupted"
		case strings.TrimSpace(text) == claudeInterruptTool:
			e.Kind, e.Edge, e.Code = Interrupt, Ends, "refused"
		case l.Meta || l.Summary || wrapped(text, claudeTags):
			e.Kind = System
		default:
			e.Kind, e.Edge = Prompt, Begins
		}
		r.emit(e, text)
	}
}

func (r *Reader) claudeAssistant(e Entry, l *claudeLine) {
	first := len(r.out)
	for _, k := range blocks(l.Message.Content) {
		e := e
		text := k.Text
		switch {
		case l.APIError:
			e.Kind, e.Code = Error, claudeCode(l.Error)
		case isText(k.Type):
			e.Kind = Answer
		case k.Type == "tool_use" || k.Type == "server_tool_use":
			e.Kind, e.Tool, e.Call = Tool, k.Name, k.ID
			text = compact(k.Input)
		case strings.HasSuffix(k.Type, "_tool_result"):
			e.Kind, e.Call = Result, k.UseID
			text = plain(k.Content)
		default: // thinking
			continue
		}
		r.emit(e, text)
	}
	ends := l.APIError
	switch l.Message.StopReason {
	case "end_turn", "max_tokens", "refusal":
		ends = true
	}
	if ends && len(r.out) > first {
		r.out[len(r.out)-1].Edge = Ends
	}
}

func (r *Reader) claudeSystem(e Entry, l *claudeLine) {
	e.Kind = System
	text := str(l.Content)
	switch l.Subtype {
	case "turn_duration":
		e.Edge = Ends
	case "api_error": // it tries again
		e.Kind, e.Code = Error, claudeCode(l.Error)
	}
	if text == "" {
		text = l.Subtype
	}
	r.emit(e, text)
}

// claudeCode is the sort of an error: a word, or an object with a type.
func claudeCode(b json.RawMessage) string {
	var o struct {
		Type string `json:"type"`
	}
	if s := str(b); s != "" {
		return s
	}
	object(b, &o)
	return o.Type
}
