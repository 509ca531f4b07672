package supervisor

import (
	"errors"
	"os"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// reconcile takes a session back after a daemon's start: what runs is watched
// on in the state it is in, what ended meanwhile is told to the machine.
func (a *actor) reconcile() {
	s := a.session()
	if s.Process.Phase == session.Running {
		a.takeBack(s)
	}
	a.say(0, session.FromSupervisor, session.Loaded{})
}

func (a *actor) takeBack(s session.Session) {
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
		a.watchRun(host, ref, s.Process.ReadTo)
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
