package fakemodel

import (
	"strings"
	"testing"
)

func TestGeminiTools(t *testing.T) {
	var log Log
	h := Gemini(&log)
	stream := whole(t, post(t, h, "/v1beta/models/m:streamGenerateContent?alt=sse&key=k", prompts[3].body("TOOL echo a", true, true)))
	if !strings.HasSuffix(stream, "\r\n\r\n") {
		t.Errorf("%q", stream)
	}
	all := events(t, stream)
	c := at(t, decode(t, all[0].data), "candidates", 0)
	call := at(t, c, "content", "parts", 0, "functionCall")
	if len(all) != 1 || text(t, call, "name") != "run_shell_command" || text(t, call, "args", "command") != "echo a" || text(t, c, "finishReason") != "STOP" {
		t.Fatalf("%v", all)
	}
	after := whole(t, post(t, h, "/v1beta/models/m:generateContent", jsonText(object{
		"tools": []any{object{"functionDeclarations": []any{object{"name": "run_shell_command"}}}},
		"contents": []any{
			object{"role": "user", "parts": []any{object{"text": "TOOL echo a"}}},
			object{"role": "model", "parts": []any{object{"functionCall": call}}},
			object{"role": "user", "parts": []any{object{"functionResponse": object{"response": object{"output": "a"}}}}},
		},
	})))
	if got := said(t, "gemini", after); got != "done" {
		t.Fatal(got)
	}
	if e := log.All()[0]; e.Model != "m" || strings.Contains(e.Path, "key") || !e.Stream {
		t.Errorf("%+v", e)
	}
}

// TestGeminiRouter: the question which model takes a prompt wants JSON.
func TestGeminiRouter(t *testing.T) {
	got := said(t, "gemini", whole(t, post(t, Gemini(new(Log)), "/v1beta/models/m:generateContent", jsonText(object{
		"generationConfig": object{"responseMimeType": "application/json"},
		"contents":         []any{object{"role": "user", "parts": []any{object{"text": "ERR401"}}}},
	}))))
	if text(t, decode(t, got), "model_choice") != "flash" {
		t.Fatal(got)
	}
}
