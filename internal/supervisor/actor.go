package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// errRetired: the actor of an archived session has stopped; ask for it again.
var errRetired = errors.New("the session's actor has stopped")

// clockStep is the difference between wall clock and elapsed time that counts
// as a jump: more than NTP slews between two looks, less than any deadline.
const clockStep = 2 * time.Second

// actor owns one session. Only its goroutine changes it.
type actor struct {
	sup     *Supervisor
	id      session.ID
	inbox   chan message
	retired chan struct{}
	current atomic.Pointer[session.Session]
	lastNow time.Time // at the last look at the clock

	mu        sync.Mutex
	watch     *watch // of the present run, nil when none
	launchErr error  // of the last launch
}

type message struct {
	event session.Event
	reply chan<- answer // nil: nobody waits
}

type answer struct {
	s   session.Session
	err error
}

func newActor(sup *Supervisor, s session.Session) *actor {
	a := &actor{sup: sup, id: s.ID, inbox: make(chan message, 16), retired: make(chan struct{}), lastNow: time.Now()}
	a.current.Store(&s)
	return a
}

// session is the session as it is now.
func (a *actor) session() session.Session { return *a.current.Load() }

// tell hands over an observation. It blocks while the actor is busy, and gives
// up only when the supervisor shuts down: what is true then will be seen again.
func (a *actor) tell(e session.Event) {
	if e.At.IsZero() {
		e.At = now()
	}
	select {
	case a.inbox <- message{event: e}:
	case <-a.retired:
	case <-a.sup.ctx.Done():
	}
}

// say is tell for what the supervisor itself saw of the present run.
func (a *actor) say(run int, src session.Source, w session.What) {
	a.tell(session.Event{Run: run, Source: src, What: w})
}

// ask applies a command and returns when it is durable.
func (a *actor) ask(ctx context.Context, c session.Command) (session.Session, error) {
	src := session.FromPerson
	if _, ok := c.(session.AgentDone); ok {
		src = session.FromHook
	}
	reply := make(chan answer, 1)
	select {
	case a.inbox <- message{event: session.Event{At: now(), Source: src, What: c}, reply: reply}:
	case <-a.retired:
		return session.Session{}, errRetired
	case <-a.sup.ctx.Done():
		return session.Session{}, ErrStopping
	case <-ctx.Done():
		return session.Session{}, ctx.Err()
	}
	select {
	case r := <-reply:
		return r.s, r.err
	case <-a.retired:
		return session.Session{}, errRetired
	case <-a.sup.ctx.Done():
		return session.Session{}, ErrStopping
	}
}

// ErrStopping means that the daemon is shutting down; the command was not taken.
var ErrStopping = errors.New("the daemon is shutting down")

// now is the wall clock in the precision that is stored.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func (a *actor) run() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		a.arm(timer)
		select {
		case <-a.sup.ctx.Done():
			return
		case m := <-a.inbox:
			a.lookAtClock()
			a.handle(m)
		case <-timer.C:
			a.lookAtClock()
			a.deadline()
		}
		if a.mayRetire() {
			a.sup.forget(a)
			close(a.retired)
			return
		}
	}
}

// mayRetire reports whether an archived session needs its actor no longer.
func (a *actor) mayRetire() bool {
	s := a.session()
	return s.Life.Closed != nil && s.Ended() && len(a.inbox) == 0
}

func (a *actor) arm(timer *time.Timer) {
	next := session.Deadlines(a.session())
	if len(next) == 0 {
		timer.Stop()
		return
	}
	due := next[0].At.Add(time.Millisecond - 1).Truncate(time.Millisecond) // now() has no finer steps
	timer.Reset(max(time.Until(due), 0))
}

// deadline tells the machine which deadlines are due.
func (a *actor) deadline() {
	at := now()
	for _, d := range session.Deadlines(a.session()) {
		if !d.At.After(at) {
			a.handle(message{event: session.Event{At: at, Source: session.FromSupervisor, What: session.DeadlinePassed{Kind: d.Kind}}})
			return
		}
	}
}

// lookAtClock compares the wall clock with elapsed time since the last look.
// Elapsed time stands still while the machine sleeps, the wall clock does not.
func (a *actor) lookAtClock() {
	n := time.Now()
	jump := n.Round(0).Sub(a.lastNow.Round(0)) - n.Sub(a.lastNow)
	a.lastNow = n
	if jump.Abs() >= clockStep {
		a.handle(message{event: session.Event{At: now(), Source: session.FromSupervisor, What: session.ClockJumped{By: jump.Truncate(time.Millisecond)}}})
	}
}

// handle is one step: Apply, commit, publish, act.
func (a *actor) handle(m message) {
	before := a.session()
	after, effects, err := session.Apply(before, m.event)
	var ignored *session.IgnoredError
	switch {
	case errors.As(err, &ignored):
		after.Rev++
		effects = nil
	case err != nil:
		a.reply(m, before, err)
		return
	}
	_, command := m.event.What.(session.Command)
	change := session.Change{Session: after, PrevRev: before.Rev, Entry: entryOf(before, after, m.event, ignored, effects)}
	seq, saved, err := a.sup.saver.commit(context.WithoutCancel(a.sup.ctx), change, command)
	if err != nil {
		if !command {
			a.sup.cfg.Log.Error("an event could not be recorded", "session", a.id, "event", m.event.Name(), "error", err)
		}
		a.reply(m, before, err)
		return
	}
	a.current.Store(&after)
	a.sup.renamed(before, after)
	a.know(after)
	a.sup.feed.advance(seq)
	a.act(after, effects, saved)
	a.reply(m, after, nil)
}

func (a *actor) reply(m message, s session.Session, err error) {
	if m.reply != nil {
		m.reply <- answer{s: s, err: err}
	}
}

// act starts the effects, once the change that asks for them is durable.
func (a *actor) act(s session.Session, effects []session.Effect, saved <-chan struct{}) {
	if len(effects) == 0 {
		return
	}
	a.sup.work.Go(func() {
		if saved != nil {
			select {
			case <-saved:
			case <-a.sup.ctx.Done():
				return
			}
		}
		for _, e := range effects {
			a.sup.work.Go(func() { a.perform(s, e) })
		}
	})
}

func entryOf(before, after session.Session, e session.Event, ignored *session.IgnoredError, effects []session.Effect) session.Entry {
	detail, err := json.Marshal(e.What)
	if err != nil || string(detail) == "{}" {
		detail = nil
	}
	out := session.Entry{
		Node: after.Node, Session: after.ID, Rev: after.Rev, Run: after.Process.Run, Turn: after.Turn.Number, At: e.At,
		Source: e.Source, Event: e.Name(), Detail: detail, From: before.State, To: after.State, Why: e.Why,
	}
	if e.Run != 0 {
		out.Run = e.Run
	}
	if ignored != nil {
		out.Ignored = ignored.Why
		return out
	}
	if out.Why == "" && before.Why != after.Why {
		out.Why = after.Why
	}
	for _, f := range effects {
		out.Effects = append(out.Effects, session.EffectName(f))
	}
	return out
}
