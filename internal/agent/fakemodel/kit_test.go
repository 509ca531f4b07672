package fakemodel

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// at finds a value in decoded JSON: keys and indexes, one a step.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, p := range path {
		ok := false
		switch p := p.(type) {
		case string:
			var o map[string]any
			if o, ok = v.(map[string]any); ok {
				v, ok = o[p]
			}
		case int:
			var l []any
			if l, ok = v.([]any); ok && p < len(l) {
				v = l[p]
			}
		}
		if !ok {
			t.Fatalf("no %v of %v in %v", p, path, v)
		}
	}
	return v
}

func text(t *testing.T, v any, path ...any) string {
	t.Helper()
	s, ok := at(t, v, path...).(string)
	if !ok {
		t.Fatalf("%v is not text", path)
	}
	return s
}

func decode(t *testing.T, raw string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return o
}

// event is one server-sent event.
type event struct {
	name string
	data string
}

// events reads a stream as a strict client does: a name, a datum, an empty
// line.
func events(t *testing.T, stream string) []event {
	t.Helper()
	var all []event
	var e event
	lines := bufio.NewScanner(strings.NewReader(stream))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			e.name = name
		} else if data, ok := strings.CutPrefix(line, "data: "); ok {
			e.data = data
		} else if line == "" {
			all, e = append(all, e), event{}
		} else {
			t.Fatalf("a line that is no event: %q", line)
		}
	}
	if e != (event{}) {
		t.Fatalf("the stream ends in %v", e)
	}
	return all
}

// post sends a body without a network and returns the answer.
func post(t *testing.T, h http.Handler, path, body string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	return w.Result()
}

func whole(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// prompt is how to send one prompt to an API.
type prompt struct {
	api, path string
	handler   func(*Log) http.Handler
	body      func(prompt string, stream, tools bool) string
}

// url is where it goes. Gemini alone says there that it wants a stream.
func (p prompt) url(stream bool) string {
	if p.api == "gemini" && stream {
		return strings.Replace(p.path, ":g", ":streamG", 1) + "?alt=sse"
	}
	return p.path
}

var prompts = []prompt{
	{"anthropic", "/v1/messages", Anthropic, func(p string, stream, tools bool) string {
		return body(object{"model": "m", "stream": stream, "messages": []any{
			object{"role": "user", "content": []any{object{"type": "text", "text": p}}},
			object{"role": "system", "content": "SAY wrong"},
		}}, "tools", tools, object{"name": "Bash"}, object{"name": "Agent"})
	}},
	{"responses", "/v1/responses", OpenAI, func(p string, stream, tools bool) string {
		return body(object{"model": "m", "stream": stream, "input": []any{
			object{"type": "message", "role": "developer", "content": []any{object{"type": "input_text", "text": "SAY wrong"}}},
			object{"type": "message", "role": "user", "content": []any{object{"type": "input_text", "text": p}}},
		}}, "tools", tools, object{"type": "function", "name": "exec_command"}, object{"type": "web_search"})
	}},
	{"chat", "/v1/chat/completions", OpenAI, func(p string, stream, tools bool) string {
		return body(object{"model": "m", "stream": stream, "messages": []any{
			object{"role": "system", "content": "SAY wrong"}, object{"role": "user", "content": p},
		}}, "tools", tools, object{"type": "function", "function": object{"name": "bash"}})
	}},
	{"gemini", "/v1beta/models/m:generateContent", Gemini, func(p string, _, tools bool) string {
		return body(object{"contents": []any{
			object{"role": "user", "parts": []any{object{"text": p}}},
		}}, "tools", tools, object{"functionDeclarations": []any{object{"name": "run_shell_command"}}})
	}},
}

func body(o object, key string, on bool, tools ...any) string {
	if on {
		o[key] = tools
	}
	return jsonText(o)
}

// said is the text of an answer in one piece.
func said(t *testing.T, api, answer string) string {
	t.Helper()
	o := decode(t, answer)
	switch api {
	case "anthropic":
		return text(t, o, "content", 0, "text")
	case "responses":
		return text(t, o, "output", 0, "content", 0, "text")
	case "chat":
		return text(t, o, "choices", 0, "message", "content")
	}
	return text(t, o, "candidates", 0, "content", "parts", 0, "text")
}

// streamed is the text of a stream.
func streamed(t *testing.T, api, stream string) string {
	t.Helper()
	var all strings.Builder
	for _, e := range events(t, stream) {
		switch {
		case e.data == "[DONE]":
		case api == "chat":
			delta, _ := at(t, decode(t, e.data), "choices", 0, "delta").(map[string]any)
			if s, ok := delta["content"].(string); ok {
				all.WriteString(s)
			}
		case e.name == "content_block_delta":
			all.WriteString(text(t, decode(t, e.data), "delta", "text"))
		case e.name == "response.output_text.delta":
			all.WriteString(text(t, decode(t, e.data), "delta"))
		case api == "gemini":
			all.WriteString(text(t, decode(t, e.data), "candidates", 0, "content", "parts", 0, "text"))
		}
	}
	return all.String()
}
