package supervisor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tendhq/tend/internal/session"
)

// Get returns one session, archived or not.
func (sup *Supervisor) Get(ctx context.Context, id session.ID) (session.Session, error) {
	sup.mu.Lock()
	a, ok := sup.actors[id]
	sup.mu.Unlock()
	if ok {
		return a.session(), nil
	}
	return sup.cfg.Store.Get(ctx, id)
}

// List returns open sessions, or archived ones, oldest first.
func (sup *Supervisor) List(ctx context.Context, archived bool) ([]session.Session, error) {
	if archived {
		out, err := sup.cfg.Store.Archived(ctx, "", 0)
		slices.SortFunc(out, byID)
		return out, err
	}
	var out []session.Session
	for _, a := range sup.all() {
		if s := a.session(); s.Life.Closed == nil {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, byID)
	return out, nil
}

func byID(a, b session.Session) int { return cmp.Compare(a.ID, b.ID) }

// Resolve finds a session by id, unique id prefix or name. An open session is
// preferred to an archived one, a name to a prefix.
func (sup *Supervisor) Resolve(ctx context.Context, nameOrID string) (session.ID, error) {
	if nameOrID == "" {
		return "", &InputError{Field: "id", Message: "no session named: give an id, a prefix of one or a name"}
	}
	open, err := sup.List(ctx, false)
	if err != nil {
		return "", err
	}
	if id, err := pick(open, nameOrID); !errors.Is(err, session.ErrNotFound) {
		return id, err
	}
	archived, err := sup.cfg.Store.Archived(ctx, nameOrID, 0)
	if err != nil {
		return "", err
	}
	return pick(archived, nameOrID)
}

func pick(list []session.Session, nameOrID string) (session.ID, error) {
	var prefix []session.ID
	for _, s := range list {
		if string(s.ID) == nameOrID || s.Name == nameOrID {
			return s.ID, nil
		}
		if strings.HasPrefix(string(s.ID), strings.ToUpper(nameOrID)) {
			prefix = append(prefix, s.ID)
		}
	}
	switch len(prefix) {
	case 0:
		return "", fmt.Errorf("%w: %q: tend ls --all lists them", session.ErrNotFound, nameOrID)
	case 1:
		return prefix[0], nil
	}
	return "", &AmbiguousError{Prefix: nameOrID, IDs: prefix}
}

// Journal returns entries after seq.
func (sup *Supervisor) Journal(ctx context.Context, id session.ID, after int64, limit int) ([]session.Entry, error) {
	return sup.cfg.Store.Journal(ctx, id, after, limit)
}

// Output reads recorded output of a run; run 0 is the newest.
func (sup *Supervisor) Output(ctx context.Context, id session.ID, run int, offset int64, p []byte) (n int, first, end int64, err error) {
	s, host, err := sup.hosted(ctx, id)
	if err != nil {
		return 0, 0, 0, err
	}
	ref := s.Ref()
	if run != 0 {
		ref.Run = run
	}
	n, first, end, err = host.ReadOutput(ctx, ref, offset, p)
	if errors.Is(err, session.ErrNoRun) {
		err = &InputError{Field: "run", Message: fmt.Sprintf("session %s has no run %d", s.Name, ref.Run)}
	}
	return n, first, end, err
}

func (sup *Supervisor) hosted(ctx context.Context, id session.ID) (session.Session, Host, error) {
	s, err := sup.Get(ctx, id)
	if err != nil {
		return s, nil, err
	}
	host, ok := sup.cfg.Hosts[s.Spec.Host]
	if !ok {
		return s, nil, fmt.Errorf("this daemon has no host called %q", s.Spec.Host)
	}
	return s, host, nil
}

// Screen is the present or last screen of a session.
func (sup *Supervisor) Screen(ctx context.Context, id session.ID) (ScreenView, error) {
	s, host, err := sup.hosted(ctx, id)
	if err != nil {
		return ScreenView{}, err
	}
	sup.mu.Lock()
	a := sup.actors[id]
	sup.mu.Unlock()
	if a != nil {
		if w := a.watching(); w != nil {
			var v ScreenView
			if err := w.call(ctx, func() { v = w.view.Screen.Look(); v.Offset = w.offset }); err == nil {
				v.Run = w.ref.Run
				return v, nil
			}
		}
	}
	return sup.lastScreen(ctx, s, host)
}

// lastScreen rebuilds the screen of a run that nobody watches.
func (sup *Supervisor) lastScreen(ctx context.Context, s session.Session, host Host) (ScreenView, error) {
	agent, ok := sup.cfg.Agents[s.Spec.Agent]
	if !ok {
		return ScreenView{}, fmt.Errorf("no agent called %q", s.Spec.Agent)
	}
	ref := s.Ref()
	off, saved, err := host.LoadScreen(ctx, ref)
	if err != nil {
		off, saved = 0, nil
	}
	w, err := agent.Watch(s, s.Spec.Size, saved)
	if err != nil {
		return ScreenView{}, err
	}
	buf := make([]byte, 1<<16)
	for {
		n, first, end, err := host.ReadOutput(ctx, ref, off, buf)
		if err != nil {
			return ScreenView{}, err
		}
		off = max(off, first)
		w.Reader.Feed(s.Life.UpdatedAt, session.Output{Offset: off, Data: buf[:n]})
		off += int64(n)
		if n == 0 || off >= end {
			break
		}
	}
	v := w.Screen.Look()
	v.Run, v.Offset = ref.Run, off
	return v, nil
}
