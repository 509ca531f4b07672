package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

const problemType = "application/problem+json"

// listAll is the remedy for a session that is not there.
const listAll = "tend ls --all lists them"

// wireError lets problem embed an api.Error and still have its Error method.
type wireError = api.Error

// problem is an api.Error as huma writes one.
type problem struct{ *wireError }

// GetStatus is the HTTP status.
func (p problem) GetStatus() int { return p.Status }

// ContentType is problem+json for every kind of answer.
func (p problem) ContentType(string) string { return problemType }

// GetHeaders asks the client to come back where that may help.
func (p problem) GetHeaders() http.Header {
	if p.Code == api.CodeStopping || p.Code == api.CodeStoreUnavailable {
		return http.Header{"Retry-After": {"1"}}
	}
	return nil
}

var (
	_ huma.StatusError  = problem{}
	_ huma.HeadersError = problem{}
)

func newProblem(status int, code api.Code, message, remedy string) problem {
	return problem{&api.Error{
		Type: "tend:error:" + string(code), Title: http.StatusText(status), Status: status,
		Code: code, Message: message, Remedy: remedy,
	}}
}

func usage(message string) problem {
	return newProblem(http.StatusUnprocessableEntity, api.CodeUsage, message, "")
}

func internal() problem {
	return newProblem(http.StatusInternalServerError, api.CodeInternal, "something went wrong in the daemon", "its log has the cause")
}

func stopping() problem {
	return newProblem(http.StatusServiceUnavailable, api.CodeStopping, "the daemon is stopping", "try again in a moment")
}

// fail turns an error of the Service into a problem. What is unknown is
// internal: its cause goes to the log and not to the client.
func (h *Handler) fail(ctx context.Context, doing string, err error) error {
	if p, ok := known(err); ok {
		return p
	}
	if ctx.Err() == nil {
		h.cfg.Log.Error("request failed", "doing", doing, "error", err)
	}
	return internal()
}

// known maps the errors that supervisor.Service promises.
func known(err error) (problem, bool) {
	var (
		own       problem
		refused   *session.InvalidTransitionError
		launch    *session.LaunchError
		input     *session.InputRefusedError
		paste     *session.PasteError
		ambiguous *supervisor.AmbiguousError
		wish      *supervisor.InputError
		running   *supervisor.RunningError
	)
	switch {
	case errors.As(err, &own):
		return own, true
	case errors.As(err, &refused):
		return refusal(refused), true
	case errors.As(err, &launch):
		return newProblem(http.StatusUnprocessableEntity, api.CodeLaunchFailed, launch.Detail, ""), true
	case errors.As(err, &input):
		return newProblem(http.StatusConflict, api.CodeInputRefused, input.Line, ""), true
	case errors.As(err, &paste):
		return newProblem(http.StatusConflict, api.CodeInputRefused, paste.Why, ""), true
	case errors.As(err, &ambiguous):
		return newProblem(http.StatusConflict, api.CodeAmbiguous, "several sessions start with "+ambiguous.Prefix, "give more of the id: "+idList(ambiguous.IDs)), true
	case errors.As(err, &wish):
		return usage(wish.Message), true
	case errors.As(err, &running):
		return newProblem(http.StatusConflict, api.CodeRefused, running.Error(), "tend stop SESSION says what stands in the way"), true
	}
	return knownValue(err)
}

func knownValue(err error) (problem, bool) {
	switch {
	case errors.Is(err, session.ErrNotFound):
		return newProblem(http.StatusNotFound, api.CodeNotFound, "no such session", listAll), true
	case errors.Is(err, session.ErrNoRun):
		return newProblem(http.StatusNotFound, api.CodeNotFound, "there is nothing on record for this run", "tend show names the present run"), true
	case errors.Is(err, session.ErrNameTaken):
		return newProblem(http.StatusConflict, api.CodeNameTaken, err.Error(), ""), true
	case errors.Is(err, session.ErrUnreachable):
		return newProblem(http.StatusServiceUnavailable, api.CodeHostUnreachable, "the session's holder does not answer", "tend explain says what is known of it"), true
	case errors.Is(err, supervisor.ErrStopping):
		return stopping(), true
	case errors.Is(err, session.ErrStoreUnavailable):
		return newProblem(http.StatusServiceUnavailable, api.CodeStoreUnavailable, err.Error(), "tend doctor says more"), true
	}
	return problem{}, false
}

func refusal(e *session.InvalidTransitionError) problem {
	intent := intentOf(e.Intent)
	message := fmt.Sprintf("cannot %s while %s: %s", intent, e.From, e.Why)
	if e.From == "" {
		message = fmt.Sprintf("cannot %s: %s", intent, e.Why)
	}
	p := newProblem(http.StatusConflict, api.CodeRefused, message, "")
	p.From, p.Intent = string(e.From), intent
	return p
}

// intentOf is the verb that people typed for a command's name in the journal.
func intentOf(command string) string {
	switch command {
	case "ResumeNow":
		return string(api.VerbResume)
	case "AgentDone":
		return string(api.VerbDone)
	}
	return strings.ToLower(command)
}

func idList(ids []session.ID) string {
	const most = 5
	var out []string
	for _, id := range ids[:min(len(ids), most)] {
		out = append(out, string(id))
	}
	if len(ids) > most {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// translate turns the problems that huma finds in a request into ours, with
// every wrong field named.
func translate(_ huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	code := api.CodeUsage
	switch {
	case m.Status == http.StatusRequestTimeout:
		code = api.CodeTimeout
	case m.Status >= http.StatusInternalServerError:
		code = api.CodeInternal
	}
	message := m.Detail
	for i, d := range m.Errors {
		sep := "; "
		if i == 0 {
			message, sep = "", ""
		}
		message += sep + fieldOf(d.Location) + d.Message
	}
	return newProblem(m.Status, code, oneLine(message, 2000), ""), nil
}

// fieldOf is the field that a problem is about, as people wrote it.
func fieldOf(location string) string {
	_, field, _ := strings.Cut(location, ".") // body, path or query
	if field == "" {
		return ""
	}
	return field + ": "
}

// oneLine keeps a message printable on one line, at most n bytes long.
func oneLine(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

// writeProblem answers outside of huma's routes.
func writeProblem(w http.ResponseWriter, p problem) {
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}
