package server

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
)

// journalPage is how many entries are read at a time.
const journalPage = 512

type explainInput struct {
	ID    string `path:"id" maxLength:"1000" doc:"An id, a unique start of one, or a name."`
	Limit int    `query:"limit" default:"200" minimum:"1" maximum:"10000" doc:"At most this many, the newest."`
}

type outputInput struct {
	ID     string `path:"id" maxLength:"1000" doc:"An id, a unique start of one, or a name."`
	Run    int    `query:"run" default:"0" minimum:"0" doc:"0 = the newest."`
	Offset int64  `query:"offset" default:"0" doc:"Absolute in the run; negative counts from the end."`
	Limit  int    `query:"limit" default:"1048576" minimum:"1" maximum:"4194304"`
}

type outputOutput struct {
	ContentType string `header:"Content-Type"`
	Run         int    `header:"X-Tend-Run" doc:"The run that was read."`
	First       int64  `header:"X-Tend-First" doc:"The oldest offset there is."`
	End         int64  `header:"X-Tend-End" doc:"The offset after the newest byte."`
	Offset      int64  `header:"X-Tend-Offset" doc:"The offset of the first byte of the body."`
	Body        []byte
}

func (h *Handler) registerReads(a huma.API) {
	huma.Register(a, operation(a, "explainSession", http.MethodGet, "/sessions/{id}/explain", "The evidence behind the present state", 404, 409, 422, 503), h.explain)
	huma.Register(a, operation(a, "getScreen", http.MethodGet, "/sessions/{id}/screen", "The present or last screen", 404, 409, 422, 503),
		func(ctx context.Context, in *sessionInput) (*body[api.Screen], error) {
			id, err := h.resolve(ctx, in.ID)
			if err != nil {
				return nil, err
			}
			v, err := h.cfg.Service.Screen(ctx, id)
			if err != nil {
				return nil, h.fail(ctx, "read screen", err)
			}
			return &body[api.Screen]{wireScreen(v)}, nil
		})
	output := operation(a, "getOutput", http.MethodGet, "/sessions/{id}/output", "Recorded output by absolute offset", 404, 409, 422, 503)
	output.Responses["200"] = &huma.Response{Content: map[string]*huma.MediaType{
		"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}}
	huma.Register(a, output, h.output)
}

func (h *Handler) explain(ctx context.Context, in *explainInput) (*body[api.Explanation], error) {
	s, err := h.get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	newest, total, err := h.newest(ctx, s.ID, in.Limit)
	if err != nil {
		return nil, h.fail(ctx, "read journal", err)
	}
	return &body[api.Explanation]{api.Explanation{
		Session: wireSession(s), Entries: wireEntries(newest), Earlier: total - len(newest),
	}}, nil
}

// newest reads a session's whole journal, page by page, and keeps its end.
func (h *Handler) newest(ctx context.Context, id session.ID, limit int) (kept []session.Entry, total int, err error) {
	after := int64(0)
	for {
		page, err := h.cfg.Service.Journal(ctx, id, after, journalPage)
		if err != nil {
			return nil, 0, err
		}
		total += len(page)
		kept = append(kept, page...)
		kept = kept[max(0, len(kept)-limit):]
		if len(page) < journalPage {
			return kept, total, nil
		}
		after = page[len(page)-1].Seq
	}
}

func (h *Handler) output(ctx context.Context, in *outputInput) (*outputOutput, error) {
	s, err := h.get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &outputOutput{ContentType: "application/octet-stream", Run: in.Run, Offset: in.Offset}
	if out.Run == 0 {
		out.Run = s.Process.Run // named, so that the answer is about one run
	}
	if in.Offset < 0 {
		_, first, end, err := h.cfg.Service.Output(ctx, s.ID, out.Run, 0, make([]byte, 1))
		if err != nil {
			return nil, h.fail(ctx, "read output", err)
		}
		out.Offset = max(first, end+in.Offset)
	}
	p := make([]byte, in.Limit)
	n, first, end, err := h.cfg.Service.Output(ctx, s.ID, out.Run, out.Offset, p)
	if err != nil {
		return nil, h.fail(ctx, "read output", err)
	}
	out.Body, out.First, out.End, out.Offset = p[:n], first, end, max(out.Offset, first)
	return out, nil
}

type shutdownInput struct{ Body *api.ShutdownRequest }

func (h *Handler) registerDaemon(a huma.API) {
	huma.Register(a, operation(a, "getStatus", http.MethodGet, "/status", "The daemon itself", 422),
		func(context.Context, *struct{}) (*body[api.Status], error) {
			return &body[api.Status]{h.status()}, nil
		})
	huma.Register(a, operation(a, "runDoctor", http.MethodGet, "/doctor", "The daemon's findings about itself", 422),
		func(ctx context.Context, _ *struct{}) (*body[api.Checkup], error) {
			out := api.Checkup{Checks: []api.Check{}}
			if h.cfg.Doctor != nil {
				out.Checks = append(out.Checks, h.cfg.Doctor(ctx)...)
			}
			return &body[api.Checkup]{out}, nil
		})
	down := operation(a, "shutdown", http.MethodPost, "/shutdown", "End the daemon; agents go on unless stopAgents is set", 400, 408, 413, 415, 422, 503)
	down.DefaultStatus = http.StatusAccepted
	huma.Register(a, down, func(ctx context.Context, in *shutdownInput) (*body[api.Status], error) {
		var r api.ShutdownRequest
		if in.Body != nil {
			r = *in.Body
		}
		return h.goDown(ctx, r)
	})
}

// goDown begins the daemon's end, unless something would be lost or left behind
// that nobody has said may be.
func (h *Handler) goDown(ctx context.Context, r api.ShutdownRequest) (*body[api.Status], error) {
	if r.StopAgents {
		if err := h.cfg.Service.StopAll(ctx); err != nil {
			return nil, h.fail(ctx, "stop the agents", err)
		}
	}
	if n := h.cfg.Service.Health(); n.Unsaved > 0 && !r.Force {
		return nil, newProblem(http.StatusServiceUnavailable, api.CodeStoreUnavailable,
			fmt.Sprintf("the daemon goes on: %d changes wait to be saved (%s)", n.Unsaved, oneLine(n.StoreError, 500)),
			"free some space, or give them up with tend shutdown --force")
	}
	h.refuseCommands()
	h.shutdown.Do(func() {
		if h.cfg.Shutdown != nil {
			go h.cfg.Shutdown(r.StopAgents)
		}
	})
	return &body[api.Status]{h.status()}, nil
}

func (h *Handler) status() api.Status {
	health := h.cfg.Service.Health()
	seq, _ := h.cfg.Service.Changed()
	out := api.Status{
		Version: h.cfg.Version, Node: health.Node, PID: os.Getpid(), StartedAt: api.TimeOf(health.StartedAt), Seq: seq,
		Sessions: make(map[string]int, len(health.Sessions)),
		Store:    api.StoreStatus{Error: health.StoreError, Unsaved: health.Unsaved},
		Stopping: isClosed(h.draining),
	}
	for state, n := range health.Sessions {
		out.Sessions[string(state)] = n
	}
	return out
}
