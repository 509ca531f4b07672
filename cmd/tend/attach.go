package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/pty"
	"github.com/tendhq/tend/internal/session"
)

// hintFor is how long the line that names the detach keys stays.
const hintFor = 1500 * time.Millisecond

func (p *program) attachCommand() *cobra.Command {
	keys, readOnly := "", false
	c := &cobra.Command{
		Use: "attach SESSION", Short: "Show a session's terminal; Ctrl-Q leaves it running", Args: exactly(1, "one session"),
		Long: "Shows the terminal exactly as it is, then live. The detach keys leave it running; pressed twice they go to the agent.\n" +
			"It talks to the session's holder, so the end of the daemon does not disturb it.",
		RunE: func(c *cobra.Command, args []string) error {
			client, s, err := p.named(c.Context(), args[0])
			if err != nil {
				return err
			}
			if keys == "" {
				keys = p.cfg.detachKeys
			}
			return p.attach(c.Context(), client, s, keys, readOnly)
		},
	}
	c.Flags().StringVar(&keys, "detach-keys", "", "the keys that leave the terminal, such as ctrl-q")
	c.Flags().BoolVar(&readOnly, "read-only", false, "look on: keys do not reach the agent, and its size stays")
	return c
}

// terminals are the person's terminal, in and out.
type terminals struct{ in, out *os.File }

func (p *program) terminals() (t terminals, ok bool) {
	in, okIn := p.stdin.(*os.File)
	out, okOut := p.screen()
	return terminals{in, out}, okIn && okOut && term.IsTerminal(int(in.Fd()))
}

func (p *program) attach(ctx context.Context, c *api.Client, s api.Session, keys string, readOnly bool) error {
	detach, err := parseKeys(keys)
	if err != nil {
		return usagef("%v", err)
	}
	t, ok := p.terminals()
	if !ok {
		return usagef("attach needs a terminal for input and output: tend logs %s prints the output", shortID(s.ID))
	}
	if err := p.notOwn(s); err != nil {
		return err
	}
	if s.Process.Phase != "running" {
		return p.lastScreen(ctx, c, s)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ref := session.RunRef{ID: session.ID(s.ID), Run: s.Process.Run}
	g, err := openGlass(ctx, p.host(), ref, t, readOnly)
	if err != nil {
		return attachError(s, err)
	}
	g.hint = fmt.Sprintf(" %s: %s leaves it running ", short(s.Name, 40), showKeys(detach))
	if readOnly || s.Kind == "job" {
		g.hint += "(read-only) "
	}
	how, err := g.show(ctx, detach)
	if err != nil {
		return attachError(s, err)
	}
	fmt.Fprintf(p.stderr, "tend: %s %s\n", short(s.Name, 60), how)
	return nil
}

// notOwn refuses to show a session's live output in its own terminal: that would
// be output again, without end.
func (p *program) notOwn(s api.Session) error {
	if p.env("TEND_SESSION") != s.ID {
		return nil
	}
	return failure{exitRefused, fmt.Sprintf("this is the terminal of %s itself, which would show itself without end: tend attach %s works from another terminal", s.Name, shortID(s.ID))}
}

func attachError(s api.Session, err error) error {
	if errors.Is(err, session.ErrUnreachable) {
		return failure{exitFailed, fmt.Sprintf("the terminal of %s does not answer: tend explain %s says what is known", s.Name, shortID(s.ID))}
	}
	return err
}

// lastScreen shows what remains of an ended session.
func (p *program) lastScreen(ctx context.Context, c *api.Client, s api.Session) error {
	v, err := c.Screen(ctx, s.ID)
	if err != nil {
		return err
	}
	for _, l := range v.Lines {
		fmt.Fprintln(p.stdout, clean(l))
	}
	return failure{exitRefused, fmt.Sprintf("%s does not run (%s); this was its last screen: tend resume %s starts it again", s.Name, s.View.Label, shortID(s.ID))}
}

// raw puts the person's terminal into raw mode; the result restores it.
func (t terminals) raw() (restore func(), err error) {
	old, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return nil, failure{exitFailed, "cannot set this terminal up: " + err.Error()}
	}
	return func() { _ = term.Restore(int(t.in.Fd()), old) }, nil
}

func (t terminals) size() session.Size {
	w, h, err := term.GetSize(int(t.out.Fd()))
	if err != nil || w < 1 || h < 1 {
		return session.Size{}
	}
	return session.Size{Cols: w, Rows: h}
}

// watchSize tells the agent about the terminal's size while it is shown.
func (t terminals) watchSize(ctx context.Context, a *pty.Attachment) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	defer signal.Stop(changed)
	for {
		select {
		case <-changed:
			if s := t.size(); s != (session.Size{}) {
				_ = a.Resize(s)
			}
		case <-ctx.Done():
			return
		}
	}
}
