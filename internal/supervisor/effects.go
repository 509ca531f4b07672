package supervisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// launchTimeout bounds a launch; a host answers much sooner.
const launchTimeout = 30 * time.Second

// releaseTimeout bounds the farewell to a holder, at a shutdown too.
const releaseTimeout = 2 * time.Second

// stopGrace is the wait between the signals of the stop policy (DESIGN 5).
const stopGrace = 5 * time.Second

// perform does one effect in the world. What comes of it returns as an event.
func (a *actor) perform(s session.Session, e session.Effect) {
	host, ok := a.sup.cfg.Hosts[s.Spec.Host]
	if !ok {
		a.say(s.Process.Run, session.FromSupervisor, session.Escalate{
			Cause: session.HostLost, Detail: "this daemon has no host called " + s.Spec.Host,
		})
		return
	}
	switch e := e.(type) {
	case session.StartProcess:
		a.start(host, s, e)
	case session.StopProcess:
		a.stop(host, s, e.Ref)
	case session.TypePrompt:
		a.typePrompt(host, e)
	case session.TypeAnswer:
		a.typeAnswer(host, e)
	case session.TypeInterrupt:
		a.typeInterrupt(host, e)
	case session.SeekTruth:
		a.seekTruth(host, s, e.Ref)
	case session.ReadExit:
		a.readExit(host, e.Ref)
	case session.ReleaseRun:
		a.release(host, e.Ref)
	case session.Remind:
		// The journal row is the reminder; notifiers read the journal.
	}
}

// start launches a run. It is safe to repeat: the host starts a run once.
func (a *actor) start(host Host, s session.Session, e session.StartProcess) {
	ctx, cancel := context.WithTimeout(a.sup.ctx, launchTimeout)
	defer cancel()
	native, err := a.prepare(ctx, host, s, e)
	if err != nil {
		a.launchFailed(e.Ref, err)
		return
	}
	if native != "" {
		a.say(e.Ref.Run, session.FromSupervisor, session.NativeSeen{ID: native})
	}
	sight, err := host.Launch(ctx, e.Ref)
	if a.sup.ctx.Err() != nil {
		return // the next daemon finds out
	}
	if err != nil {
		a.launchFailed(e.Ref, err)
		return
	}
	a.say(e.Ref.Run, session.FromHolder, session.Launched{Proof: sight.Process, StartedAt: sight.StartedAt})
	a.watchRun(host, e.Ref, 0, 0)
}

func (a *actor) launchFailed(ref session.RunRef, err error) {
	var missing *session.LaunchError
	spec := a.session().Spec
	if how := a.sup.cfg.Agents[spec.Agent].Install; how != "" && errors.As(err, &missing) && missing.Kind == "notFound" {
		err = &session.LaunchError{Kind: missing.Kind, Detail: missing.Detail + " (" + how + " gets it)"}
	}
	a.mu.Lock()
	a.launchErr = err
	a.mu.Unlock()
	kind := "failed"
	var le *session.LaunchError
	if errors.As(err, &le) {
		kind = le.Kind
	}
	a.say(ref.Run, session.FromHolder, session.LaunchFailed{Kind: kind, Detail: err.Error()})
}

// prepare writes the launch record of a relaunch, and returns the name of a new
// conversation. The first run's was written before the session was created, with
// the environment that came with it.
func (a *actor) prepare(ctx context.Context, host Host, s session.Session, e session.StartProcess) (native string, err error) {
	if e.Ref.Run == 1 {
		return "", nil
	}
	prev := session.RunRef{ID: e.Ref.ID, Run: e.Ref.Run - 1}
	if sight, err := host.Inspect(ctx, prev); err == nil && sight.Alive {
		return "", &session.LaunchError{Kind: "failed", Detail: fmt.Sprintf("run %d still runs: tend stop ends it", prev.Run)}
	}
	sight, err := host.Inspect(ctx, e.Ref)
	if err == nil && sight.Started {
		return "", nil
	}
	s.Spec.Posture = a.sup.posture(s.Spec, nil) // its settings may have changed since
	l, native, err := a.sup.launchOf(s.Spec, e.NativeID)
	if err != nil {
		return "", err
	}
	l.EnvFromRun, l.Name = prev.Run, s.Name
	return native, host.Prepare(ctx, e.Ref, l)
}

// stop ends the run's tree. The end itself arrives from the terminal.
func (a *actor) stop(host Host, s session.Session, ref session.RunRef) {
	left, err := retry(a.sup.ctx, func(ctx context.Context) ([]int, error) {
		return host.Stop(ctx, ref, session.StopOrder{Signal: s.Spec.Caps.StopSignal, Grace: stopGrace})
	})
	switch {
	case errors.Is(err, session.ErrNoRun):
		a.say(ref.Run, session.FromHolder, session.ProcessEnded{})
	case err != nil && a.sup.ctx.Err() == nil:
		a.say(ref.Run, session.FromHolder, session.Escalate{Cause: session.HostLost, Detail: "it could not be stopped: " + err.Error()})
	case len(left) > 0:
		a.say(ref.Run, session.FromHolder, session.StopFinished{LeftBehind: left})
	}
}

// seekTruth reads the end of a run again until it is known, or the machine has
// stopped waiting for it.
func (a *actor) seekTruth(host Host, s session.Session, ref session.RunRef) {
	ctx, cancel := context.WithTimeout(a.sup.ctx, s.Spec.Policy.ExitTruth)
	defer cancel()
	for tick := every(time.Second); ; {
		sight, err := host.Inspect(ctx, ref)
		if err == nil && sight.Exit != nil && !sight.Exit.Unknown() {
			a.say(ref.Run, session.FromHolder, a.endOf(sight.Exit, false, ""))
			return
		}
		if !tick.wait(ctx) {
			return
		}
	}
}

// readExit is the sweep's second witness: the exit record, and no process.
func (a *actor) readExit(host Host, ref session.RunRef) {
	sight, err := host.Inspect(a.sup.ctx, ref)
	a.say(ref.Run, session.FromHolder, session.ExitRead{
		Exit: sight.Exit, Failed: err != nil || sight.Alive, Viewers: a.viewers(),
	})
}

// release is repeated by nobody: a holder that is not told ends by itself.
func (a *actor) release(host Host, ref session.RunRef) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.sup.ctx), releaseTimeout)
	defer cancel()
	if err := host.Release(ctx, ref); err != nil && !errors.Is(err, session.ErrNoRun) && !errors.Is(err, session.ErrUnreachable) {
		a.sup.cfg.Log.Warn("a holder was not released; it ends by itself", "run", ref.String(), "error", err)
	}
}

// attempts is how often an unreachable host is asked again.
const attempts = 5

func retry[T any](ctx context.Context, f func(context.Context) (T, error)) (out T, err error) {
	tick := every(time.Second)
	for range attempts {
		if out, err = f(ctx); !errors.Is(err, session.ErrUnreachable) || !tick.wait(ctx) {
			break
		}
	}
	return out, err
}

// every paces a loop that asks again.
type every time.Duration

// wait returns false when ctx is done.
func (d every) wait(ctx context.Context) bool {
	t := time.NewTimer(time.Duration(d))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
