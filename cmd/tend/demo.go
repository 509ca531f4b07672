package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
)

// demoLimit is how long the demonstration may take at most.
const demoLimit = 18 * time.Second

func (p *program) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "See three scripted agents at work, in a scratch folder", Args: exactly(0, "no argument"),
		Annotations: map[string]string{"bare": "yes"},
		RunE:        func(c *cobra.Command, _ []string) error { return p.demo(c.Context()) },
	}
}

// demoAgents are what the demonstration runs: one works and finishes, one asks,
// one crashes.
var demoAgents = []struct {
	name  string
	end   string
	steps []string
}{
	{"finishes", "done", []string{"title fixer", `print I take prompts.\r\n`, "state idle", "sleep 1s", "state working", "spin 3s", `print All tests pass.\r\n`, "state done", "hang"}},
	{"asks", "waitingOnInput", []string{"title migrator", "state working", "spin 2s", "ask Apply the migration to the staging database? [y/N]", "hang"}},
	{"crashes", "needsAttention", []string{"title fuzzer", "state working", "spin 3s", `print panic: index out of range\r\n`, "signal 9"}},
}

func (p *program) demo(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "tend-demo-")
	if err != nil {
		return failure{exitFailed, "cannot make a scratch folder: " + err.Error()}
	}
	d := &program{env: p.env, envAll: p.envAll, stdin: p.stdin, stdout: p.stdout, stderr: io.Discard, cfg: defaultConfig()}
	d.dirs = dirs{config: filepath.Join(dir, "config"), state: filepath.Join(dir, "state"), runtime: filepath.Join(dir, "run")}
	if err := d.dirs.make(); err != nil {
		return err
	}
	log, err := os.OpenFile(d.dirs.log(), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return failure{exitFailed, err.Error()}
	}
	defer log.Close()
	served, ready := make(chan error, 1), make(chan struct{})
	go func() {
		served <- d.serve(context.WithoutCancel(ctx), slog.New(slog.NewTextHandler(log, nil)), func() { close(ready) })
	}()
	select {
	case <-ready:
	case err := <-served:
		return err
	}
	err = d.demoShow(ctx)
	client := api.NewClient(d.dirs.socket())
	if serr := client.Shutdown(context.WithoutCancel(ctx), api.ShutdownRequest{StopAgents: true, Force: true}); serr == nil {
		err = errors.Join(err, <-served)
	}
	p.demoEnd(dir)
	return err
}

// demoShow runs the agents and shows the list until each is where it belongs.
func (p *program) demoShow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demoLimit)
	defer cancel()
	c := api.NewClient(p.dirs.socket())
	self, err := os.Executable()
	if err != nil {
		return failure{exitFailed, err.Error()}
	}
	st, err := c.Status(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "Three scripted agents, each in a terminal of its own; the states are the real daemon's.")
	for _, a := range demoAgents {
		o := runOptions{CreateRequest: api.CreateRequest{Name: a.name, Argv: append([]string{self, "scripted-agent"}, a.steps...), Cwd: "/"}}
		if err := p.complete(&o); err != nil {
			return err
		}
		if _, err := c.Create(ctx, o.CreateRequest); err != nil {
			return err
		}
	}
	return p.demoWatch(ctx, c, st.Seq)
}

func (p *program) demoWatch(ctx context.Context, c *api.Client, since int64) error {
	live, lines := p.color(), 0
	shown := map[string]string{}
	for _, err := range c.Events(ctx, since, api.EventFilter{}) {
		if err != nil {
			return err
		}
		list, err := c.List(ctx, false)
		if err != nil {
			return err
		}
		if live {
			text := p.table(list, time.Now())
			fmt.Fprint(p.stdout, strings.Repeat("\x1b[A\x1b[2K", lines)+text)
			lines = strings.Count(text, "\n")
		} else {
			p.demoLines(list, shown)
		}
		if demoOver(list) {
			return nil
		}
	}
	return failure{exitFailed, "the demonstration did not come to its end: see the daemon's log in its folder"}
}

// demoLines prints a line for each session that has changed.
func (p *program) demoLines(list []api.Session, shown map[string]string) {
	for _, s := range list {
		line := fmt.Sprintf("%-10s %-24s %s", s.Name, s.View.Label, clean(s.View.Why))
		if shown[s.ID] != line {
			shown[s.ID] = line
			fmt.Fprintln(p.stdout, line)
		}
	}
}

func demoOver(list []api.Session) bool {
	for _, a := range demoAgents {
		if !slices.ContainsFunc(list, func(s api.Session) bool { return s.Name == a.name && s.State == a.end }) {
			return false
		}
	}
	return true
}

func (p *program) demoEnd(dir string) {
	self := "tend"
	if exe, err := os.Executable(); err == nil {
		self = exe
	}
	fmt.Fprintf(p.stdout, "\nRun your own agent:  %s run claude      (any command works)\n", self)
	fmt.Fprintf(p.stdout, "See who needs you:   %s ls --watch      and: attach, send, answer, explain\n", self)
	fmt.Fprintf(p.stdout, "This demonstration's files are in %s\n", dir)
}
