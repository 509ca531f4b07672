package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/internal/agent"
	"github.com/tendhq/tend/internal/session"
)

// versionWait is how long a program may take to tell its version: the slowest
// that was measured took 3.7 s.
const versionWait = 10 * time.Second

// agentInfo is one kind of agent, as `tend agents` shows it.
type agentInfo struct {
	Name     string `json:"name"`
	Path     string `json:"path,omitempty"`    // absent: not found
	Version  string `json:"version,omitempty"` // as it says; absent: it did not
	Measured string `json:"measured,omitempty"`
	Install  string `json:"install,omitempty"`
	Tells    tells  `json:"tells"`
}

// tells is what an agent is able to tell by itself; the rest is read from its
// screen.
type tells struct {
	Ready   bool `json:"ready"`
	Prompts bool `json:"prompts"` // that it has taken one
	Asking  bool `json:"asking"`
	Done    bool `json:"done"`
	Resumes bool `json:"resumes"`
}

func (p *program) agentsCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "agents", Short: "The kinds of agents, what each can tell, and what is installed", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.agents(c.Context()) },
	}
	c.AddCommand(p.agentsTestCommand())
	return c
}

func (p *program) agents(ctx context.Context) error {
	var list []agentInfo
	for _, a := range agent.All() {
		i := agentInfo{Name: a.Name, Measured: a.Measured, Install: a.Install, Tells: tells{
			Ready: a.Caps.NativeReady, Prompts: a.Caps.Confirms, Asking: a.Caps.NativeWaiting, Done: a.Caps.NativeDone, Resumes: a.Caps.Resume,
		}}
		for _, name := range a.Programs {
			if path, err := exec.LookPath(name); err == nil {
				i.Path, i.Version = path, versionOf(ctx, path)
			}
		}
		list = append(list, i)
	}
	if p.json {
		return p.print(list)
	}
	fmt.Fprintf(p.stdout, "%-10s %-12s %-12s %-6s %-8s %-6s %-5s %-8s %s\n", "AGENT", "VERSION", "MEASURED", "READY", "PROMPTS", "ASKS", "DONE", "RESUMES", "WHERE")
	for _, i := range list {
		where := clean(i.Path)
		if where == "" && i.Install != "" {
			where = "not found: " + i.Install
		}
		t := i.Tells
		fmt.Fprintf(p.stdout, "%-10s %-12s %-12s %-6s %-8s %-6s %-5s %-8s %s\n", i.Name, orDash(i.Version), orDash(i.Measured),
			itself(t.Ready), itself(t.Prompts), itself(t.Asking), itself(t.Done), yesNo(t.Resumes), where)
	}
	return nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return clean(s)
}

// itself is who tells: the agent, or its screen.
func itself(native bool) string {
	if native {
		return "itself"
	}
	return "screen"
}

func yesNo(on bool) string {
	if on {
		return "yes"
	}
	return "no"
}

var versionNumber = regexp.MustCompile(`\d+\.\d+[0-9A-Za-z.+-]*`)

// versionOf asks a program for its version, on whichever output it tells it.
func versionOf(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, versionWait)
	defer cancel()
	c := exec.CommandContext(ctx, path, "--version")
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if err != nil {
		return ""
	}
	return versionNumber.FindString(string(out))
}

func (p *program) agentsTestCommand() *cobra.Command {
	var hooks, screenFile string
	c := &cobra.Command{
		Use: "test NAME", Short: "What a recording of hooks or of a terminal yields", Args: exactly(1, "the name of an agent"),
		Long: "Replays a recording through the reader of an agent and the machine, and shows what each step led to.\n" +
			"--hooks takes one payload a line, or a session's own hooks.jsonl; --screen takes the bytes of a terminal, such as\n" +
			"tend logs --raw prints.",
		RunE: func(_ *cobra.Command, args []string) error { return p.testAgent(args[0], hooks, screenFile) },
	}
	c.Flags().StringVar(&hooks, "hooks", "", "a file of hook payloads")
	c.Flags().StringVar(&screenFile, "screen", "", "a file of terminal output")
	c.MarkFlagsOneRequired("hooks", "screen")
	c.MarkFlagsMutuallyExclusive("hooks", "screen")
	return c
}

