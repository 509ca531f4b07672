package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
)

// waitWords are the words for states that wait takes besides the states
// themselves.
var waitWords = map[string]string{"waiting": "waitingOnInput", "attention": "needsAttention"}

var states = []string{"starting", "ready", "busy", "waitingOnInput", "idle", "done", "resuming", "needsAttention", "dead"}

type waitOptions struct {
	until   []string
	any     bool
	timeout time.Duration
}

func (p *program) waitCommand() *cobra.Command {
	var o waitOptions
	all := false
	c := &cobra.Command{
		Use: "wait SESSION… --until STATE", Short: "Wait until sessions reach a state",
		Long: "Waits for done, waiting, attention, idle, ended or any state, several separated by commas. A state that is only passed\n" +
			"through counts too. It ends with 1 when a session has ended without reaching it, with 5 when the time is over.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("name the sessions to wait for")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return p.wait(c.Context(), args, o) },
	}
	c.Flags().StringSliceVar(&o.until, "until", []string{"done"}, "done, waiting, attention, idle, ended or a state")
	c.Flags().BoolVar(&o.any, "any", false, "one of the sessions is enough")
	c.Flags().BoolVar(&all, "all", false, "all of the sessions (the default)")
	c.Flags().DurationVar(&o.timeout, "timeout", 0, "give up after this long")
	c.MarkFlagsMutuallyExclusive("any", "all")
	return c
}

func (p *program) wait(ctx context.Context, names []string, o waitOptions) error {
	for i, u := range o.until {
		if w, ok := waitWords[u]; ok {
			o.until[i] = w
		} else if u != "ended" && !slices.Contains(states, u) {
			return usagef("there is no state %q: wait for done, waiting, attention, idle, ended, or one of %s", u, strings.Join(states, ", "))
		}
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	reached, err := p.await(ctx, c, names, o)
	if err != nil {
		return err
	}
	if p.json {
		return p.print(reached)
	}
	for _, s := range reached {
		fmt.Fprintf(p.stdout, "%s %s: %s\n", short(s.Name, 60), shortID(s.ID), s.View.Label)
	}
	return nil
}

// await follows the journal from before its first look, so that no state that
// is passed through is missed.
func (p *program) await(ctx context.Context, c *api.Client, names []string, o waitOptions) ([]api.Session, error) {
	st, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	var reached []api.Session
	check := func(id string, passed string) error {
		s, err := c.Get(ctx, id)
		if err != nil {
			return err
		}
		open[s.ID] = true
		if !slices.Contains(o.until, s.State) && (passed == "" || !slices.Contains(o.until, passed)) && !(slices.Contains(o.until, "ended") && ended(s)) {
			if s.View.Group == "ended" {
				return failure{exitFailed, fmt.Sprintf("%s has ended (%s) without reaching %s", s.Name, s.View.Label, strings.Join(o.until, ", "))}
			}
			return nil
		}
		delete(open, s.ID)
		reached = append(reached, s)
		return nil
	}
	for _, n := range names {
		if err := check(n, ""); err != nil {
			return nil, err
		}
	}
	over := func() bool { return len(open) == 0 || o.any && len(reached) > 0 }
	if over() {
		return reached, nil
	}
	for e, err := range c.Events(ctx, st.Seq, api.EventFilter{}) {
		if err != nil {
			return nil, err
		}
		if !open[e.Session] || e.Ignored != "" {
			continue
		}
		if err := check(e.Session, e.To); err != nil {
			return nil, err
		}
		if over() {
			return reached, nil
		}
	}
	return nil, ctx.Err()
}

// ended reports whether no process of the session runs or is on its way.
func ended(s api.Session) bool {
	return s.State != "resuming" && (s.Process.Phase == "exited" || s.Process.Phase == "lost" || s.Process.Phase == "none")
}

// untilOver waits until the turn that follows rev, or the job, is over, and
// fails unless it ended well.
func (p *program) untilOver(ctx context.Context, c *api.Client, s api.Session, timeout time.Duration) error {
	o := waitOptions{until: []string{"done", "idle", "waitingOnInput", "needsAttention", "ended"}, timeout: timeout}
	list, err := p.await(ctx, c, []string{s.ID}, o)
	if err != nil {
		return err
	}
	s = list[0]
	if err := p.report(s, s.View.Label+"; "+clean(s.View.Why)); err != nil {
		return err
	}
	if s.State == "done" || s.State == "idle" {
		return nil
	}
	return failure{exitFailed, fmt.Sprintf("%s: %s", s.Name, s.View.Label)}
}
