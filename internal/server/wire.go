package server

import (
	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

// wireSession is a session as clients see it. It chooses fields; what they mean
// together is session.ViewOf's.
func wireSession(s session.Session) api.Session {
	view := session.ViewOf(s)
	out := api.Session{
		Identity: api.Identity{ID: string(s.ID), Name: s.Name, Node: s.Node},
		Launch: api.Launch{
			Agent: s.Spec.Agent, Model: s.Spec.Model, Kind: string(s.Spec.Kind), Host: s.Spec.Host,
			Cwd: s.Spec.Cwd, Argv: s.Spec.Argv, Posture: s.Spec.Posture,
		},
		State: string(s.State), AgentState: string(session.Coarse(s.State)), StateAt: api.TimeOf(s.Life.StateAt),
		Reason: string(s.Reason), Rev: s.Rev,
		Process: wireProcess(s.Process),
		Turn:    api.Turn{N: s.Turn.Number, Open: s.Turn.Open, By: string(s.Turn.By)},
		Resume: api.Resume{
			Attempts: s.Resume.Attempts, Max: s.Spec.Policy.MaxResumes, NextAt: api.TimeOf(s.Resume.NextAt),
		},
		NativeID: s.NativeID(), Kept: s.Life.Kept,
		CreatedAt: api.TimeOf(s.Life.CreatedAt), UpdatedAt: api.TimeOf(s.Life.UpdatedAt),
		View: api.View{Label: view.Label, Group: string(view.Group), Why: view.Why},
	}
	if w := s.Waiting; w != nil {
		out.Waiting = &api.Waiting{Kind: w.Kind, Text: w.Text, Since: api.TimeOf(w.Since)}
	}
	if a := s.Attention; a != nil {
		out.Attention = &api.Attention{
			Cause: string(a.Cause), Detail: a.Detail, Since: api.TimeOf(a.Since), Acknowledged: a.Acknowledged,
		}
	}
	if c := s.Life.Closed; c != nil {
		out.Closed = &api.Closed{At: api.TimeOf(c.At), Reason: c.Reason}
	}
	for _, p := range s.Queue {
		out.Queue = append(out.Queue, api.Prompt{
			ID: p.ID, State: string(p.State), At: api.TimeOf(p.At), Text: p.Text, Sanitised: p.Sanitised, Failure: p.Failure,
		})
	}
	return out
}

func wireProcess(p session.Process) api.Process {
	out := api.Process{
		Phase: string(p.Phase), Run: p.Run, PID: p.Proof.PID, Suspended: p.Stopped, HooksSilent: p.HooksSilent,
		StartedAt: api.TimeOf(p.StartedAt), EndedAt: api.TimeOf(p.EndedAt), OutputLost: p.OutputLost,
	}
	if p.Phase == session.Exited || p.Phase == session.Lost {
		out.Exit = wireExit(p.Exit)
	}
	return out
}

// wireExit keeps what was reported apart from what was not. An end that nobody
// saw is unknown.
func wireExit(e *session.Exit) *api.Exit {
	out := &api.Exit{Unknown: e.Unknown()}
	if e == nil {
		return out
	}
	out.Code, out.Signal, out.Source, out.LeftBehind = e.Code, e.Signal, e.Source, e.LeftBehind
	if e.Signal != nil && *e.Signal != 0 {
		out.SignalName = session.SignalName(*e.Signal)
	}
	out.ProbableSignal = e.ProbableSignal()
	return out
}

func wireEntry(e session.Entry) api.Entry {
	return api.Entry{
		Seq: e.Seq, Node: e.Node, Session: string(e.Session), Rev: e.Rev, Run: e.Run, Turn: e.Turn,
		At: api.TimeOf(e.At), Source: string(e.Source), Event: e.Event, Detail: e.Detail,
		From: string(e.From), To: string(e.To), Ignored: e.Ignored, Why: e.Why, Effects: e.Effects,
	}
}

func wireScreen(v supervisor.ScreenView) api.Screen {
	lines := v.Lines
	if lines == nil {
		lines = []string{}
	}
	return api.Screen{
		Run: v.Run, Offset: v.Offset, Size: api.Size{Cols: v.Size.Cols, Rows: v.Size.Rows},
		Lines: lines, Title: v.Title, Cursor: api.Cursor{Col: v.CursorAt[0], Row: v.CursorAt[1]}, Repaint: v.Repaint,
	}
}

func wireSessions(list []session.Session) []api.Session {
	out := make([]api.Session, 0, len(list))
	for _, s := range list {
		out = append(out, wireSession(s))
	}
	return out
}

func wireEntries(list []session.Entry) []api.Entry {
	out := make([]api.Entry, 0, len(list))
	for _, e := range list {
		out = append(out, wireEntry(e))
	}
	return out
}
