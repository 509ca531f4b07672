package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/pty"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
)

// programs checks that the holder's program is there and belongs to this one.
func (p *program) programs() []api.Check {
	self, err := os.Executable()
	if err != nil {
		return []api.Check{{Name: "program", Detail: err.Error(), Remedy: "start tend by its path"}}
	}
	out := []api.Check{{Name: "program", OK: true, Detail: self + ", version " + version}}
	hold, ok := pty.HoldProgram(self)
	if !ok {
		return append(out, api.Check{
			Name: "tend-hold", OK: true, Detail: "not found; tend itself holds the terminals, with more memory",
			Remedy: "put tend-hold beside " + self,
		})
	}
	return append(out, sameBuild(self, hold))
}

// sameBuild compares what the two programs were made with.
func sameBuild(self, hold string) api.Check {
	c := api.Check{Name: "tend-hold", Detail: hold, Remedy: "put the tend-hold that came with this tend beside it"}
	mine, err := buildinfo.ReadFile(self)
	if err != nil {
		return api.Check{Name: "tend-hold", OK: true, Detail: hold}
	}
	theirs, err := buildinfo.ReadFile(hold)
	switch {
	case err != nil:
		c.Detail += " is no program that this one knows: " + oneLine(err.Error())
	case theirs.Main.Path != mine.Main.Path:
		c.Detail += " is another program: " + theirs.Path
	case theirs.GoVersion != mine.GoVersion || theirs.Main.Version != mine.Main.Version:
		c.Detail += fmt.Sprintf(" was not built together with tend (%s %s, %s %s)", theirs.Main.Version, theirs.GoVersion, mine.Main.Version, mine.GoVersion)
	default:
		c.OK, c.Remedy = true, ""
	}
	return c
}

func (p *program) folders() (out []api.Check) {
	for _, f := range []struct{ name, dir string }{{"state folder", p.dirs.state}, {"runtime folder", p.dirs.runtime}} {
		c := api.Check{Name: f.name, OK: true, Detail: f.dir}
		st, err := os.Lstat(f.dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.Detail += " (made when it is needed)"
		case err != nil:
			c.OK, c.Detail, c.Remedy = false, f.dir+": "+reason(err).Error(), "make it possible to look into it"
		case !st.IsDir() || !mine(st):
			c.OK, c.Detail, c.Remedy = false, f.dir+" is not a folder of yours", "move it away"
		case unix.Access(f.dir, unix.W_OK|unix.X_OK) != nil:
			c.OK, c.Detail, c.Remedy = false, f.dir+" cannot be written to", "give yourself the right to, or find out why its disk is read-only"
		case st.Mode().Perm()&0o077 != 0:
			c.OK, c.Detail, c.Remedy = false, fmt.Sprintf("%s has mode %v: others can look in", f.dir, st.Mode().Perm()), "chmod 700 "+f.dir
		}
		out = append(out, c)
	}
	return out
}

func (p *program) configCheck() api.Check {
	if p.cfgErr != nil {
		_, line := exitOf(p.cfgErr)
		return api.Check{Name: "configuration", Detail: line, Remedy: "mend it: the daemon does not start with it; tend help config documents every key"}
	}
	return api.Check{Name: "configuration", OK: true, Detail: p.dirs.configFile()}
}

// daemonCheck looks at the daemon, its socket and its lock. The client is nil
// when none answers.
func (p *program) daemonCheck(ctx context.Context) (*api.Client, []api.Check) {
	by := p.lockedBy()
	c, err := p.running(ctx)
	if err != nil && by == nil {
		return nil, []api.Check{{Name: "daemon", OK: true, Detail: "does not run; a verb that needs it starts it"}}
	}
	if err != nil {
		return nil, []api.Check{{
			Name: "daemon", Detail: fmt.Sprintf("process %d holds %s and does not answer on %s", by.PID, p.dirs.state, strings.Join(p.dirs.sockets(), " or ")),
			Remedy: fmt.Sprintf("wait a moment; if that does not help, end process %d: agents go on", by.PID),
		}}
	}
	st, err := c.Status(ctx)
	if err != nil {
		return nil, []api.Check{{Name: "daemon", Detail: oneLine(err.Error()), Remedy: "try again"}}
	}
	d := api.Check{Name: "daemon", OK: true, Detail: fmt.Sprintf("runs, pid %d, version %s, on %s", st.PID, st.Version, p.dirs.listening())}
	if st.Version != version {
		d.Remedy = fmt.Sprintf("this program is version %s: tend shutdown, and the next verb starts the new daemon; agents go on", version)
	}
	out := []api.Check{d}
	if st.Store.Error != "" {
		out = append(out, api.Check{
			Name: "saving", Detail: fmt.Sprintf("%d changes wait in memory: %s", st.Store.Unsaved, oneLine(st.Store.Error)),
			Remedy: "see the database above; agents go on meanwhile",
		})
	}
	return c, out
}

// runs looks for agents that no session on the list stands for.
func (p *program) runs(ctx context.Context, c *api.Client) []api.Check {
	alive, err := p.live(ctx)
	if err != nil {
		return []api.Check{{Name: "agents", Detail: oneLine(err.Error()), Remedy: "make it possible to read " + p.dirs.state}}
	}
	runs, err := p.presentRuns(ctx, c)
	if err != nil {
		return []api.Check{{Name: "agents", OK: true, Detail: fmt.Sprintf("%d run; whether each has a session is not known: %s", len(alive), oneLine(err.Error()))}}
	}
	detail := fmt.Sprintf("%d run", len(alive))
	var orphans []api.Check
	for _, r := range alive {
		run, known := runs[string(r.ref.ID)]
		if known && run == r.ref.Run {
			continue
		}
		o := api.Check{
			Name: "orphan", Detail: fmt.Sprintf("process %d of session %s, run %d, belongs to no session on the list", r.pid, r.ref.ID, r.ref.Run),
			Remedy: fmt.Sprintf("tend doctor --repair takes it back; kill %d ends it", r.pid),
		}
		if known {
			o.Remedy = fmt.Sprintf("its session is at run %d: kill %d ends it", run, r.pid)
		} else if c != nil {
			o.Remedy = "tend shutdown, then " + o.Remedy
		}
		orphans = append(orphans, o)
	}
	if c == nil && len(alive) > len(orphans) {
		detail += " without a daemon; the next verb takes them back"
	}
	return append([]api.Check{{Name: "agents", OK: true, Detail: detail}}, orphans...)
}

// presentRuns is the number of each session's present run, archived ones too:
// from the daemon, or from the database when none runs.
func (p *program) presentRuns(ctx context.Context, c *api.Client) (map[string]int, error) {
	if c == nil {
		return sqlite.PresentRuns(ctx, p.dirs.database())
	}
	list, err := p.sessions(ctx, c, true)
	runs := map[string]int{}
	for _, s := range list {
		runs[s.ID] = s.Process.Run
	}
	return runs, err
}

// liveRun is a run whose process lives.
type liveRun struct {
	ref session.RunRef
	pid int
}

// live lists the agents that run, whether or not there is a daemon.
func (p *program) live(ctx context.Context) ([]liveRun, error) {
	host := p.host()
	refs, err := host.Known(ctx)
	if err != nil {
		return nil, err
	}
	var out []liveRun
	for _, ref := range refs {
		if s, err := host.Inspect(ctx, ref); err == nil && s.Alive {
			out = append(out, liveRun{ref, s.Process.PID})
		}
	}
	return out, nil
}
