package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

func jsonBody(s string) io.Reader { return strings.NewReader(s) }

// Each error that supervisor.Service promises reaches the client as a typed
// error with its code, wrapped or not.
func TestServiceErrors(t *testing.T) {
	f := newFake(full())
	d := start(t, Config{Service: f})
	for _, c := range []struct {
		err  error
		want api.Error
	}{
		{session.ErrNotFound, api.Error{Status: 404, Code: "notFound", Message: "no such session", Remedy: "tend ls --all lists them"}},
		{&supervisor.AmbiguousError{Prefix: "01", IDs: []session.ID{"01A", "01B"}}, api.Error{Status: 409, Code: "ambiguous", Message: "several sessions start with 01", Remedy: "give more of the id: 01A, 01B"}},
		{&session.InvalidTransitionError{From: session.Dead, Intent: "AgentDone", Why: "its process has ended"}, api.Error{Status: 409, Code: "refused", Message: "cannot done while dead: its process has ended", From: "dead", Intent: "done"}},
		{&session.InvalidTransitionError{From: session.Busy, Intent: "ResumeNow", Why: "it runs"}, api.Error{Status: 409, Code: "refused", Message: "cannot resume while busy: it runs", From: "busy", Intent: "resume"}},
		{&session.InvalidTransitionError{Intent: "Stop", Why: "gone"}, api.Error{Status: 409, Code: "refused", Message: "cannot stop: gone", Intent: "stop"}},
		{session.ErrNameTaken, api.Error{Status: 409, Code: "nameTaken", Message: "wrapped: name taken"}},
		{&session.LaunchError{Kind: "notFound", Detail: "no command x: check PATH"}, api.Error{Status: 422, Code: "launchFailed", Message: "no command x: check PATH"}},
		{&session.InputRefusedError{Why: "personTyping", Line: "a person is typing"}, api.Error{Status: 409, Code: "inputRefused", Message: "a person is typing"}},
		{&session.PasteError{Why: "one line only"}, api.Error{Status: 409, Code: "inputRefused", Message: "one line only"}},
		{session.ErrNoRun, api.Error{Status: 404, Code: "notFound", Message: "there is nothing on record for this run", Remedy: "tend show names the present run"}},
		{session.ErrStoreUnavailable, api.Error{Status: 503, Code: "storeUnavailable", Message: "wrapped: the store cannot write", Remedy: "tend doctor says more"}},
		{session.ErrUnreachable, api.Error{Status: 503, Code: "hostUnreachable", Message: "the session's holder does not answer", Remedy: "tend explain says what is known of it"}},
		{&supervisor.InputError{Field: "host", Message: "no such host"}, api.Error{Status: 422, Code: "usage", Message: "no such host"}},
		{errors.New("secret detail"), api.Error{Status: 500, Code: "internal", Message: "something went wrong in the daemon", Remedy: "its log has the cause"}},
	} {
		f.failWith(fmt.Errorf("wrapped: %w", c.err))
		_, err := d.client.Stop(t.Context(), "01FULL")
		var got *api.Error
		if !errors.As(err, &got) {
			t.Errorf("%v arrives as %v", c.err, err)
			continue
		}
		c.want.Type = "tend:error:" + string(c.want.Code)
		c.want.Title = got.Title
		if !reflect.DeepEqual(*got, c.want) || got.Title == "" {
			t.Errorf("\n got %+v\nwant %+v", *got, c.want)
		}
	}
}

