package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// Anthropic serves the Messages API as Claude Code uses it: HEAD /, POST
// /v1/messages in one piece and as a stream, and a count of tokens that is
// always 42. DROP strikes once for each prompt: Claude Code asks again without
// a stream, and is answered.
func Anthropic(log *Log) http.Handler {
	m := &model{name: "anthropic", dialect: messages{}, log: log, newline: "\n", dropOnce: true}
	mux := http.NewServeMux()
	mux.Handle("POST /v1/messages", m)
	mux.Handle("POST /v1/messages/count_tokens", probe(log, m.name, object{"input_tokens": 42}))
	mux.Handle("HEAD /{$}", probe(log, m.name, object{}))
	mux.Handle("/", unknown(log, m.name, m.dialect))
	return mux
}

// messages is the format of the Messages API.
type messages struct{}

// part is one block of a message; of the Chat API too, whose parts are alike.
type part struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"` // of a tool_result: text or parts
}

// parts reads a content that is a text or a list of parts.
func parts(raw json.RawMessage) ([]part, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []part{{Type: "text", Text: text}}, nil
	}
	var all []part
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("read a content: %w", err)
	}
	return all, nil
}

// plainText joins the texts of a content.
func plainText(raw json.RawMessage) string {
	all, _ := parts(raw) // what is neither text nor parts has no text
	var texts []string
	for _, p := range all {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (messages) read(_ *http.Request, body []byte) (ask, error) {
	var q struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return ask{}, fmt.Errorf("read the request: %w", err)
	}
	a := ask{model: q.Model, stream: q.Stream, plain: `{"title":"Fake title"}`}
	for _, t := range q.Tools {
		a.tools = append(a.tools, t.Name)
	}
	for _, m := range q.Messages {
		all, err := parts(m.Content)
		if err != nil {
			return ask{}, err
		}
		for _, p := range all {
			it := item{text: p.Text}
			switch {
			case m.Role == "assistant":
				it.from = assistant
			case m.Role == "user" && p.Type == "tool_result":
				it = item{from: result, text: plainText(p.Content)}
			case m.Role == "user":
				it.from = person
			}
			a.items = append(a.items, it)
		}
	}
	return a, nil
}

func (messages) shell(tools []string, command string) *call {
	name := has(tools, "Bash")
	if name == "" {
		return nil
	}
	return &call{name, object{"command": command, "description": "Fake command"}}
}

func (messages) agent(tools []string, prompt string) *call {
	name := has(tools, "Agent", "Task") // Task in older versions
	if name == "" {
		return nil
	}
	return &call{name, object{"description": "Fake subagent", "prompt": prompt, "subagent_type": "general-purpose"}}
}

func (messages) head(a answer, content []any, stop any) object {
	return object{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": object{
			"input_tokens": 10, "output_tokens": 1,
			"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
		},
	}
}

func (m messages) whole(a answer) any {
	if a.call != nil {
		use := object{"type": "tool_use", "id": "toolu_" + a.id, "name": a.call.name, "input": a.call.args}
		return m.head(a, []any{use}, "tool_use")
	}
	return m.head(a, []any{object{"type": "text", "text": a.text()}}, "end_turn")
}

func (m messages) frames(a answer) []frame {
	var all []frame
	add := func(event string, fields object, word bool) {
		fields["type"] = event
		all = append(all, frame{event: event, data: fields, word: word})
	}
	delta := func(d object, word bool) {
		add("content_block_delta", object{"index": 0, "delta": d}, word)
	}
	add("message_start", object{"message": m.head(a, []any{}, nil)}, false)
	stop, block := "end_turn", object{"type": "text", "text": ""}
	if a.call != nil {
		stop = "tool_use"
		block = object{"type": "tool_use", "id": "toolu_" + a.id, "name": a.call.name, "input": object{}}
	}
	add("content_block_start", object{"index": 0, "content_block": block}, false)
	if a.call != nil {
		delta(object{"type": "input_json_delta", "partial_json": jsonText(a.call.args)}, false)
	}
	for _, w := range a.words {
		delta(object{"type": "text_delta", "text": w}, true)
	}
	add("content_block_stop", object{"index": 0}, false)
	add("message_delta", object{
		"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 5},
	}, false)
	add("message_stop", object{}, false)
	return all
}

func (messages) refusal(status int) any {
	kind := "api_error"
	switch status {
	case 400:
		kind = "invalid_request_error"
	case 401:
		kind = "authentication_error"
	case 403:
		kind = "permission_error"
	case 404:
		kind = "not_found_error"
	case 429:
		kind = "rate_limit_error"
	case 529:
		kind = "overloaded_error"
	}
	return object{"type": "error", "error": object{"type": kind, "message": fmt.Sprintf("fake error %d", status)}}
}

// jsonText is an object as text, as arguments of a call travel.
func jsonText(o object) string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // the objects of this package hold texts
	}
	return string(text)
}
