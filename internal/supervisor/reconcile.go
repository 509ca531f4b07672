package supervisor

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// reconcile takes a session back after a daemon's start: what runs is watched
// on in the state it is in, what ended meanwhile is told to the machine. It
// returns when the machine has taken all that, or ctx is done.
func (a *actor) reconcile(ctx context.Context) {
	s := a.session()
	if s.Process.Phase == session.Running {
		a.takeBack(ctx, s)
	}
	taken := make(chan answer, 1)
	select {
	case a.inbox <- message{event: session.Event{At: now(), Source: session.FromSupervisor, What: session.Loaded{}}, reply: taken}:
	case <-a.sup.ctx.Done():
		return
	}
	select {
	case <-taken:
	case <-ctx.Done():
	}
}

func (a *actor) takeBack(ctx context.Context, s session.Session) {
	ref := s.Ref()
	host, ok := a.sup.cfg.Hosts[s.Spec.Host]
	if !ok {
		a.say(ref.Run, session.FromSupervisor, session.Escalate{
			Cause: session.HostLost, Detail: "this daemon has no host called " + s.Spec.Host,
		})
		return
	}
	sight, err := host.Inspect(a.sup.ctx, ref)
	switch {
	case errors.Is(err, session.ErrNoRun):
		a.say(ref.Run, session.FromHolder, session.ProcessEnded{})
	case err == nil && sight.Exit == nil && sight.Gone:
		// Proven gone, and it left no record: nobody saw it end.
		a.say(ref.Run, session.FromHolder, a.endOf(nil, true, ""))
	default:
		// Alive, ended with a record, or not known now: following tells which.
		_, _, end, _ := host.ReadOutput(ctx, ref, 0, nil)
		a.watchRun(host, ref, s.Process.ReadTo, end)
		if w := a.watching(); err == nil && sight.Exit != nil && w != nil {
			select {
			case <-w.done: // its end has been told
			case <-ctx.Done():
			}
		}
	}
}

// directoriesEvery is how soon a deleted working directory is noticed.
const directoriesEvery = 15 * time.Second

// watchDirectories tells when the directory of a running agent is gone: every
// command that the agent runs there fails.
func (sup *Supervisor) watchDirectories() {
	told := map[session.RunRef]bool{}
	for every(directoriesEvery).wait(sup.ctx) {
		for _, a := range sup.all() {
			s := a.session()
			if s.Process.Phase != session.Running || told[s.Ref()] {
				continue
			}
			if _, err := os.Stat(s.Spec.Cwd); errors.Is(err, os.ErrNotExist) {
				told[s.Ref()] = true
				a.say(s.Process.Run, session.FromSupervisor, session.Escalate{
					Cause: session.WorktreeMissing, Detail: "its directory is gone: " + s.Spec.Cwd,
				})
			}
		}
	}
}
