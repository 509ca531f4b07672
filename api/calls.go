package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"
)

// List returns the open sessions, or the archived ones, oldest first.
func (c *Client) List(ctx context.Context, archived bool) ([]Session, error) {
	path := "/sessions"
	if archived {
		path += "?archived=true"
	}
	var out SessionList
	err := c.call(ctx, http.MethodGet, path, nil, &out)
	return out.Sessions, err
}

// Create makes a session and starts it. It returns once the agent runs; a
// command that could not be started is CodeLaunchFailed and leaves no session.
func (c *Client) Create(ctx context.Context, r CreateRequest) (Session, error) {
	if err := validText(r); err != nil {
		return Session{}, err
	}
	var out Session
	err := c.call(ctx, http.MethodPost, "/sessions", r, &out)
	return out, err
}

// validText refuses what JSON cannot carry unchanged.
func validText(r CreateRequest) error {
	texts := append([]string{r.Name, r.Cwd, r.Prompt, r.Continue, r.Agent, r.Model, r.Host}, r.Argv...)
	for k, v := range r.Env {
		texts = append(texts, k, v)
	}
	for _, t := range texts {
		if !utf8.ValidString(t) {
			return usage(fmt.Sprintf("%.60q is not valid UTF-8", t))
		}
	}
	return nil
}

// Get returns one session, open or archived.
func (c *Client) Get(ctx context.Context, id string) (Session, error) {
	return get[Session](ctx, c, id, "")
}

// Send queues a prompt. It returns when the prompt is durable, not when the
// agent has taken it.
func (c *Client) Send(ctx context.Context, id, text string) (Sent, error) {
	if !utf8.ValidString(text) {
		return Sent{}, usage("the text is not valid UTF-8")
	}
	return post[Sent](ctx, c, id, VerbSend, SendRequest{Text: text})
}

// Answer replies to the question the agent asks.
func (c *Client) Answer(ctx context.Context, id string, r AnswerRequest) (Session, error) {
	if !utf8.ValidString(r.Text) {
		return Session{}, usage("the text is not valid UTF-8")
	}
	return post[Session](ctx, c, id, VerbAnswer, r)
}

// Interrupt ends the present turn and keeps the agent.
func (c *Client) Interrupt(ctx context.Context, id string) (Session, error) {
	return post[Session](ctx, c, id, VerbInterrupt, nil)
}

// Stop ends the process. It returns when the wish is durable.
func (c *Client) Stop(ctx context.Context, id string) (Session, error) {
	return post[Session](ctx, c, id, VerbStop, nil)
}

// Resume relaunches an ended session's conversation.
func (c *Client) Resume(ctx context.Context, id string) (Session, error) {
	return post[Session](ctx, c, id, VerbResume, nil)
}

// Retry relaunches a session with a fresh conversation.
func (c *Client) Retry(ctx context.Context, id string) (Session, error) {
	return post[Session](ctx, c, id, VerbRetry, nil)
}

// Confirm is a person's word that the turn is done.
func (c *Client) Confirm(ctx context.Context, id, summary string) (Session, error) {
	return post[Session](ctx, c, id, VerbConfirm, SummaryRequest{Summary: summary})
}

// Dismiss acknowledges attention.
func (c *Client) Dismiss(ctx context.Context, id string) (Session, error) {
	return post[Session](ctx, c, id, VerbDismiss, nil)
}

// Done is the agent's own word that its turn is complete.
func (c *Client) Done(ctx context.Context, id, summary string) (Session, error) {
	return post[Session](ctx, c, id, VerbDone, SummaryRequest{Summary: summary})
}

// CloseSession archives a session; a running one is stopped first.
func (c *Client) CloseSession(ctx context.Context, id, reason string) (Session, error) {
	return post[Session](ctx, c, id, VerbClose, CloseRequest{Reason: reason})
}

