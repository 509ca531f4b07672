package supervisor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// Config is what a Supervisor is built from.
type Config struct {
	Node   string // this machine's name in the journal
	Store  Store
	Hosts  map[string]Host
	Agents map[string]Agent
	// Env is added to every agent's environment, such as the daemon's socket.
	Env  []string
	Hook []string // the hook command, without the run's folder
	// Listen delivers the events of a stream until ctx is done or it ends, each as
	// one JSON object; pages that are read first have the fields first and body.
	Listen   func(ctx context.Context, s session.Stream, f func(event []byte)) error
	Defaults Defaults
	Log      *slog.Logger
}

// Defaults fill in what a wish for a session leaves open.
type Defaults struct {
	Host   string
	Agent  func(argv []string) string // the agent that a command line starts
	Policy session.Policy
	Size   session.Size
}

// Supervisor keeps the sessions of one machine. It implements Service.
type Supervisor struct {
	cfg     Config
	saver   *saver
	feed    *feed
	started time.Time
	ctx     context.Context // ends when the supervisor shuts down
	cancel  context.CancelFunc
	work    sync.WaitGroup

	typing   sync.WaitGroup // prompts being typed
	draining atomic.Bool    // no prompt is begun any more

	mu     sync.Mutex
	actors map[session.ID]*actor
	names  map[string]session.ID // of open sessions and of those being created
	// answers are those being typed, by their id, with who waits for each.
	answers map[string]chan<- error
}

var _ Service = (*Supervisor)(nil)

// New builds a supervisor; Start sets it to work.
func New(cfg Config) *Supervisor {
	ctx, cancel := context.WithCancel(context.Background())
	f := newFeed()
	return &Supervisor{
		cfg: cfg, feed: f, saver: newSaver(cfg.Store, f, cfg.Log), ctx: ctx, cancel: cancel, started: time.Now(),
		actors: map[session.ID]*actor{}, names: map[string]session.ID{}, answers: map[string]chan<- error{},
	}
}

// settleTime is how long a start waits for hosts that are slow to answer.
const settleTime = 3 * time.Second

// Start loads the sessions and takes back what runs: it asks each host what is
// alive, and does not replay history. It returns when every session is as its
// host says it is, or a few seconds later with those still unknown that no host
// has answered for.
func (sup *Supervisor) Start(ctx context.Context) error {
	head, err := sup.cfg.Store.Head(ctx)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	sup.feed.advance(head)
	sup.work.Go(func() { sup.saver.run(sup.ctx) })
	sup.work.Go(func() { sup.watchDirectories() })
	rows, err := sup.cfg.Store.Load(ctx)
	if err != nil {
		return fmt.Errorf("load the sessions: %w", err)
	}
	settled, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range rows {
		a := sup.adopt(s)
		all.Add(1)
		sup.work.Go(func() { defer all.Done(); a.reconcile(settled) })
	}
	_ = finished(settled, &all)
	return nil
}

// Shutdown ends the supervisor. Agents go on unless stopAgents is set; then it
// returns when they have ended or ctx is done. Typing in progress is finished.
func (sup *Supervisor) Shutdown(ctx context.Context, stopAgents bool) error {
	var err error
	if stopAgents {
		err = sup.StopAll(ctx)
	}
	sup.draining.Store(true)
	typed, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	_ = finished(typed, &sup.typing)
	sup.cancel()
	if werr := finished(ctx, &sup.work); werr != nil {
		return fmt.Errorf("shutting down: %w", werr)
	}
	return err
}

// drainTime is how long a shutdown waits for a prompt that is being typed.
const drainTime = 5 * time.Second

// finished waits for a group, at most until ctx is done.
func finished(ctx context.Context, g *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() { g.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stopLimit bounds how long the agents may take to end: two graces of the stop
// policy, and as much again for a busy machine.
const stopLimit = time.Minute

// StopAll stops every session; see Commands.
func (sup *Supervisor) StopAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	var left RunningError
	failed := func(a *actor, err error) {
		left.Names = append(left.Names, a.session().Name)
		left.Cause = cmp.Or(left.Cause, err)
	}
	var told []*actor
	for _, a := range sup.all() {
		_, err := a.ask(ctx, session.Stop{})
		switch {
		case err == nil:
			told = append(told, a)
		case !errors.Is(err, errRetired):
			failed(a, err)
		}
	}
	for _, a := range told {
		if _, err := sup.until(ctx, a, session.Session.Ended); err != nil {
			failed(a, errors.New("it was told to stop and has not ended yet"))
		}
	}
	if len(left.Names) > 0 {
		return &left
	}
	return nil
}

// until waits for a session to satisfy cond.
func (sup *Supervisor) until(ctx context.Context, a *actor, cond func(session.Session) bool) (session.Session, error) {
	for {
		_, more := sup.feed.changed()
		if s := a.session(); cond(s) {
			return s, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return a.session(), ctx.Err()
		}
	}
}

func (sup *Supervisor) all() []*actor {
	sup.mu.Lock()
	defer sup.mu.Unlock()
	out := make([]*actor, 0, len(sup.actors))
	for _, a := range sup.actors {
		out = append(out, a)
	}
	return out
}

// adopt starts the actor of a session that is in the store.
func (sup *Supervisor) adopt(s session.Session) *actor {
	sup.mu.Lock()
	defer sup.mu.Unlock()
	if a, ok := sup.actors[s.ID]; ok {
		return a
	}
	a := newActor(sup, s)
	sup.actors[s.ID] = a
	if s.Life.Closed == nil {
		sup.names[s.Name] = s.ID
	}
	sup.work.Go(a.run)
	return a
}

// forget ends the bookkeeping of an archived session; its actor has stopped.
func (sup *Supervisor) forget(a *actor) {
	sup.mu.Lock()
	defer sup.mu.Unlock()
	if sup.actors[a.id] == a {
		delete(sup.actors, a.id)
	}
	sup.dropName(a.id)
}

// dropName frees the names that id holds; mu is held.
func (sup *Supervisor) dropName(id session.ID) {
	for n, owner := range sup.names {
		if owner == id {
			delete(sup.names, n)
		}
	}
}

// actorOf returns the actor of a session, starting one for an archived session.
func (sup *Supervisor) actorOf(ctx context.Context, id session.ID) (*actor, error) {
	sup.mu.Lock()
	a, ok := sup.actors[id]
	sup.mu.Unlock()
	if ok {
		return a, nil
	}
	s, err := sup.cfg.Store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return sup.adopt(s), nil
}

// Health describes the daemon.
func (sup *Supervisor) Health() Health {
	h := Health{Node: sup.cfg.Node, StartedAt: sup.started, Sessions: map[session.State]int{}}
	for _, a := range sup.all() {
		if s := a.session(); s.Life.Closed == nil {
			h.Sessions[s.State]++
		}
	}
	h.StoreError, h.Unsaved = sup.saver.trouble()
	return h
}