// Each route passes the service's error on.
func TestEveryRouteFailsWithTheServicesError(t *testing.T) {
	f := newFake(full())
	d := start(t, Config{Service: f})
	f.failWith(session.ErrStoreUnavailable)
	for path, methods := range readSpec(t).Paths {
		for method := range methods {
			switch path {
			case "/api/v1/status", "/api/v1/doctor", "/api/v1/shutdown", "/api/v1/events":
				continue // they ask nothing of it before they answer
			}
			body := map[string]string{
				"/api/v1/sessions":             `{"argv":["x"],"cwd":"/"}`,
				"/api/v1/sessions/{id}/send":   `{"text":"x"}`,
				"/api/v1/sessions/{id}/answer": `{"key":"enter"}`,
				"/api/v1/sessions/{id}/rename": `{"name":"x"}`,
			}[path]
			a := d.raw(t, strings.ToUpper(method), strings.Replace(path, "{id}", "01FULL", 1), "application/json", jsonBody(body))
			if a.status != 503 || !strings.Contains(a.body, `"code":"storeUnavailable"`) || a.header.Get("Retry-After") == "" {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
		}
	}
}

func TestUnknownSessionOnEveryRoute(t *testing.T) {
	d := start(t, Config{Service: newFake()})
	for path, methods := range readSpec(t).Paths {
		for method := range methods {
			if !strings.Contains(path, "{id}") {
				continue
			}
			body := map[string]string{"send": `{"text":"x"}`, "answer": `{"key":"enter"}`, "rename": `{"name":"x"}`}[path[strings.LastIndex(path, "/")+1:]]
			a := d.raw(t, strings.ToUpper(method), strings.Replace(path, "{id}", "nobody", 1), "application/json", jsonBody(body))
			if a.status != 404 || !strings.Contains(a.body, `"code":"notFound"`) || !strings.Contains(a.body, `\"nobody\"`) {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
		}
	}
}

const (
	toSessions = "/api/v1/sessions"
	toSend     = "/api/v1/sessions/01FULL/send"
)

var badRequests = []struct {
	name, method, path, ct, body string
	status                       int
	code                         api.Code
	names                        string // what the message must contain
}{
	{"malformed", "POST", toSend, "application/json", `{"text":`, 400, "usage", "JSON"},
	{"empty", "POST", toSend, "application/json", ``, 400, "usage", "body is required"},
	{"not UTF-8", "POST", toSend, "application/json", "{\"text\":\"\xff\"}", 400, "usage", "UTF-8"},
	{"wrong type", "POST", toSend, "application/json", `{"text":3}`, 422, "usage", "text: "},
	{"unknown field", "POST", toSend, "application/json", `{"text":"x","colour":1}`, 422, "usage", "colour: "},
	{"other case", "POST", toSend, "application/json", `{"Text":"x"}`, 422, "usage", "text"},
	{"array", "POST", toSend, "application/json", `[]`, 422, "usage", "object"},
	{"second value", "POST", toSend, "application/json", `{"text":"x"}{"text":"y"}`, 400, "usage", "after top-level"},
	{"body for none", "POST", "/api/v1/sessions/01FULL/stop", "application/json", `{"force":true}`, 422, "usage", "force: "},
	{"other content", "POST", toSend, "text/plain", `{"text":"x"}`, 415, "usage", "content type"},
	{"form", "POST", toSend, "application/x-www-form-urlencoded", `text=x`, 415, "usage", "content type"},
	{"empty text", "POST", toSend, "application/json", `{"text":""}`, 422, "usage", "text: "},
	{"both", "POST", "/api/v1/sessions/01FULL/answer", "application/json", `{"text":"y","key":"esc"}`, 422, "usage", "either"},
	{"neither", "POST", "/api/v1/sessions/01FULL/answer", "application/json", `{}`, 422, "usage", "either"},
	{"unknown query", "GET", toSessions + "?colour=1", "", ``, 422, "usage", "colour: "},
	{"bad query", "GET", toSessions + "?archived=maybe", "", ``, 422, "usage", "archived: "},
	{"bad limit", "GET", "/api/v1/sessions/01FULL/explain?limit=0", "", ``, 422, "usage", "limit: "},
	{"bad since", "GET", "/api/v1/events?since=-7", "", ``, 422, "usage", "since: "},
	{"no such route", "GET", "/api/v1/nothing", "", ``, 404, "notFound", "no such route"},
	{"no such verb", "POST", "/api/v1/sessions/01FULL/explode", "", ``, 404, "notFound", "no such route"},
	{"wrong method", "DELETE", "/api/v1/sessions/01FULL", "", ``, 405, "usage", "DELETE"},
	{"wrong method for a verb", "GET", "/api/v1/sessions/01FULL/stop", "", ``, 405, "usage", "GET"},
	{"no command", "POST", toSessions, "application/json", `{"argv":[],"cwd":"/"}`, 422, "usage", "argv: "},
	{"empty command", "POST", toSessions, "application/json", `{"argv":[""],"cwd":"/"}`, 422, "usage", "empty"},
	{"NUL", "POST", toSessions, "application/json", `{"argv":["a\u0000"],"cwd":"/"}`, 422, "usage", "NUL"},
	{"no cwd", "POST", toSessions, "application/json", `{"argv":["a"]}`, 422, "usage", "cwd"},
	{"relative cwd", "POST", toSessions, "application/json", `{"argv":["a"],"cwd":"x"}`, 422, "usage", "absolute"},
	{"bad kind", "POST", toSessions, "application/json", `{"argv":["a"],"cwd":"/","kind":"pet"}`, 422, "usage", "kind: "},
	{"bad size", "POST", toSessions, "application/json", `{"argv":["a"],"cwd":"/","size":{"cols":0,"rows":1}}`, 422, "usage", "size.cols: "},
	{"bad env", "POST", toSessions, "application/json", `{"argv":["a"],"cwd":"/","env":{"A=B":"x"}}`, 422, "usage", "environment"},
}

// Bad requests change nothing, and the answer names what is wrong.
func TestBadRequests(t *testing.T) {
	f := newFake(full())
	d := start(t, Config{Service: f})
	for _, c := range badRequests {
		a := d.raw(t, c.method, c.path, c.ct, jsonBody(c.body))
		var e api.Error
		if err := json.Unmarshal([]byte(a.body), &e); err != nil {
			t.Errorf("%s: %v in %s", c.name, err, a.body)
		}
		if a.status != c.status || e.Status != c.status || e.Code != c.code || !strings.Contains(e.Message, c.names) {
			t.Errorf("%s: %d %s", c.name, a.status, a.body)
		}
		if ct := a.header.Get("Content-Type"); ct != "application/problem+json" {
			t.Errorf("%s: content type %s", c.name, ct)
		}
		if len(f.commands)+len(f.created) != 0 {
			t.Errorf("%s: it reached the service", c.name)
			f.commands, f.created = nil, nil
		}
	}
}

func TestOversizedBodies(t *testing.T) {
	f := newFake(full())
	d := start(t, Config{Service: f})
	pad := func(n int) io.Reader { // a valid body of exactly n bytes
		const head, tail = `{"text":"x"`, `}`
		return jsonBody(head + strings.Repeat(" ", n-len(head)-len(tail)) + tail)
	}
	if a := d.raw(t, "POST", "/api/v1/sessions/01FULL/send", "application/json", pad(maxBody)); a.status != 200 {
		t.Errorf("2 MiB: %d %s", a.status, a.body)
	}
	a := d.raw(t, "POST", "/api/v1/sessions/01FULL/send", "application/json", pad(maxBody+1))
	if a.status != 413 || !strings.Contains(a.body, `"code":"usage"`) {
		t.Errorf("one byte more: %d %s", a.status, a.body)
	}
	if len(f.commands) != 1 {
		t.Errorf("%d commands", len(f.commands))
	}
	if _, err := d.client.Send(t.Context(), "01FULL", strings.Repeat("x", session.MaxPrompt+1)); api.CodeOf(err) != api.CodeUsage {
		t.Errorf("a prompt that is too long: %v", err)
	}
	if _, err := d.client.Send(t.Context(), "01FULL", strings.Repeat("x", session.MaxPrompt)); err != nil {
		t.Errorf("the longest prompt: %v", err)
	}
}

// A panic is a 500 for its request only; the log names the request and not its
// body.
func TestPanicIsAnInternalError(t *testing.T) {
	var log bytes.Buffer
	f := newFake(full())
	f.hook = func(context.Context) { panic("boom") }
	d := start(t, Config{Service: f, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if _, err := d.client.Send(t.Context(), "01FULL", "my secret"); api.CodeOf(err) != api.CodeInternal {
		t.Errorf("got %v", err)
	}
	if _, err := d.client.Status(t.Context()); err != nil {
		t.Errorf("after the panic: %v", err)
	}
	d.stop()
	text := log.String()
	if !strings.Contains(text, "boom") || !strings.Contains(text, "/api/v1/sessions/01FULL/send") || strings.Contains(text, "my secret") {
		t.Errorf("the log has %s", text)
	}
}

// What is unknown to the client is told to the log.
func TestInternalErrorsAreLogged(t *testing.T) {
	var log bytes.Buffer
	f := newFake(full())
	f.failWith(errors.New("disk on fire"))
	d := start(t, Config{Service: f, Log: slog.New(slog.NewTextHandler(&log, nil))})
	_, err := d.client.Stop(t.Context(), "01FULL")
	if api.CodeOf(err) != api.CodeInternal || strings.Contains(err.Error(), "on fire") {
		t.Errorf("got %v", err)
	}
	d.stop()
	if !strings.Contains(log.String(), "on fire") {
		t.Errorf("the log has %s", log.String())
	}
}

// Names that sessions may have work on every route.
func TestNames(t *testing.T) {
	f := newFake()
	d := start(t, Config{Service: f})
	for _, name := range []string{"a", "fix/it", "a//b", "..", ".", "a b", "%2F", "?x=1", "#", "naïve", "日本", "👩\u200d💻", "a;b", `"q"`, "\\", "+", "-x", " a"} {
		s := full()
		s.Name = name
		f.put(s)
		if got, err := d.client.Get(t.Context(), name); err != nil || got.Name != name {
			t.Errorf("get %q: %q, %v", name, got.Name, err)
		}
		if _, err := d.client.Rename(t.Context(), name, name); err != nil {
			t.Errorf("rename to %q: %v", name, err)
		}
	}
	for _, id := range []string{"", "\xff", strings.Repeat("x", 1001)} {
		if _, err := d.client.Get(t.Context(), id); api.CodeOf(err) != api.CodeUsage {
			t.Errorf("get %q: %v", id, err)
		}
	}
}
