package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// script is a transport that answers from a list; the last answer repeats.
type script struct {
	answers []func(*http.Request) (*http.Response, error)
	asked   []string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	n := min(len(s.asked), len(s.answers)-1)
	s.asked = append(s.asked, r.URL.RequestURI())
	return s.answers[n](r)
}

func (s *script) client() *Client {
	return &Client{base: "http://tend" + Prefix, http: &http.Client{Transport: s}}
}

func says(status int, body string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)),
			Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	}
}

func down(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

// hangs is a stream that says body and then nothing, until the request ends.
func hangs(body string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		pr, pw := io.Pipe()
		go func() {
			_, _ = io.WriteString(pw, body)
			<-r.Context().Done()
			pw.CloseWithError(r.Context().Err())
		}()
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: pr}, nil
	}
}

func frames(from, to int) string {
	out := ""
	for i := from; i <= to; i++ {
		out += fmt.Sprintf("id: %d\nevent: X\ndata: {\"seq\":%d,\"session\":\"a\",\"at\":\"2026-01-02T03:04:05.678Z\"}\n\n", i, i)
	}
	return out
}

func TestErrorsAreTyped(t *testing.T) {
	problem := `{"type":"tend:error:refused","title":"Conflict","status":409,"detail":"cannot stop","code":"refused","remedy":"do so","from":"dead","intent":"stop"}`
	_, err := (&script{answers: []func(*http.Request) (*http.Response, error){says(409, problem)}}).client().Stop(t.Context(), "x")
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeRefused || e.Status != 409 || e.From != "dead" || e.Intent != "stop" || e.Error() != "cannot stop: do so" {
		t.Errorf("got %#v", err)
	}
	if CodeOf(fmt.Errorf("doing: %w", err)) != CodeRefused || CodeOf(io.EOF) != "" {
		t.Error("CodeOf does not see the code")
	}
}

func TestAnswersThatAreNotTends(t *testing.T) {
	for _, body := range []string{"", "<html>", `{"code":""}`, "[]"} {
		_, err := (&script{answers: []func(*http.Request) (*http.Response, error){says(502, body)}}).client().Status(t.Context())
		var e *Error
		if !errors.As(err, &e) || e.Status != 502 || e.Code != CodeInternal || !strings.Contains(e.Message, "502") {
			t.Errorf("%q: got %#v", body, err)
		}
	}
	if _, err := (&script{answers: []func(*http.Request) (*http.Response, error){says(200, "<html>")}}).client().Status(t.Context()); err == nil {
		t.Error("no error for an answer that is no JSON")
	}
	if _, err := (&script{answers: []func(*http.Request) (*http.Response, error){says(307, "")}}).client().Status(t.Context()); err == nil {
		t.Error("a redirect was followed")
	}
}

func TestUnreachableAndContext(t *testing.T) {
	s := &script{answers: []func(*http.Request) (*http.Response, error){down}}
	if _, err := s.client().List(t.Context(), true); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
	if s.asked[0] != "/api/v1/sessions?archived=true" {
		t.Errorf("asked %v", s.asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewClient("/nowhere").Status(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnreachable) {
		t.Errorf("got %v", err)
	}
}

func TestTextThatJSONCannotCarry(t *testing.T) {
	c := NewClient("/nowhere")
	ctx := t.Context()
	_, answer := c.Answer(ctx, "x", AnswerRequest{Text: "\xff"})
	_, send := c.Send(ctx, "x", "\xff")
	_, argv := c.Create(ctx, CreateRequest{Argv: []string{"\xff"}, Cwd: "/"})
	_, env := c.Create(ctx, CreateRequest{Argv: []string{"x"}, Cwd: "/", Env: map[string]string{"A": "\xff"}})
	for i, err := range []error{answer, send, argv, env} {
		if CodeOf(err) != CodeUsage {
			t.Errorf("%d: got %v", i, err)
		}
	}
}

func TestTimesHaveExactlyMilliseconds(t *testing.T) {
	zone := time.FixedZone("x", 3600)
	for want, at := range map[string]time.Time{
		`"2026-01-02T03:04:05.000Z"`: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		`"2026-01-02T03:04:05.678Z"`: time.Date(2026, 1, 2, 4, 4, 5, 678_999_999, zone),
		`null`:                       {},
	} {
		got, err := json.Marshal(TimeOf(at))
		if err != nil || string(got) != want {
			t.Errorf("%v: got %s, %v, want %s", at, got, err, want)
		}
		var back Time
		if err := json.Unmarshal(got, &back); err != nil || !back.Equal(at.Truncate(time.Millisecond)) {
			t.Errorf("%s reads as %v, %v", got, back, err)
		}
	}
	var x Time
	if err := json.Unmarshal([]byte(`"yesterday"`), &x); err == nil {
		t.Error("no error for a time that is none")
	}
}

// read collects a stream's sequence numbers and its error.
func read(ctx context.Context, c *Client, since int64, f EventFilter) (seqs []int64, err error) {
	for e, failed := range c.Events(ctx, since, f) {
		if failed != nil {
			return seqs, failed
		}
		seqs = append(seqs, e.Seq)
	}
	return seqs, nil
}

func TestStreamResumesAfterTheLastEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := frames(1, 3)
		s := &script{answers: []func(*http.Request) (*http.Response, error){
			says(200, ": hello\nid: 0\n\n"+frames(1, 2)+whole[:20]), // torn in the middle of a frame
			down,
			says(503, `{"code":"stopping","status":503}`),
			says(200, frames(2, 4)), // an entry that was seen already
			says(200, "id: 9\n\n"),  // only a position
			says(200, frames(10, 10)),
			says(404, `{"code":"notFound","status":404,"detail":"gone"}`),
		}}
		got, err := read(t.Context(), s.client(), FromNow, EventFilter{Session: "a b"})
		if !slices.Equal(got, []int64{1, 2, 3, 4, 10}) || CodeOf(err) != CodeNotFound {
			t.Errorf("got %v, %v", got, err)
		}
		want := []string{
			"/api/v1/events?session=a+b", "/api/v1/events?session=a+b&since=2", "/api/v1/events?session=a+b&since=2",
			"/api/v1/events?session=a+b&since=2", "/api/v1/events?session=a+b&since=4", "/api/v1/events?session=a+b&since=9",
			"/api/v1/events?session=a+b&since=10",
		}
		if !slices.Equal(s.asked, want) {
			t.Errorf("asked %q", s.asked)
		}
	})
}

func TestStreamGivesUpOnADaemonThatStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []func(*http.Request) (*http.Response, error){says(200, frames(1, 1)), down}}
		begin := time.Now()
		got, err := read(t.Context(), s.client(), 0, EventFilter{})
		if took := time.Since(begin); !errors.Is(err, ErrUnreachable) || took < reconnectFor || took > reconnectFor+2*reconnectMax {
			t.Errorf("got %v, %v after %v", got, err, took)
		}
		if n := len(s.asked); n > 30 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestStreamThatFallsSilentIsTakenUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []func(*http.Request) (*http.Response, error){hangs(frames(1, 2)), says(410, `{"code":"usage","status":410}`)}}
		begin := time.Now()
		got, err := read(t.Context(), s.client(), 0, EventFilter{})
		if took := time.Since(begin); took < silence || took > silence+reconnectMax {
			t.Errorf("taken up after %v", took)
		}
		if !slices.Equal(got, []int64{1, 2}) || CodeOf(err) != CodeUsage || s.asked[1] != "/api/v1/events?since=2" {
			t.Errorf("got %v, %v, asked %v", got, err, s.asked)
		}
	})
}

func TestStreamEndsWithTheContextOrTheConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []func(*http.Request) (*http.Response, error){hangs(frames(1, 2))}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got, err := read(ctx, s.client(), 0, EventFilter{}); err != nil || len(got) != 2 {
			t.Errorf("got %v, %v", got, err)
		}
		for _, err := range s.client().Events(t.Context(), 0, EventFilter{}) {
			if err != nil {
				t.Error(err)
			}
			break
		}
	})
}

func TestStreamOfNonsenseIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, body := range []string{"id: 1\ndata: {\n\n", "id: x\n\n", "data: [1]\n\n"} {
			s := &script{answers: []func(*http.Request) (*http.Response, error){says(200, body)}}
			if _, err := read(t.Context(), s.client(), 0, EventFilter{}); err == nil || errors.Is(err, ErrUnreachable) || len(s.asked) != 1 {
				t.Errorf("%q: got %v, asked %d times", body, err, len(s.asked))
			}
		}
	})
}

func TestStreamWithoutFollowingEndsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		torn := func(*http.Request) (*http.Response, error) {
			body := io.MultiReader(bytes.NewBufferString(frames(1, 1)), failing{})
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body)}, nil
		}
		s := &script{answers: []func(*http.Request) (*http.Response, error){torn, says(200, frames(2, 3))}}
		got, err := read(t.Context(), s.client(), 0, EventFilter{NoFollow: true})
		if err != nil || !slices.Equal(got, []int64{1, 2, 3}) {
			t.Errorf("got %v, %v", got, err)
		}
		if want := "/api/v1/events?follow=false&since=1"; s.asked[1] != want {
			t.Errorf("asked %q", s.asked)
		}
	})
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
