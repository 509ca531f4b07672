package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Gemini serves :generateContent, :streamGenerateContent and :countTokens as
// Gemini CLI uses them. DROP strikes every time.
func Gemini(log *Log) http.Handler {
	m := &model{name: "gemini", dialect: contents{}, log: log, newline: "\r\n"}
	count := probe(log, m.name, object{"totalTokens": 42})
	lost := unknown(log, m.name, m.dialect)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, op, _ := strings.Cut(r.URL.Path, ":")
		switch {
		case r.Method == http.MethodPost && (op == "generateContent" || op == "streamGenerateContent"):
			m.ServeHTTP(w, r)
		case r.Method == http.MethodPost && op == "countTokens":
			count(w, r)
		default:
			lost(w, r)
		}
	})
}

// contents is the format of the Gemini API.
type contents struct{}

func (contents) read(r *http.Request, body []byte) (ask, error) {
	var q struct {
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Text     string          `json:"text"`
				Response json.RawMessage `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Config struct {
			MIME string `json:"responseMimeType"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return ask{}, fmt.Errorf("read the request: %w", err)
	}
	path := strings.Split(r.URL.Path, "/")
	name, op, _ := strings.Cut(path[len(path)-1], ":")
	a := ask{model: name, stream: op == "streamGenerateContent", plain: "Fake title"}
	if q.Config.MIME == "application/json" {
		a.plain = route
	}
	for _, t := range q.Tools {
		for _, f := range t.Functions {
			a.tools = append(a.tools, f.Name)
		}
	}
	for _, c := range q.Contents {
		for _, p := range c.Parts {
			switch {
			case c.Role == "model":
				a.items = append(a.items, item{from: assistant})
			case len(p.Response) > 0:
				a.items = append(a.items, item{result, string(p.Response)})
			default:
				a.items = append(a.items, item{person, p.Text})
			}
		}
	}
	return a, nil
}

// route answers the questions that Gemini CLI 0.61.0 asks without tools and
// wants JSON for: which model is to take a prompt, and who speaks next.
const route = `{"reasoning":"fake","next_speaker":"user","model_choice":"flash",` +
	`"complexity_score":1,"complexity_reasoning":"fake"}`

func (contents) shell(tools []string, command string) *call {
	name := has(tools, "run_shell_command")
	if name == "" {
		return nil
	}
	return &call{name, object{"command": command, "description": "Fake command"}}
}

// agent: no version seen offers one.
func (contents) agent([]string, string) *call { return nil }

// chunk is an answer or a piece of one.
func (contents) chunk(a answer, part object, last bool) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": []any{part}}}
	if last {
		candidate["finishReason"] = "STOP"
	}
	return object{
		"candidates": []any{candidate}, "modelVersion": a.model, "responseId": a.id,
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
}

func (c contents) whole(a answer) any { return c.chunk(a, c.part(a), true) }

func (contents) part(a answer) object {
	if a.call != nil {
		return object{"functionCall": object{"name": a.call.name, "args": a.call.args}}
	}
	return object{"text": a.text()}
}

func (c contents) frames(a answer) []frame {
	if a.call != nil {
		return []frame{{data: c.whole(a)}}
	}
	var all []frame
	for i, w := range a.words {
		all = append(all, frame{data: c.chunk(a, object{"text": w}, i == len(a.words)-1), word: true})
	}
	return all
}

func (contents) refusal(status int) any {
	name := "UNKNOWN"
	switch status {
	case 400:
		name = "INVALID_ARGUMENT"
	case 401:
		name = "UNAUTHENTICATED"
	case 404:
		name = "NOT_FOUND"
	case 429:
		name = "RESOURCE_EXHAUSTED"
	case 500:
		name = "INTERNAL"
	case 503:
		name = "UNAVAILABLE"
	}
	return object{"error": object{"code": status, "message": fmt.Sprintf("fake error %d", status), "status": name}}
}
