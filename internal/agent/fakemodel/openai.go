package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// OpenAI serves the Responses API as Codex uses it, the Chat Completions API
// as opencode and pi use it, and GET /v1/models. DROP strikes every time.
func OpenAI(log *Log) http.Handler {
	resp := &model{name: "responses", dialect: responses{}, log: log, newline: "\n"}
	chat := &model{name: "chat", dialect: chat{}, log: log, newline: "\n"}
	mux := http.NewServeMux()
	mux.Handle("POST /v1/responses", resp)
	mux.Handle("POST /v1/chat/completions", chat)
	mux.Handle("GET /v1/models", probe(log, "models", object{
		"object": "list",
		"data":   []any{object{"id": "fake-model", "object": "model", "created": 1, "owned_by": "fake"}},
		"models": []any{}, // Codex reads this one
	}))
	mux.Handle("/", unknown(log, "openai", resp.dialect))
	return mux
}

// responses is the format of the Responses API.
type responses struct{}

func (responses) read(_ *http.Request, body []byte) (ask, error) {
	var q struct {
		Model  string          `json:"model"`
		Stream bool            `json:"stream"`
		Input  json.RawMessage `json:"input"`
		Tools  []struct {
			Name string `json:"name"`
			Type string `json:"type"` // of a tool that the API itself has
		} `json:"tools"`
		Text struct {
			Format struct {
				Type string `json:"type"`
			} `json:"format"`
		} `json:"text"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return ask{}, fmt.Errorf("read the request: %w", err)
	}
	a := ask{model: q.Model, stream: q.Stream, plain: "Fake title"}
	if q.Text.Format.Type == "json_schema" {
		a.plain = `{"title":"Fake title"}`
	}
	for _, t := range q.Tools {
		a.tools = append(a.tools, first(t.Name, t.Type))
	}
	var err error
	a.items, err = inputItems(q.Input)
	return a, err
}

// inputItems reads an input that is a text or a list of items.
func inputItems(raw json.RawMessage) ([]item, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []item{{person, text}}, nil
	}
	var input []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(raw, &input); err != nil {
		return nil, fmt.Errorf("read the input: %w", err)
	}
	var items []item
	for _, in := range input {
		switch {
		case in.Role == "assistant", in.Type == "function_call", in.Type == "custom_tool_call":
			items = append(items, item{from: assistant})
		case in.Type == "function_call_output", in.Type == "custom_tool_call_output":
			items = append(items, item{result, plainText(in.Output)})
		case in.Role == "user":
			all, err := parts(in.Content)
			if err != nil {
				return nil, err
			}
			for _, p := range all {
				items = append(items, item{person, p.Text})
			}
		default:
			items = append(items, item{from: other})
		}
	}
	return items, nil
}

// shell calls a command as Codex's tools are called. To leave the sandbox is
// what Codex asks a person for.
func (responses) shell(tools []string, command string) *call {
	args := object{"sandbox_permissions": "require_escalated", "justification": "Fake justification"}
	name := has(tools, "exec_command", "shell_command", "shell")
	switch name {
	case "exec_command":
		args["cmd"] = command
	case "shell_command":
		args["command"] = command
	case "shell":
		args["command"] = []string{"bash", "-lc", command}
	default:
		return chat{}.shell(tools, command)
	}
	return &call{name, args}
}

func (responses) agent(tools []string, prompt string) *call {
	if name := has(tools, "spawn_agent"); name != "" {
		return &call{name, object{"message": prompt}}
	}
	return chat{}.agent(tools, prompt)
}

// output is the one item of an answer.
func (responses) output(a answer) object {
	if a.call != nil {
		return object{
			"type": "function_call", "id": "fc_" + a.id, "call_id": "call_" + a.id,
			"name": a.call.name, "arguments": jsonText(a.call.args), "status": "completed",
		}
	}
	return object{
		"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": a.text(), "annotations": []any{}}},
	}
}

func (r responses) response(a answer, status string) object {
	o := object{
		"id": "resp_" + a.id, "object": "response", "created_at": 1, "model": a.model,
		"status": status, "output": []any{},
	}
	if status == "completed" {
		o["output"] = []any{r.output(a)}
		o["usage"] = object{
			"input_tokens": 10, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 5, "output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens": 15,
		}
	}
	return o
}

func (r responses) whole(a answer) any { return r.response(a, "completed") }

func (r responses) frames(a answer) []frame {
	var all []frame
	add := func(event string, fields object) {
		fields["type"], fields["sequence_number"] = event, len(all)
		all = append(all, frame{event: event, data: fields})
	}
	out := r.output(a)
	at := func(fields object) object {
		fields["item_id"], fields["output_index"] = out["id"], 0
		return fields
	}
	begun := with(out, "status", "in_progress")
	add("response.created", object{"response": r.response(a, "in_progress")})
	if a.call != nil {
		add("response.output_item.added", object{"output_index": 0, "item": with(begun, "arguments", "")})
		add("response.function_call_arguments.delta", at(object{"delta": out["arguments"]}))
		add("response.function_call_arguments.done", at(object{"arguments": out["arguments"]}))
	} else {
		add("response.output_item.added", object{"output_index": 0, "item": with(begun, "content", []any{})})
		text := func(t string) object { return object{"type": "output_text", "text": t, "annotations": []any{}} }
		add("response.content_part.added", at(object{"content_index": 0, "part": text("")}))
		for _, w := range a.words {
			add("response.output_text.delta", at(object{"content_index": 0, "delta": w}))
			all[len(all)-1].word = true
		}
		add("response.output_text.done", at(object{"content_index": 0, "text": a.text()}))
		add("response.content_part.done", at(object{"content_index": 0, "part": text(a.text())}))
	}
	add("response.output_item.done", object{"output_index": 0, "item": out})
	add("response.completed", object{"response": r.response(a, "completed")})
	return all
}

func (responses) refusal(status int) any {
	kind, code := "server_error", any(nil)
	switch status {
	case 400, 404:
		kind = "invalid_request_error"
	case 401:
		kind, code = "invalid_request_error", "invalid_api_key"
	case 429:
		kind, code = "rate_limit_error", "rate_limit_exceeded"
	}
	return object{"error": object{
		"message": fmt.Sprintf("fake error %d", status), "type": kind, "param": nil, "code": code,
	}}
}

// with is an object with one field changed.
func with(o object, key string, value any) object {
	changed := object{key: value}
	for k, v := range o {
		if k != key {
			changed[k] = v
		}
	}
	return changed
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
