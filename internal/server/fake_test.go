package server

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

var t0 = time.Date(2026, 3, 4, 5, 6, 7, 89_999_999, time.UTC)

// fakeService is a supervisor.Service in memory: it remembers what it was asked
// and answers what a test has put in.
type fakeService struct {
	mu       sync.Mutex
	sessions map[session.ID]session.Session
	journal  []session.Entry
	more     chan struct{}
	created  []supervisor.NewSession
	commands []session.Command
	output   []byte
	first    int64 // what the output's cap has dropped
	screen   supervisor.ScreenView
	err      error // what every method but Health and Changed returns
	hook     func(context.Context)
}

func newFake(ss ...session.Session) *fakeService {
	f := &fakeService{sessions: map[session.ID]session.Session{}, more: make(chan struct{})}
	for _, s := range ss {
		f.sessions[s.ID] = s
	}
	return f
}

// commit appends n entries about a session and tells the readers.
func (f *fakeService) commit(id session.ID, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range n {
		f.journal = append(f.journal, session.Entry{
			Seq: int64(len(f.journal) + 1), Node: "n", Session: id, Rev: 1, Run: 1, Turn: 2, At: t0, Source: session.FromHook,
			Event: "TurnStarted", Detail: []byte(`{"native":"x"}`), From: session.Ready, To: session.Busy, Effects: []string{"TypePrompt"},
		})
	}
	close(f.more)
	f.more = make(chan struct{})
}

func (f *fakeService) put(s session.Session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions[s.ID] = s
}

func (f *fakeService) failWith(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fakeService) Create(_ context.Context, n supervisor.NewSession) (session.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.created = append(f.created, n)
	if f.err != nil {
		return session.Session{}, f.err
	}
	s := session.Session{ID: "01NEW", Name: n.Name, Spec: n.Spec, State: session.Starting}
	f.sessions[s.ID] = s
	return s, nil
}

func (f *fakeService) Command(ctx context.Context, id session.ID, c session.Command) (session.Session, error) {
	f.mu.Lock()
	f.commands = append(f.commands, c)
	s, hook, err := f.sessions[id], f.hook, f.err
	f.mu.Unlock()
	if hook != nil {
		hook(ctx)
	}
	return s, err
}

func (f *fakeService) Get(_ context.Context, id session.ID) (session.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return session.Session{}, f.err
	}
	s, ok := f.sessions[id]
	if !ok {
		return s, session.ErrNotFound
	}
	return s, nil
}

func (f *fakeService) List(_ context.Context, archived bool) ([]session.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []session.Session
	for _, s := range f.sessions {
		if (s.Life.Closed != nil) == archived {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b session.Session) int { return cmpID(a.ID, b.ID) })
	return out, f.err
}

func cmpID(a, b session.ID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (f *fakeService) Resolve(_ context.Context, nameOrID string) (session.ID, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, s := range f.sessions {
		if string(id) == nameOrID || s.Name == nameOrID {
			return id, nil
		}
	}
	return "", fmt.Errorf("look up: %w", session.ErrNotFound)
}

func (f *fakeService) Journal(_ context.Context, id session.ID, after int64, limit int) ([]session.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []session.Entry
	for _, e := range f.journal {
		if e.Seq > after && (id == "" || e.Session == id) && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, f.err
}

func (f *fakeService) Changed() (int64, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(len(f.journal)), f.more
}

func (f *fakeService) Screen(context.Context, session.ID) (supervisor.ScreenView, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.screen, f.err
}

func (f *fakeService) Output(_ context.Context, _ session.ID, run int, offset int64, p []byte) (int, int64, int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if run != 3 {
		return 0, 0, 0, session.ErrNoRun
	}
	end := int64(len(f.output))
	offset = min(max(offset, f.first), end)
	return copy(p, f.output[offset:]), f.first, end, f.err
}

func (f *fakeService) Health() supervisor.Health {
	return supervisor.Health{
		Node: "n", StartedAt: t0, Sessions: map[session.State]int{session.Busy: 2}, StoreError: "disk full", Unsaved: 3,
	}
}

func (f *fakeService) StopAll(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fakeService) lastCommand() session.Command {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commands[len(f.commands)-1]
}
