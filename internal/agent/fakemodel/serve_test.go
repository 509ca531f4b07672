package fakemodel

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// each runs a test for every API.
func each(t *testing.T, f func(t *testing.T, api string, h http.Handler, log *Log, ask func(prompt string, stream, tools bool) *http.Response)) {
	for _, p := range prompts {
		t.Run(p.api, func(t *testing.T) {
			var log Log
			h := p.handler(&log)
			f(t, p.api, h, &log, func(prompt string, stream, tools bool) *http.Response {
				t.Helper()
				return post(t, h, p.url(stream), p.body(prompt, stream, tools))
			})
		})
	}
}

func TestAnswers(t *testing.T) {
	each(t, func(t *testing.T, api string, _ http.Handler, log *Log, ask func(string, bool, bool) *http.Response) {
		for prompt, want := range map[string]string{
			"one two three":                        "ok: one two three",
			"1 2 3 4 5 6 7 8 9":                    "ok: 1 2 3 4 5 6 7 8",
			"SAY hello there":                      "hello there",
			"<system-reminder>x</system-reminder>": "ok: ",
		} {
			if got := said(t, api, whole(t, ask(prompt, false, true))); got != want {
				t.Errorf("%q: %q", prompt, got)
			}
			r := ask(prompt, true, true)
			if got := streamed(t, api, whole(t, r)); got != want || r.Header.Get("Content-Type") != "text/event-stream" {
				t.Errorf("%q as a stream: %q, %v", prompt, got, r.Header)
			}
		}
		all := log.All()
		for i := 0; i < len(all); i += 2 {
			asked, answered := all[i], all[i+1]
			if asked.Kind != Asked || answered.Kind != Answered || answered.Of != asked.N || answered.Text != asked.Text || asked.API != api {
				t.Errorf("%+v then %+v", asked, answered)
			}
		}
	})
}

func TestWithoutToolsNothingIsOrdered(t *testing.T) {
	each(t, func(t *testing.T, api string, _ http.Handler, log *Log, ask func(string, bool, bool) *http.Response) {
		for _, prompt := range []string{"HANG", "ERR401", "DROP", "TOOL ls", "hello"} {
			r := ask(prompt, false, false)
			if got := said(t, api, whole(t, r)); r.StatusCode != 200 || !strings.Contains(got, "Fake title") {
				t.Errorf("%q: %d %q", prompt, r.StatusCode, got)
			}
		}
		if e := log.All()[0]; !e.Title || e.Directive.Verb != None {
			t.Errorf("%+v", e)
		}
	})
}

func TestErrors(t *testing.T) {
	each(t, func(t *testing.T, api string, _ http.Handler, log *Log, ask func(string, bool, bool) *http.Response) {
		for prompt, want := range map[string]int{"ERR400": 400, "ERR401": 401, "ERR429": 429, "ERR500": 500, "ERR529": 529} {
			r := ask(prompt, true, true)
			o := decode(t, whole(t, r))
			if r.StatusCode != want || !strings.HasPrefix(text(t, o, "error", "message"), "fake error") {
				t.Errorf("%s: %d %v", prompt, r.StatusCode, o)
			}
		}
		if e := log.All()[1]; e.Kind != Failed || e.Status < 400 {
			t.Errorf("%+v", e)
		}
	})
}

func TestNonsense(t *testing.T) {
	each(t, func(t *testing.T, api string, h http.Handler, log *Log, _ func(string, bool, bool) *http.Response) {
		i := slices.IndexFunc(prompts, func(p prompt) bool { return p.api == api })
		path := prompts[i].path
		if r := post(t, h, path, "{"); r.StatusCode != 400 {
			t.Errorf("half a body: %d", r.StatusCode)
		}
		if r := post(t, h, "/v1/else", "{}"); r.StatusCode != 404 {
			t.Errorf("an unknown path: %d", r.StatusCode)
		}
		if all := log.All(); all[0].Kind != Failed || all[1].Kind != Unknown || all[1].Path != "/v1/else" {
			t.Errorf("%+v", all)
		}
	})
}

// TestSlow: the words have their pace, and the client may go in the middle.
func TestSlow(t *testing.T) {
	each(t, func(t *testing.T, api string, h http.Handler, log *Log, ask func(string, bool, bool) *http.Response) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			got := streamed(t, api, whole(t, ask("SLOW 4", true, true)))
			if got != "word1 word2 word3 word4 " || time.Since(start) != 3*pace {
				t.Errorf("%q in %s", got, time.Since(start))
			}
		})
	})
}

func TestSlowUntilTheClientGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log Log
		ctx, cancel := context.WithTimeout(t.Context(), 5*pace/2)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/messages", strings.NewReader(prompts[0].body("SLOW 9", true, true)))
		w := httptest.NewRecorder()
		Anthropic(&log).ServeHTTP(w, r)
		if n := strings.Count(w.Body.String(), "word"); n != 3 || log.All()[1].Kind != Gone {
			t.Errorf("%d words, %+v", n, log.All()[1])
		}
	})
}

// TestHang runs over a socket: not a byte comes, and the log tells when the
// client has gone.
func TestHang(t *testing.T) {
	var log Log
	s := httptest.NewServer(Anthropic(&log))
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		q, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/messages", strings.NewReader(prompts[0].body("HANG", true, true)))
		r, err := http.DefaultClient.Do(q)
		if err == nil {
			r.Body.Close()
		}
		failed <- err
	}()
	if e, err := log.Next(t.Context()); err != nil || e.Kind != Asked || e.Directive.Verb != Hang {
		t.Fatalf("%+v, %v", e, err)
	}
	cancel()
	if e, err := log.Next(t.Context()); err != nil || e.Kind != Gone || e.Of != 1 {
		t.Fatalf("%+v, %v", e, err)
	}
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Fatalf("it answered: %v", err)
	}
}

// TestDrop runs over a socket: the stream breaks off after its first word.
func TestDrop(t *testing.T) {
	var log Log
	for _, p := range prompts {
		s := httptest.NewServer(p.handler(&log))
		send := func(stream bool) (string, error) {
			r, err := http.Post(s.URL+p.url(stream), "application/json", strings.NewReader(p.body("DROP", stream, true)))
			if err != nil {
				return "", err
			}
			defer r.Body.Close()
			b, err := io.ReadAll(r.Body)
			return string(b), err
		}
		got, err := send(true)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(got, "not ") || strings.Contains(got, "dropped") {
			t.Errorf("%s: %v after %q", p.api, err, got)
		}
		got, err = send(p.api != "anthropic")
		if again := err != nil; again != (p.api != "anthropic") {
			t.Errorf("%s, the second time: %v, %q", p.api, err, got)
		}
		s.Close()
	}
	if e := log.All()[1]; e.Kind != Dropped {
		t.Errorf("%+v", e)
	}
}

func TestCompressedRequests(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = io.WriteString(w, prompts[1].body("SAY unzipped", false, true))
	_ = w.Close()
	for encoding, want := range map[string]int{"gzip": 200, "zstd": 400} {
		r := httptest.NewRequest(http.MethodPost, "/v1/responses", bytes.NewReader(z.Bytes()))
		r.Header.Set("Content-Encoding", encoding)
		rec := httptest.NewRecorder()
		OpenAI(new(Log)).ServeHTTP(rec, r)
		if rec.Code != want || want == 200 && said(t, "responses", rec.Body.String()) != "unzipped" {
			t.Errorf("%s: %d %s", encoding, rec.Code, rec.Body)
		}
	}
}
