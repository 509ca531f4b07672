package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
)

type eventsInput struct {
	Since   int64  `query:"since" default:"-1" minimum:"-1" doc:"Entries after this sequence number; without it, what happens from now on, or everything when not following."`
	Session string `query:"session" maxLength:"1000" doc:"Only this session: an id, a unique start of one, or a name."`
	Follow  bool   `query:"follow" default:"true" doc:"false ends the stream after the newest entry."`
	LastID  string `header:"Last-Event-ID" doc:"Wins over since: where a broken stream is taken up."`
}

type eventsOutput struct {
	Body func(huma.Context)
}

func (h *Handler) registerEvents(a huma.API) {
	op := operation(a, "followEvents", http.MethodGet, "/events", "The journal as a stream of events", 404, 409, 422, 503)
	op.Description = "Every entry once, in order, with its sequence number as id and its event as name. A frame without data " +
		"carries the position only; one is sent every 15 s of silence. A slow reader lags and is never skipped; one that takes " +
		"nothing for 30 s is cut off and resumes from its last id."
	op.Responses["200"] = &huma.Response{
		Description: "Server-sent events; data is an Entry.",
		Content: map[string]*huma.MediaType{"text/event-stream": {
			Schema: a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[api.Entry](), true, ""),
		}},
	}
	huma.Register(a, op, h.events)
}

func (h *Handler) events(ctx context.Context, in *eventsInput) (*eventsOutput, error) {
	s := &stream{h: h, after: in.Since, follow: in.Follow}
	if in.LastID != "" {
		n, err := strconv.ParseInt(strings.TrimSpace(in.LastID), 10, 64)
		if err != nil || n < 0 {
			return nil, usage("Last-Event-ID is not a sequence number")
		}
		s.after = n
	}
	if in.Session != "" {
		id, err := h.resolve(ctx, in.Session)
		if err != nil {
			return nil, err
		}
		s.session = id
	}
	if s.after < 0 {
		s.after = 0
		if s.follow {
			s.after, _ = h.cfg.Service.Changed()
		}
	}
	return &eventsOutput{Body: func(c huma.Context) {
		_, w := humago.Unwrap(c)
		s.serve(c.Context(), w)
	}}, nil
}

// stream is one subscriber. It holds nothing but its position in the journal:
// what it has not read yet waits there.
type stream struct {
	h       *Handler
	session session.ID // "" = all
	follow  bool
	after   int64 // the position
	w       *bufio.Writer
	conn    *http.ResponseController
}

func (s *stream) serve(ctx context.Context, w http.ResponseWriter) {
	s.w, s.conn = bufio.NewWriterSize(w, 32<<10), http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if err := s.run(ctx); err != nil && ctx.Err() == nil {
		s.h.cfg.Log.Debug("event stream cut off", "error", err)
		panic(http.ErrAbortHandler) // a cut stream must not look complete
	}
}

func (s *stream) run(ctx context.Context) error {
	heartbeat := time.NewTicker(api.Heartbeat)
	defer heartbeat.Stop()
	if err := s.position(); err != nil {
		return err
	}
	for {
		head, more := s.h.cfg.Service.Changed()
		if err := s.catchUp(ctx, head); err != nil {
			return err
		}
		if !s.follow {
			return nil
		}
		select {
		case <-more:
		case <-heartbeat.C:
			if err := s.position(); err != nil {
				return err
			}
		case <-s.h.ended:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// errEnding cuts off a stream that has not caught up when the daemon ends.
var errEnding = errors.New("the daemon ends")

// catchUp writes everything up to head, and what has come since.
func (s *stream) catchUp(ctx context.Context, head int64) error {
	for s.after < head {
		page, err := s.h.cfg.Service.Journal(ctx, s.session, s.after, journalPage)
		if err != nil {
			return fmt.Errorf("read journal: %w", err)
		}
		for _, e := range page {
			if err := s.entry(e); err != nil {
				return err
			}
		}
		if len(page) < journalPage {
			s.after = max(s.after, head) // the rest is about other sessions
		}
		if err := s.flush(); err != nil {
			return err
		}
		if isClosed(s.h.ended) {
			return errEnding
		}
	}
	return nil
}

func (s *stream) entry(e session.Entry) error {
	data, err := json.Marshal(wireEntry(e))
	if err != nil {
		return fmt.Errorf("encode entry %d: %w", e.Seq, err)
	}
	s.after = e.Seq
	s.extend()
	if _, err := fmt.Fprintf(s.w, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Event, data); err != nil {
		return fmt.Errorf("write entry: %w", err)
	}
	return nil
}

// position tells where the stream stands, so that a reader that was shown
// nothing yet can take it up there too.
func (s *stream) position() error {
	s.extend()
	if _, err := fmt.Fprintf(s.w, "id: %d\n\n", s.after); err != nil {
		return fmt.Errorf("write position: %w", err)
	}
	return s.flush()
}

func (s *stream) flush() error {
	s.extend()
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("write to subscriber: %w", err)
	}
	return s.conn.Flush()
}

// extend gives the next write its own deadline. Only a test's recorder has none.
func (s *stream) extend() { _ = s.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) }