func (p *program) testAgent(name, hooks, screenFile string) error {
	a, err := agent.ByName(name)
	if err != nil {
		return usagef("%v", err)
	}
	r, err := newRehearsal(a, p.stdout)
	if err != nil {
		return err
	}
	file, play := hooks, r.hooks
	if screenFile != "" {
		file, play = screenFile, r.screen
	}
	f, err := os.Open(file)
	if err != nil {
		return failure{exitFailed, fmt.Sprintf("cannot read %s: %v", file, reason(err))}
	}
	defer f.Close()
	if err := play(f); err != nil {
		return failure{exitFailed, fmt.Sprintf("cannot read %s: %v", file, err)}
	}
	v := session.ViewOf(r.s)
	fmt.Fprintf(p.stdout, "in the end: %s: %s\n", v.Label, clean(v.Why))
	return nil
}

// rehearsal is a session that nobody runs, on a clock of its own.
type rehearsal struct {
	out  io.Writer
	s    session.Session
	w    *agent.Watch
	now  time.Time
	at   int64
	line int
}

func newRehearsal(a *agent.Agent, out io.Writer) (*rehearsal, error) {
	r := &rehearsal{out: out, now: time.Now().UTC()}
	spec := session.Spec{Agent: a.Name, Caps: a.Caps, Argv: []string{a.Name}, Host: "pty", Kind: session.Interactive,
		Policy: session.DefaultPolicy(), Size: session.Size{Cols: 100, Rows: 30}}
	for _, w := range []session.What{session.Created{ID: "REHEARSAL", Name: a.Name, Spec: spec}, session.Launched{StartedAt: r.now}} {
		if err := r.apply(session.Event{What: w}); err != nil {
			return nil, err
		}
	}
	var err error
	r.w, err = a.NewWatch(r.s, spec.Size, nil)
	return r, err
}

func (r *rehearsal) apply(e session.Event) error {
	if e.At.IsZero() {
		e.At = r.now
	}
	e.Run = r.s.Process.Run
	var err error
	r.s, _, err = session.Apply(r.s, e)
	if r.w != nil {
		r.w.Know(r.s)
	}
	return err
}

// take applies what the reader says and prints what came of it.
func (r *rehearsal) take(events []session.Event) error {
	for _, e := range events {
		before := r.s.State
		err := r.apply(e)
		var ignored *session.IgnoredError
		what := fmt.Sprintf("%s → %s", before, r.s.State)
		switch {
		case errors.As(err, &ignored):
			what = string(before) + ", " + ignored.Error()
		case err != nil:
			return err
		}
		fmt.Fprintf(r.out, "%4d  %-10s %-14s %s  (%s)\n", r.line, e.Source, e.Name(), clean(what), clean(e.Why))
	}
	return nil
}

// hooks replays payloads, one a line: bare, as in a spool, or under "d".
func (r *rehearsal) hooks(f io.Reader) error {
	lines := bufio.NewReader(f)
	for {
		text, err := lines.ReadBytes('\n')
		if len(text) > 0 {
			r.line++
			r.at += int64(len(text))
			var wrapped struct{ Payload, D json.RawMessage }
			payload := text
			if json.Unmarshal(text, &wrapped) == nil && (wrapped.Payload != nil || wrapped.D != nil) {
				payload = append(wrapped.Payload, wrapped.D...)
			}
			r.now = r.now.Add(time.Second)
			if err := r.take(r.w.Feed(r.now, session.HookFired{Offset: r.at, At: r.now, Payload: payload})); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// screen replays output, then lets a minute pass.
func (r *rehearsal) screen(f io.Reader) error {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		r.line++
		r.now = r.now.Add(50 * time.Millisecond)
		if terr := r.take(r.w.Feed(r.now, session.Output{Offset: r.at, Data: buf[:n]})); terr != nil {
			return terr
		}
		r.at += int64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	for end := r.now.Add(time.Minute); ; {
		at := r.w.Wake()
		if at.IsZero() || at.After(end) {
			return nil
		}
		r.now = at
		if err := r.take(r.w.Tick(at)); err != nil {
			return err
		}
	}
}
