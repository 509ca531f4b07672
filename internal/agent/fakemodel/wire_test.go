package fakemodel

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

func names(all []event) []string {
	var n []string
	for _, e := range all {
		n = append(n, e.name)
	}
	return n
}

func TestAnthropicStream(t *testing.T) {
	all := events(t, whole(t, post(t, Anthropic(new(Log)), "/v1/messages?beta=true", prompts[0].body("SAY hi", true, true))))
	want := []string{
		"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop",
	}
	if got := names(all); !slices.Equal(got, want) {
		t.Fatalf("%v", got)
	}
	for _, e := range all {
		if text(t, decode(t, e.data), "type") != e.name {
			t.Errorf("%s is called %s", e.data, e.name)
		}
	}
	start := decode(t, all[0].data)
	if text(t, start, "message", "role") != "assistant" || text(t, start, "message", "model") != "m" || at(t, start, "message", "usage", "input_tokens") == nil {
		t.Errorf("%v", start)
	}
	if end := decode(t, all[4].data); text(t, end, "delta", "stop_reason") != "end_turn" || at(t, end, "usage", "output_tokens") == nil {
		t.Errorf("%v", end)
	}
}

func TestAnthropicTools(t *testing.T) {
	var log Log
	h := Anthropic(&log)
	all := events(t, whole(t, post(t, h, "/v1/messages", prompts[0].body("TOOL echo 'a b'", true, true))))
	block := decode(t, all[1].data)
	if text(t, block, "content_block", "type") != "tool_use" || text(t, block, "content_block", "name") != "Bash" {
		t.Fatalf("%v", block)
	}
	input := decode(t, text(t, decode(t, all[2].data), "delta", "partial_json"))
	if text(t, input, "command") != "echo 'a b'" || text(t, decode(t, all[4].data), "delta", "stop_reason") != "tool_use" {
		t.Fatalf("%v %v", input, all[4])
	}
	sub := decode(t, whole(t, post(t, h, "/v1/messages", prompts[0].body("SUBAGENT SAY hi", false, true))))
	if text(t, sub, "content", 0, "name") != "Agent" || text(t, sub, "content", 0, "input", "prompt") != "SAY hi" {
		t.Fatalf("%v", sub)
	}
	id := text(t, block, "content_block", "id")
	after := decode(t, whole(t, post(t, h, "/v1/messages", jsonText(object{
		"model": "m", "tools": []any{object{"name": "Bash"}}, "messages": []any{
			object{"role": "user", "content": "TOOL echo"},
			object{"role": "assistant", "content": []any{object{"type": "tool_use", "id": id}}},
			object{"role": "user", "content": []any{
				object{"type": "tool_result", "tool_use_id": id, "content": []any{object{"type": "text", "text": "a b"}}},
				object{"type": "text", "text": "<system-reminder>SAY no</system-reminder>"},
			}},
		},
	}))))
	if text(t, after, "content", 0, "text") != "done" {
		t.Fatalf("%v", after)
	}
	e, err := log.Find(t.Context(), 0, func(e Entry) bool { return e.HasResult })
	if err != nil || e.Result != "a b" || !slices.Equal(e.Tools, []string{"Bash"}) {
		t.Fatalf("%+v, %v", e, err)
	}
}

func TestAnthropicErrors(t *testing.T) {
	for status, want := range map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error",
		500: "api_error", 529: "overloaded_error",
	} {
		if got := text(t, roundTrip(t, messages{}.refusal(status)), "error", "type"); got != want {
			t.Errorf("%d: %s", status, got)
		}
	}
}

func TestProbes(t *testing.T) {
	var log Log
	ask := func(h http.Handler, method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
		return w
	}
	if w := ask(Anthropic(&log), http.MethodHead, "/"); w.Code != 200 {
		t.Errorf("HEAD /: %d", w.Code)
	}
	w := ask(OpenAI(&log), http.MethodGet, "/v1/models?client_version=1")
	if o := decode(t, w.Body.String()); text(t, o, "data", 0, "id") != "fake-model" || at(t, o, "models") == nil {
		t.Errorf("%v", o)
	}
	w = ask(Gemini(&log), http.MethodPost, "/v1beta/models/m:countTokens")
	if o := decode(t, w.Body.String()); at(t, o, "totalTokens") == nil {
		t.Errorf("%v", o)
	}
	for _, e := range log.All() {
		if e.Kind != Probed {
			t.Errorf("%+v", e)
		}
	}
}

