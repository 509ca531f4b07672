package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor"
)

func (p *program) doctorCommand() *cobra.Command {
	repair := false
	c := &cobra.Command{
		Use: "doctor", Short: "Find out what is wrong, and the remedy", Args: exactly(0, "no argument"),
		Long: "Looks at the programs, the folders, the database, the daemon and the agents, and says what to do about what is\n" +
			"wrong. It changes nothing, unless --repair is given: then a damaged database is set aside, a fresh one is made of\n" +
			"what can be read of it, and agents of which it knows no session are taken back. Ends with 1 when something\n" +
			"needs you.",
		RunE: func(c *cobra.Command, _ []string) error {
			if repair {
				return p.repair(c.Context())
			}
			return p.doctor(c.Context())
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "save what can be read of a damaged database, and take back agents without a session")
	return c
}

func (p *program) doctor(ctx context.Context) error {
	checks := append(append(p.programs(), p.folders()...), p.configCheck())
	checks = append(checks, p.checkup(ctx)...)
	client, daemon := p.daemonCheck(ctx)
	checks = append(append(checks, daemon...), p.runs(ctx, client)...)
	bad := 0
	for _, c := range checks {
		if !c.OK {
			bad++
		}
	}
	if err := p.printChecks(checks); err != nil {
		return err
	}
	if bad > 0 {
		return failure{exitFailed, fmt.Sprintf("what needs you: %d of %d", bad, len(checks))}
	}
	return nil
}

func (p *program) printChecks(checks []api.Check) error {
	if p.json {
		return p.print(checks)
	}
	for _, c := range checks {
		mark := "ok "
		if !c.OK {
			mark = "BAD"
		}
		fmt.Fprintf(p.stdout, "%s %-20s %s\n", mark, c.Name, clean(c.Detail))
		if c.Remedy != "" {
			fmt.Fprintf(p.stdout, "    %-20s → %s\n", "", clean(c.Remedy))
		}
	}
	return nil
}

// repair needs the daemon to be gone.
func (p *program) repair(ctx context.Context) error {
	lock, err := sqlite.Lock(p.dirs.lock())
	if err != nil {
		return lockError(err)
	}
	defer func() { _ = lock.Release() }()
	kept, err := sqlite.Repair(ctx, p.dirs.database())
	if err != nil {
		return failure{exitFailed, oneLine(err.Error())}
	}
	taken, err := p.takeBack(ctx)
	if p.json {
		ids := []session.ID{}
		for _, s := range taken {
			ids = append(ids, s.ID)
		}
		return errors.Join(p.print(map[string]any{"repaired": kept != "", "keptAs": kept, "takenBack": ids}), err)
	}
	if kept == "" {
		fmt.Fprintln(p.stdout, "the database is not damaged; nothing in it was changed")
	} else {
		fmt.Fprintf(p.stdout, "what could be read is in a fresh database; the damaged one is kept as %s\n", kept)
	}
	for _, s := range taken {
		fmt.Fprintf(p.stdout, "taken back: %s, session %s, run %d%s\n", clean(s.Name), s.ID, s.Process.Run, map[bool]string{true: ", ended: tend ls --all shows it"}[s.Ended()])
	}
	return err
}

// takeBack makes sessions of the runs of which the database knows none. The lock
// is held.
func (p *program) takeBack(ctx context.Context) (taken []session.Session, err error) {
	if _, err := os.Stat(p.dirs.database()); errors.Is(err, fs.ErrNotExist) {
		if refs, err := p.host().Known(ctx); err == nil && len(refs) == 0 {
			return nil, nil // nothing there yet, and nothing is made
		}
	}
	store, err := sqlite.Open(ctx, p.dirs.database(), sqlite.Options{})
	if err != nil {
		return nil, failure{exitFailed, oneLine(err.Error())}
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	taken, err = supervisor.New(p.supervisorConfig(store, slog.New(slog.DiscardHandler))).TakeBack(ctx)
	if err != nil {
		err = failure{exitFailed, oneLine(err.Error())}
	}
	return taken, err
}

// unlocked reports whether no daemon holds the state folder.
func (p *program) unlocked() bool { return p.lockedBy() == nil }

// lockedBy is who holds the state folder, nil for nobody. Another error than
// that is the daemon's to explain.
func (p *program) lockedBy() (by *sqlite.LockedError) {
	if _, err := os.Stat(p.dirs.lock()); err != nil {
		return nil
	}
	lock, err := sqlite.Lock(p.dirs.lock())
	if err == nil {
		_ = lock.Release()
	}
	errors.As(err, &by)
	return by
}
