package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chat is the format of the Chat Completions API.
type chat struct{}

func (chat) read(_ *http.Request, body []byte) (ask, error) {
	var q struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return ask{}, fmt.Errorf("read the request: %w", err)
	}
	a := ask{model: q.Model, stream: q.Stream, plain: "Fake title"}
	for _, t := range q.Tools {
		a.tools = append(a.tools, t.Function.Name)
	}
	for _, m := range q.Messages {
		switch m.Role {
		case "assistant":
			a.items = append(a.items, item{from: assistant})
		case "tool":
			a.items = append(a.items, item{result, plainText(m.Content)})
		case "user":
			all, err := parts(m.Content)
			if err != nil {
				return ask{}, err
			}
			for _, p := range all {
				a.items = append(a.items, item{person, p.Text})
			}
		default:
			a.items = append(a.items, item{from: other})
		}
	}
	return a, nil
}

func (chat) shell(tools []string, command string) *call {
	name := has(tools, "bash", "shell")
	if name == "" {
		return nil
	}
	return &call{name, object{"command": command, "description": "Fake command"}}
}

func (chat) agent(tools []string, prompt string) *call {
	name := has(tools, "task") // opencode
	if name == "" {
		return nil
	}
	return &call{name, object{"description": "Fake subagent", "prompt": prompt, "subagent_type": "general"}}
}

// calls is the list of one call; in a stream each has its index.
func (chat) calls(a answer, streamed bool) []any {
	c := object{
		"id": "call_" + a.id, "type": "function",
		"function": object{"name": a.call.name, "arguments": jsonText(a.call.args)},
	}
	if streamed {
		c["index"] = 0
	}
	return []any{c}
}

func (chat) usage() object {
	return object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
}

// finish is why the model stopped.
func (chat) finish(a answer) string {
	if a.call != nil {
		return "tool_calls"
	}
	return "stop"
}

func (c chat) whole(a answer) any {
	message := object{"role": "assistant", "content": a.text()}
	if a.call != nil {
		message = object{"role": "assistant", "content": nil, "tool_calls": c.calls(a, false)}
	}
	return object{
		"id": "chatcmpl-" + a.id, "object": "chat.completion", "created": 1, "model": a.model,
		"choices": []any{object{"index": 0, "message": message, "finish_reason": c.finish(a)}},
		"usage":   c.usage(),
	}
}

func (c chat) frames(a answer) []frame {
	var all []frame
	add := func(delta object, finish, usage any, word bool) {
		o := object{
			"id": "chatcmpl-" + a.id, "object": "chat.completion.chunk", "created": 1, "model": a.model,
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}},
		}
		if usage != nil {
			o["usage"] = usage
		}
		all = append(all, frame{data: o, word: word})
	}
	add(object{"role": "assistant", "content": ""}, nil, nil, false)
	if a.call != nil {
		add(object{"tool_calls": c.calls(a, true)}, nil, nil, false)
	}
	for _, w := range a.words {
		add(object{"content": w}, nil, nil, true)
	}
	add(object{}, c.finish(a), c.usage(), false)
	return append(all, frame{data: json.RawMessage("[DONE]")})
}

func (chat) refusal(status int) any { return responses{}.refusal(status) }