func TestResponsesStream(t *testing.T) {
	all := events(t, whole(t, post(t, OpenAI(new(Log)), "/v1/responses", prompts[1].body("SAY hi", true, true))))
	want := []string{
		"response.created", "response.output_item.added", "response.content_part.added", "response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
	}
	if got := names(all); !slices.Equal(got, want) {
		t.Fatalf("%v", got)
	}
	for i, e := range all {
		o := decode(t, e.data)
		if text(t, o, "type") != e.name || at(t, o, "sequence_number") != float64(i) {
			t.Errorf("%d: %v", i, o)
		}
	}
	last := decode(t, all[len(all)-1].data)
	if text(t, last, "response", "output", 0, "content", 0, "text") != "hi" || at(t, last, "response", "usage", "total_tokens") == nil {
		t.Errorf("%v", last)
	}
}

func TestResponsesTools(t *testing.T) {
	h := OpenAI(new(Log))
	all := events(t, whole(t, post(t, h, "/v1/responses", prompts[1].body("TOOL echo a", true, true))))
	want := []string{
		"response.created", "response.output_item.added", "response.function_call_arguments.delta",
		"response.function_call_arguments.done", "response.output_item.done", "response.completed",
	}
	if got := names(all); !slices.Equal(got, want) {
		t.Fatalf("%v", got)
	}
	added, done := decode(t, all[1].data), decode(t, all[4].data)
	args := decode(t, text(t, done, "item", "arguments"))
	if text(t, added, "item", "arguments") != "" || text(t, done, "item", "name") != "exec_command" ||
		text(t, args, "cmd") != "echo a" || text(t, args, "sandbox_permissions") != "require_escalated" {
		t.Fatalf("%v %v", added, done)
	}
	after := whole(t, post(t, h, "/v1/responses", jsonText(object{
		"model": "m", "tools": []any{object{"name": "exec_command"}}, "input": []any{
			object{"type": "message", "role": "user", "content": "TOOL echo a"},
			at(t, done, "item"),
			object{"type": "function_call_output", "call_id": text(t, done, "item", "call_id"), "output": "a"},
		},
	})))
	if got := said(t, "responses", after); got != "done" {
		t.Fatal(got)
	}
}

func TestChatTools(t *testing.T) {
	h := OpenAI(new(Log))
	all := events(t, whole(t, post(t, h, "/v1/chat/completions", prompts[2].body("TOOL echo a", true, true))))
	last := all[len(all)-1]
	if last.data != "[DONE]" || len(all) != 4 {
		t.Fatalf("%v", all)
	}
	c := at(t, decode(t, all[1].data), "choices", 0, "delta", "tool_calls", 0)
	if text(t, c, "function", "name") != "bash" || at(t, c, "index") != 0.0 ||
		text(t, decode(t, text(t, c, "function", "arguments")), "command") != "echo a" ||
		text(t, decode(t, all[2].data), "choices", 0, "finish_reason") != "tool_calls" {
		t.Fatalf("%v", all)
	}
	after := whole(t, post(t, h, "/v1/chat/completions", jsonText(object{
		"model": "m", "tools": []any{object{"function": object{"name": "bash"}}}, "messages": []any{
			object{"role": "user", "content": "TOOL echo a"},
			object{"role": "assistant", "content": nil, "tool_calls": []any{c}},
			object{"role": "tool", "tool_call_id": text(t, c, "id"), "content": "a"},
		},
	})))
	if got := said(t, "chat", after); got != "done" {
		t.Fatal(got)
	}
}

func roundTrip(t *testing.T, v any) map[string]any {
	t.Helper()
	o, ok := v.(object)
	if !ok {
		t.Fatalf("%T", v)
	}
	return decode(t, jsonText(o))
}
