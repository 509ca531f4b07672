package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tendhq/tend/api"
)

type listOptions struct{ all, watch bool }

func (p *program) listCommand() *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use: "ls", Short: "List sessions: who needs you, who works, who is ready", Aliases: []string{"list"}, Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error { return p.list(c.Context(), o) },
	}
	c.Flags().BoolVar(&o.all, "all", false, "archived sessions too")
	c.Flags().BoolVar(&o.watch, "watch", false, "keep the list up to date")
	return c
}

func (p *program) sessions(ctx context.Context, c *api.Client, all bool) ([]api.Session, error) {
	list, err := c.List(ctx, false)
	if err != nil || !all {
		return list, err
	}
	archived, err := c.List(ctx, true)
	return append(list, archived...), err
}

func (p *program) list(ctx context.Context, o listOptions) error {
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	if o.watch {
		return p.watchList(ctx, c, o.all)
	}
	list, err := p.sessions(ctx, c, o.all)
	if err != nil {
		return err
	}
	if p.json {
		if list == nil {
			list = []api.Session{}
		}
		return p.print(list)
	}
	fmt.Fprint(p.stdout, p.table(list, time.Now()))
	return nil
}

// watchList shows the list anew after every change, on a screen of its own.
// Without a terminal it prints every change as a line.
func (p *program) watchList(ctx context.Context, c *api.Client, all bool) error {
	f, ok := p.screen()
	if !ok || p.json {
		return p.events(ctx, eventOptions{follow: true, since: api.FromNow})
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	fmt.Fprint(p.stdout, "\x1b[?1049h\x1b[?25l")
	defer fmt.Fprint(p.stdout, "\x1b[?25h\x1b[?1049l")
	changed := make(chan error, 1)
	go func() {
		for _, err := range c.Events(ctx, api.FromNow, api.EventFilter{}) {
			select {
			case changed <- err:
			default:
			}
		}
	}()
	tick := time.NewTicker(time.Second) // ages
	defer tick.Stop()
	for {
		list, err := p.sessions(ctx, c, all)
		if ctx.Err() != nil {
			return nil
		}
		text := p.table(list, time.Now())
		if err != nil {
			text = "not connected: " + oneLine(err.Error()) + "\n"
		}
		fmt.Fprint(p.stdout, "\x1b[H"+strings.ReplaceAll(fit(text, f), "\n", "\x1b[K\r\n")+"\x1b[J")
		select {
		case err := <-changed:
			if err != nil {
				changed = nil // the list itself tells that the daemon is gone
			}
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// fit keeps as many lines as the terminal has rows for, and says how many do
// not fit.
func fit(text string, f *os.File) string {
	_, rows, err := term.GetSize(int(f.Fd()))
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if err != nil || len(lines) < rows || rows < 2 {
		return text
	}
	return strings.Join(lines[:rows-2], "\n") + fmt.Sprintf("\n… and %d lines more: tend ls shows them all\n", len(lines)-rows+2)
}

func (p *program) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show SESSION", Short: "Everything about one session", Args: exactly(1, "one session"),
		RunE: func(c *cobra.Command, args []string) error {
			_, s, err := p.named(c.Context(), args[0])
			if err != nil {
				return err
			}
			if p.json {
				return p.print(s)
			}
			fmt.Fprint(p.stdout, describe(s))
			return nil
		},
	}
}

func describe(s api.Session) string {
	var b strings.Builder
	line := func(k, v string) {
		if v != "" {
			fmt.Fprintf(&b, "%-10s %s\n", k, v)
		}
	}
	line("session", clean(s.Name)+"  "+s.ID)
	line("state", s.View.Label+" since "+s.StateAt.Local().Format(time.DateTime))
	line("why", clean(s.View.Why))
	line("command", clean(strings.Join(s.Argv, " ")))
	line("directory", clean(s.Cwd))
	line("agent", s.Agent+", "+s.Kind+", on "+s.Host)
	if s.Process.HooksSilent {
		line("hears", "its screen only: none of its hooks was heard")
	}
	if n := s.Process.OutputLost; n > 0 {
		line("output", fmt.Sprintf("%d bytes of it are lost: the disk was full", n))
	}
	if len(s.Posture) > 0 {
		line("posture", "acts without asking: "+strings.Join(s.Posture, ", "))
	}
	process := fmt.Sprintf("%s, run %d", s.Process.Phase, s.Process.Run)
	if s.Process.PID != 0 {
		process += fmt.Sprintf(", pid %d", s.Process.PID)
	}
	if x := s.Process.Exit; x != nil {
		process += ", " + exitWords(*x)
	}
	line("process", process)
	line("turn", fmt.Sprintf("%d, open: %v", s.Turn.N, s.Turn.Open))
	if s.Resume.Attempts > 0 {
		line("resume", fmt.Sprintf("attempt %d of %d", s.Resume.Attempts, s.Resume.Max))
	}
	for _, q := range s.Queue {
		if q.State == "confirmed" {
			continue // it is the turn above, or an earlier one
		}
		line("prompt", strings.TrimSpace(q.State+" "+short(q.Text, 60)+" "+clean(q.Failure)))
	}
	if s.Closed != nil {
		line("archived", s.Closed.At.Local().Format(time.DateTime)+": "+clean(s.Closed.Reason))
	}
	return b.String()
}

func exitWords(x api.Exit) string {
	switch {
	case x.Signal != nil:
		return fmt.Sprintf("ended by %s", x.SignalName)
	case x.Code != nil && x.ProbableSignal != 0:
		return fmt.Sprintf("exit status %d (probably signal %d)", *x.Code, x.ProbableSignal)
	case x.Code != nil:
		return fmt.Sprintf("exit status %d", *x.Code)
	}
	return "exit status unknown"
}

func (p *program) explainCommand() *cobra.Command {
	limit := 100
	c := &cobra.Command{
		Use: "explain SESSION", Short: "The evidence that led to the present state, newest last", Args: exactly(1, "one session"),
		RunE: func(c *cobra.Command, args []string) error {
			client, s, err := p.named(c.Context(), args[0])
			if err != nil {
				return err
			}
			x, err := client.Explain(c.Context(), s.ID, limit)
			if err != nil {
				return err
			}
			if p.json {
				return p.print(x)
			}
			if x.Earlier > 0 {
				fmt.Fprintf(p.stdout, "(%d earlier ones: --limit %d shows them)\n", x.Earlier, min(x.Earlier+len(x.Entries), 10_000))
			}
			for _, e := range x.Entries {
				fmt.Fprintln(p.stdout, entryLine(e, ""))
			}
			s = x.Session
			fmt.Fprintf(p.stdout, "\n%s: %s since %s: %s.\n", short(s.Name, 60), s.View.Label, s.StateAt.Local().Format(time.DateTime), clean(s.View.Why))
			return nil
		},
	}
	c.Flags().Var(wholeNumber[int]{&limit, 1}, "limit", "at most this many entries")
	return c
}

// entryLine is a journal entry as people read it.
func entryLine(e api.Entry, name string) string {
	var b strings.Builder
	at := e.At.Local()
	layout := "15:04:05.000"
	if time.Since(at) > 12*time.Hour {
		layout = "2006-01-02 " + layout
	}
	fmt.Fprintf(&b, "%6d  %s  ", e.Seq, at.Format(layout))
	if name != "" {
		b.WriteString(name + "  ")
	}
	fmt.Fprintf(&b, "run %d turn %d  %-10s %-14s ", e.Run, e.Turn, e.Source, e.Event)
	switch {
	case e.Ignored != "":
		b.WriteString("ignored: " + clean(e.Ignored))
	case e.From != e.To && e.From != "":
		fmt.Fprintf(&b, "%s → %s", e.From, e.To)
	default:
		b.WriteString(e.To)
	}
	if d := details(e.Detail); d != "" {
		b.WriteString("  " + d)
	}
	if e.Why != "" {
		b.WriteString("  (" + clean(e.Why) + ")")
	}
	if len(e.Effects) > 0 {
		b.WriteString("  ⇒ " + strings.Join(e.Effects, ", "))
	}
	return b.String()
}

// details is what of an event's own fields fits on its line: plain values,
// without the ids that say nothing to a person.
func details(raw json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	var out []string
	for k, v := range fields {
		switch v.(type) {
		case string, bool, float64:
			if !strings.HasSuffix(strings.ToLower(k), "id") {
				out = append(out, k+"="+short(fmt.Sprint(v), 40))
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
