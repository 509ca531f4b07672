package supervisor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/tendhq/tend/internal/session"
)

// takenBack is why a session is there again, for people.
const takenBack = "taken back at a repair: its run was found, and its session was lost"

// TakeBack makes sessions of the runs of which the store knows no session, each
// from its newest run's launch record: of a run that lives an open session, of
// one that has ended an archived one. One that cannot be taken back never stops
// the rest; the errors say why. It is for a supervisor that is not started, on a
// store that nobody else uses; the next one watches what lives.
func (sup *Supervisor) TakeBack(ctx context.Context) (taken []session.Session, err error) {
	open, err := sup.cfg.Store.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the sessions: %w", err)
	}
	for _, s := range open {
		sup.names[s.Name] = s.ID
	}
	var all []error
	for _, name := range keys(sup.cfg.Hosts) {
		refs, err := sup.lostRuns(ctx, sup.cfg.Hosts[name])
		all = append(all, err)
		for _, ref := range refs {
			s, err := sup.takeBackRun(ctx, name, ref)
			if err != nil {
				all = append(all, fmt.Errorf("take back %s: %w", ref, err))
			} else if s.ID != "" {
				taken = append(taken, s)
			}
		}
	}
	return taken, errors.Join(all...)
}

// lostRuns lists the newest run of every session that a host knows and the store
// does not.
func (sup *Supervisor) lostRuns(ctx context.Context, host Host) ([]session.RunRef, error) {
	known, err := host.Known(ctx)
	if err != nil {
		return nil, err
	}
	newest := map[session.ID]int{}
	for _, ref := range known {
		if _, err := ulid.ParseStrict(string(ref.ID)); err == nil {
			newest[ref.ID] = max(newest[ref.ID], ref.Run)
		}
	}
	var out []session.RunRef
	for id, run := range newest {
		switch _, err := sup.cfg.Store.Get(ctx, id); {
		case errors.Is(err, session.ErrNotFound):
			out = append(out, session.RunRef{ID: id, Run: run})
		case err != nil:
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b session.RunRef) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out, nil
}

// takeBackRun returns no session for a run that never started.
func (sup *Supervisor) takeBackRun(ctx context.Context, host string, ref session.RunRef) (session.Session, error) {
	sight, err := sup.cfg.Hosts[host].Inspect(ctx, ref)
	if err != nil {
		return session.Session{}, err
	}
	if !sight.Started || !sight.Alive && !sight.Gone {
		return session.Session{}, nil
	}
	l, err := sup.cfg.Hosts[host].Recorded(ctx, ref)
	if err != nil {
		return session.Session{}, err
	}
	if len(l.Argv) == 0 {
		return session.Session{}, errors.New("its launch record names no command")
	}
	name, err := sup.takeName(ref.ID, NewSession{Name: sup.freeName(l.Name), Spec: sup.specOf(host, l)})
	if err != nil {
		return session.Session{}, err
	}
	events := []session.What{
		session.Created{ID: ref.ID, Node: sup.cfg.Node, Name: name, Spec: sup.specOf(host, l), Run: ref.Run},
		session.Launched{Proof: sight.Process, StartedAt: sight.StartedAt},
	}
	if !sight.Alive {
		events = append(events, session.ProcessEnded{Exit: sight.Exit, FoundDead: sight.Exit == nil}, session.Close{Reason: takenBack})
	}
	return sup.record(ctx, events)
}

// freeName is a lost session's name, "" when another has it now.
func (sup *Supervisor) freeName(name string) string {
	if sup.names[name] != "" || checkName(name) != nil {
		return ""
	}
	return name
}

// specOf is how a session is launched again, as its run tells.
func (sup *Supervisor) specOf(host string, l session.Launch) session.Spec {
	spec := l.Spec
	if len(spec.Argv) == 0 { // the record of an older tend
		spec = session.Spec{Argv: l.Argv, Cwd: l.Cwd, Size: l.Size}
		if l.ReadOnly {
			spec.Kind = session.Job
		}
	}
	spec.Host = host
	sup.fillIn(&spec)
	spec.Caps = sup.cfg.Agents[spec.Agent].Caps
	return spec
}

// record commits the events of a new session, one after the other. Nothing is
// done about them.
func (sup *Supervisor) record(ctx context.Context, events []session.What) (s session.Session, err error) {
	for _, w := range events {
		e := session.Event{At: now(), Source: session.FromSupervisor, Why: takenBack, What: w}
		after, effects, err := session.Apply(s, e)
		if err != nil {
			return session.Session{}, err
		}
		change := session.Change{Session: after, PrevRev: s.Rev, Entry: entryOf(s, after, e, nil, effects)}
		if _, err := sup.cfg.Store.Commit(ctx, change); err != nil {
			return session.Session{}, err
		}
		s = after
	}
	return s, nil
}
