package transcript

import (
	"encoding/json"
	"slices"
	"strings"
)

// Codex reads a rollout of Codex: ~/.codex/sessions/Y/M/D/rollout-TIME-ID.jsonl.
// Seen: 0.171.0; see testdata.
//
// A rollout says most things twice, as items for the model and as events for the
// screen, and which events there are changes with the version. Texts are taken
// from the items; turns, interrupts and errors from the events, the only place
// that has them.
func Codex() *Reader { return &Reader{decode: (*Reader).codex} }

type codexLine struct {
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type codexPayload struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	TurnID    string          `json:"turn_id"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
	Message   string          `json:"message"`
	Reason    string          `json:"reason"`
	Error     *codexError     `json:"error"`
	ErrorInfo json.RawMessage `json:"codex_error_info"`
	Meta      struct {
		TurnID string   `json:"turn_id"`
		Kinds  []string `json:"content_item_kinds"`
	} `json:"internal_chat_message_metadata_passthrough"`
}

type codexError struct {
	Message string          `json:"message"`
	Info    json.RawMessage `json:"codex_error_info"`
}

// codexTags begin a user's message that the program wrote. Newer versions say
// who wrote a message; older ones only wrote these.
var codexTags = []string{
	"environment_context", "permissions", "skill", "turn_aborted", "user_instructions", "user_shell_command",
}

func (r *Reader) codex(b []byte) sort {
	var l codexLine
	var p codexPayload
	if !object(b, &l) {
		return invalid
	}
	object(l.Payload, &p)
	e := Entry{At: when(l.Timestamp), Turn: p.TurnID}
	if e.Turn == "" {
		e.Turn = p.Meta.TurnID
	}
	switch l.Type {
	case "session_meta":
		r.id = short(p.ID)
	case "turn_context":
		r.turn = short(e.Turn)
	case "event_msg":
		return r.codexEvent(e, &p)
	case "response_item":
		return r.codexItem(e, &p)
	case "compacted":
		e.Kind = System
		r.emit(e, "compacted")
	case "token_usage_record", "world_state":
	default:
		return unknown
	}
	return known
}

// codexEvent reads what only events say. The other events repeat items, and new
// ones come with each version: none of them is unknown.
func (r *Reader) codexEvent(e Entry, p *codexPayload) sort {
	switch p.Type {
	case "task_started", "turn_started":
		r.turn = short(e.Turn)
		e.Kind, e.Edge = System, Begins
		r.emit(e, p.Type)
	case "task_complete", "turn_complete":
		e.Kind, e.Edge = System, Ends
		text := p.Type
		if p.Error != nil {
			e.Kind, e.Code = Error, codexCode(p.Error.Info)
			text = p.Error.Message
		}
		r.emit(e, text)
	case "turn_aborted":
		e.Kind, e.Edge, e.Code = Interrupt, Ends, p.Reason
		r.emit(e, "")
	case "error", "stream_error": // of a try; the turn's own comes with its end
		e.Kind, e.Code = Error, codexCode(p.ErrorInfo)
		r.emit(e, p.Message)
	}
	return known
}

func (r *Reader) codexItem(e Entry, p *codexPayload) sort {
	switch p.Type {
	case "message":
		r.codexMessage(e, p)
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call":
		e.Kind, e.Tool, e.Call = Tool, p.Name, p.CallID
		if e.Tool == "" {
			e.Tool = strings.TrimSuffix(p.Type, "_call")
		}
		text := p.Arguments + p.Input
		if text == "" {
			text = compact(p.Action)
		}
		r.emit(e, text)
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		e.Kind, e.Call = Result, p.CallID
		r.emit(e, codexOutput(p.Output))
	case "reasoning", "compaction", "ghost_snapshot":
	default:
		return unknown
	}
	return known
}

func (r *Reader) codexMessage(e Entry, p *codexPayload) {
	switch p.Role {
	case "assistant":
		e.Kind = Answer
		r.emit(e, plain(p.Content))
	case "user":
		text := plain(p.Content)
		byUser := func(kind string) bool { return strings.HasPrefix(kind, "user.") }
		e.Kind = Prompt
		if len(p.Meta.Kinds) > 0 && !slices.ContainsFunc(p.Meta.Kinds, byUser) ||
			wrapped(text, codexTags) || strings.HasPrefix(text, "# AGENTS.md instructions") {
			e.Kind = System
		}
		r.emit(e, text)
	}
}

// codexOutput is a tool's output: a text, pieces of one, or an object with one.
func codexOutput(b json.RawMessage) string {
	var o struct {
		Content json.RawMessage `json:"content"`
	}
	if object(b, &o) {
		b = o.Content
	}
	return plain(b)
}

// codexCode is the sort of an error: a word, or an object named like one.
func codexCode(b json.RawMessage) string {
	var o map[string]json.RawMessage
	if s := str(b); s != "" || !object(b, &o) || len(o) != 1 {
		return s
	}
	for k := range o {
		return k
	}
	return ""
}
