package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
)

type listInput struct {
	Archived bool `query:"archived" doc:"The archived sessions instead of the open ones."`
}

type createInput struct{ Body api.CreateRequest }

type createOutput struct {
	Location string `header:"Location"`
	Body     api.Session
}

type sessionInput struct {
	ID string `path:"id" maxLength:"1000" doc:"An id, a unique start of one, or a name."`
}

func (h *Handler) registerSessions(a huma.API) {
	huma.Register(a, operation(a, "listSessions", http.MethodGet, "/sessions", "List sessions", 422, 503),
		func(ctx context.Context, in *listInput) (*body[api.SessionList], error) {
			list, err := h.cfg.Service.List(ctx, in.Archived)
			if err != nil {
				return nil, h.fail(ctx, "list sessions", err)
			}
			return &body[api.SessionList]{api.SessionList{Sessions: wireSessions(list)}}, nil
		})
	create := operation(a, "createSession", http.MethodPost, "/sessions", "Make a session and start it", 400, 408, 409, 413, 415, 422, 503)
	create.DefaultStatus = http.StatusCreated
	huma.Register(a, create, h.create)
	huma.Register(a, operation(a, "getSession", http.MethodGet, "/sessions/{id}", "Show a session", 404, 409, 422, 503),
		func(ctx context.Context, in *sessionInput) (*body[api.Session], error) {
			s, err := h.get(ctx, in.ID)
			if err != nil {
				return nil, err
			}
			return &body[api.Session]{wireSession(s)}, nil
		})
}

func (h *Handler) create(ctx context.Context, in *createInput) (*createOutput, error) {
	wish, err := newSession(in.Body)
	if err != nil {
		return nil, err
	}
	s, err := h.cfg.Service.Create(ctx, wish)
	if err != nil {
		return nil, h.fail(ctx, "create session", err)
	}
	return &createOutput{Location: api.Prefix + "/sessions/" + string(s.ID), Body: wireSession(s)}, nil
}

func (h *Handler) get(ctx context.Context, name string) (session.Session, error) {
	id, err := h.resolve(ctx, name)
	if err != nil {
		return session.Session{}, err
	}
	s, err := h.cfg.Service.Get(ctx, id)
	if err != nil {
		return session.Session{}, h.fail(ctx, "read session", err)
	}
	return s, nil
}

func (h *Handler) command(ctx context.Context, name string, c session.Command) (session.Session, error) {
	id, err := h.resolve(ctx, name)
	if err != nil {
		return session.Session{}, err
	}
	s, err := h.cfg.Service.Command(ctx, id, c)
	if err != nil {
		return session.Session{}, h.fail(ctx, "apply command", err)
	}
	return s, nil
}

// nothing is the body of a verb that takes none: absent or {}.
type nothing struct{}

type verbInput[B any] struct {
	ID   string `path:"id" maxLength:"1000" doc:"An id, a unique start of one, or a name."`
	Body B
}

// always makes a verb without input from its command.
func always(c session.Command) func(*nothing) (session.Command, error) {
	return func(*nothing) (session.Command, error) { return c, nil }
}

func (h *Handler) registerVerbs(a huma.API) {
	h.registerSend(a)
	registerVerb(h, a, api.VerbAnswer, "Reply to the question the agent asks", func(r api.AnswerRequest) (session.Command, error) { return answerCommand(r) })
	registerVerb(h, a, api.VerbInterrupt, "End the present turn and keep the agent", always(session.Interrupt{}))
	registerVerb(h, a, api.VerbStop, "End the process", always(session.Stop{}))
	registerVerb(h, a, api.VerbResume, "Relaunch the conversation of an ended session", always(session.ResumeNow{}))
	registerVerb(h, a, api.VerbRetry, "Relaunch with a fresh conversation", always(session.Retry{}))
	registerVerb(h, a, api.VerbConfirm, "Say as a person that the turn is done", confirmCommand)
	registerVerb(h, a, api.VerbDismiss, "Acknowledge attention", always(session.Dismiss{}))
	registerVerb(h, a, api.VerbDone, "Say as the agent that the turn is complete", doneCommand)
	registerVerb(h, a, api.VerbClose, "Archive; a running session is stopped first", closeCommand)
	registerVerb(h, a, api.VerbReopen, "Bring an archived session back", always(session.Reopen{}))
	registerVerb(h, a, api.VerbKeep, "Never close it by itself", always(session.Keep{On: true}))
	registerVerb(h, a, api.VerbUnkeep, "Lift keep", always(session.Keep{On: false}))
	registerVerb(h, a, api.VerbRename, "Change the display name", renameCommand)
}

func verbOperation(a huma.API, v api.Verb, summary string) huma.Operation {
	return operation(a, string(v)+"Session", http.MethodPost, "/sessions/{id}/"+string(v), summary, 400, 404, 408, 409, 413, 415, 422, 503)
}

// registerVerb hooks up a command: it answers with the session once the
// command's effect on it is durable.
func registerVerb[B any](h *Handler, a huma.API, v api.Verb, summary string, command func(B) (session.Command, error)) {
	huma.Register(a, verbOperation(a, v, summary), func(ctx context.Context, in *verbInput[B]) (*body[api.Session], error) {
		c, err := command(in.Body)
		if err != nil {
			return nil, err
		}
		s, err := h.command(ctx, in.ID, c)
		if err != nil {
			return nil, err
		}
		return &body[api.Session]{wireSession(s)}, nil
	})
}

// registerSend: the answer names the queued prompt, so that it can be followed.
func (h *Handler) registerSend(a huma.API) {
	huma.Register(a, verbOperation(a, api.VerbSend, "Queue a prompt"), func(ctx context.Context, in *verbInput[api.SendRequest]) (*body[api.Sent], error) {
		c := sendCommand(in.Body)
		s, err := h.command(ctx, in.ID, c)
		if err != nil {
			return nil, err
		}
		return &body[api.Sent]{api.Sent{PromptID: c.PromptID, Session: wireSession(s)}}, nil
	})
}
