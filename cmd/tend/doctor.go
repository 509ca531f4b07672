package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/sqlite"
)

func (p *program) doctorCommand() *cobra.Command {
	repair := false
	c := &cobra.Command{
		Use: "doctor", Short: "Find out what is wrong, and the remedy", Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			if repair {
				return p.repair(c.Context())
			}
			return p.doctor(c.Context())
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "set a damaged database aside and save what can be read of it")
	return c
}

func (p *program) doctor(ctx context.Context) error {
	checks := append(p.programs(), p.folders()...)
	checks = append(checks, p.checkup(ctx)...)
	if st, err := api.NewClient(p.dirs.socket()).Status(ctx); err == nil {
		checks = append(checks, api.Check{Name: "daemon", OK: st.Store.Error == "", Detail: fmt.Sprintf("runs, pid %d %s", st.PID, oneLine(st.Store.Error))})
	} else {
		checks = append(checks, api.Check{Name: "daemon", OK: true, Detail: "does not run; a verb that needs it starts it"})
	}
	if p.json {
		return p.print(checks)
	}
	bad := 0
	for _, c := range checks {
		mark := "ok "
		if !c.OK {
			mark, bad = "BAD", bad+1
		}
		fmt.Fprintf(p.stdout, "%s %-20s %s\n", mark, c.Name, clean(c.Detail))
		if c.Remedy != "" {
			fmt.Fprintf(p.stdout, "    %-20s → %s\n", "", clean(c.Remedy))
		}
	}
	if bad > 0 {
		return failure{exitFailed, fmt.Sprintf("%d findings need you", bad)}
	}
	return nil
}

// programs checks that the holder's binary is there.
func (p *program) programs() []api.Check {
	self, err := os.Executable()
	if err != nil {
		return []api.Check{{Name: "program", Detail: err.Error()}}
	}
	beside := filepath.Join(filepath.Dir(self), "tend-hold")
	if _, err := os.Stat(beside); err == nil {
		return []api.Check{{Name: "tend-hold", OK: true, Detail: beside}}
	}
	if found, err := exec.LookPath("tend-hold"); err == nil {
		return []api.Check{{Name: "tend-hold", OK: true, Detail: found}}
	}
	return []api.Check{{Name: "tend-hold", OK: true, Detail: "not found; tend itself holds the terminals, with more memory", Remedy: "put tend-hold beside " + self}}
}

func (p *program) folders() (out []api.Check) {
	for name, dir := range map[string]string{"state folder": p.dirs.state, "runtime folder": p.dirs.runtime} {
		c := api.Check{Name: name, OK: true, Detail: dir}
		st, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.Detail += " (made when it is needed)"
		case err != nil:
			c.OK, c.Detail = false, dir+": "+reason(err).Error()
		case st.Mode().Perm()&0o077 != 0:
			c.OK, c.Detail, c.Remedy = false, fmt.Sprintf("%s has mode %v: others can look in", dir, st.Mode().Perm()), "chmod 700 "+dir
		}
		out = append(out, c)
	}
	return out
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
	if kept == "" {
		fmt.Fprintln(p.stdout, "the database is not damaged; nothing was changed")
		return nil
	}
	fmt.Fprintf(p.stdout, "what could be read is in a fresh database; the damaged one is kept as %s\n", kept)
	return nil
}

// unlocked reports whether no daemon holds the state folder.
func (p *program) unlocked() bool {
	lock, err := sqlite.Lock(p.dirs.lock())
	var locked *sqlite.LockedError
	if err == nil {
		_ = lock.Release()
	}
	return !errors.As(err, &locked) // another error is the daemon's to explain
}