// Reopen brings an archived session back to the list.
func (c *Client) Reopen(ctx context.Context, id string) (Session, error) {
	return post[Session](ctx, c, id, VerbReopen, nil)
}

// Keep sets or lifts the wish that the session never closes by itself.
func (c *Client) Keep(ctx context.Context, id string, on bool) (Session, error) {
	verb := VerbUnkeep
	if on {
		verb = VerbKeep
	}
	return post[Session](ctx, c, id, verb, nil)
}

// Rename changes the display name.
func (c *Client) Rename(ctx context.Context, id, name string) (Session, error) {
	if !utf8.ValidString(name) {
		return Session{}, usage("the name is not valid UTF-8")
	}
	return post[Session](ctx, c, id, VerbRename, RenameRequest{Name: name})
}

// Explain returns the newest journal entries of a session, newest last, at most
// limit (0 = the daemon's default).
func (c *Client) Explain(ctx context.Context, id string, limit int) (Explanation, error) {
	q := ""
	if limit > 0 {
		q = "?limit=" + strconv.Itoa(limit)
	}
	return get[Explanation](ctx, c, id, "/explain"+q)
}

// Screen is the present or last screen of a session.
func (c *Client) Screen(ctx context.Context, id string) (Screen, error) {
	return get[Screen](ctx, c, id, "/screen")
}

// Output reads recorded output. What was dropped by the log's cap is skipped:
// compare the answer's Offset with the one asked for.
func (c *Client) Output(ctx context.Context, id string, r OutputRange) (Output, error) {
	q := url.Values{"offset": {strconv.FormatInt(r.Offset, 10)}}
	if r.Run > 0 {
		q.Set("run", strconv.Itoa(r.Run))
	}
	if r.Limit > 0 {
		q.Set("limit", strconv.Itoa(r.Limit))
	}
	path, err := sessionPath(id, "/output?"+q.Encode())
	if err != nil {
		return Output{}, err
	}
	res, err := c.do(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return Output{}, err
	}
	defer res.Body.Close()
	out := Output{}
	for name, to := range map[string]*int64{HeaderFirst: &out.First, HeaderEnd: &out.End, HeaderOffset: &out.Offset} {
		if *to, err = strconv.ParseInt(res.Header.Get(name), 10, 64); err != nil {
			return Output{}, fmt.Errorf("read header %s: %w", name, err)
		}
	}
	if out.Run, err = strconv.Atoi(res.Header.Get(HeaderRun)); err != nil {
		return Output{}, fmt.Errorf("read header %s: %w", HeaderRun, err)
	}
	if out.Data, err = io.ReadAll(io.LimitReader(res.Body, MaxOutput)); err != nil {
		return Output{}, unreachable(ctx, err)
	}
	return out, nil
}

// Status describes the daemon.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var out Status
	err := c.call(ctx, http.MethodGet, "/status", nil, &out)
	return out, err
}

// Doctor returns the daemon's own findings.
func (c *Client) Doctor(ctx context.Context) ([]Check, error) {
	var out Checkup
	err := c.call(ctx, http.MethodGet, "/doctor", nil, &out)
	return out.Checks, err
}

// Shutdown asks the daemon to end. It returns when the agents that are to be
// stopped have ended, and before the daemon has.
func (c *Client) Shutdown(ctx context.Context, r ShutdownRequest) error {
	return c.call(ctx, http.MethodPost, "/shutdown", r, nil)
}

func get[T any](ctx context.Context, c *Client, id, rest string) (T, error) {
	var out T
	path, err := sessionPath(id, rest)
	if err == nil {
		err = c.call(ctx, http.MethodGet, path, nil, &out)
	}
	return out, err
}

func post[T any](ctx context.Context, c *Client, id string, v Verb, in any) (T, error) {
	var out T
	path, err := sessionPath(id, "/"+string(v))
	if err == nil {
		err = c.call(ctx, http.MethodPost, path, in, &out)
	}
	return out, err
}
