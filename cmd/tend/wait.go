package main

import (
	"context"
	"errors"
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
	once    bool // look, and do not wait
}

func (p *program) waitCommand() *cobra.Command {
	var o waitOptions
	all := false
	c := &cobra.Command{
		Use: "wait SESSION… --until STATE", Short: "Wait until sessions reach a state",
		Long: "Waits for done, waiting, attention, idle, ended or any state, several separated by commas. A state that is only passed\n" +
			"through counts too. It ends with 1 when a session has ended without reaching it, with 5 when the time is over;\n" +
			"--timeout 0 only looks.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("name the sessions to wait for")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			if o.once, err = limitOf(c, o.timeout); err != nil {
				return err
			}
			return p.wait(c.Context(), args, o)
		},
	}
	c.Flags().StringSliceVar(&o.until, "until", []string{"done"}, "done, waiting, attention, idle, ended or a state")
	c.Flags().BoolVar(&o.any, "any", false, "one of the sessions is enough")
	c.Flags().BoolVar(&all, "all", false, "all of the sessions (the default)")
	c.Flags().DurationVar(&o.timeout, "timeout", 0, "give up after this long")
	c.MarkFlagsMutuallyExclusive("any", "all")
	return c
}

// limitOf checks --timeout; once says that it is 0, which is a limit too.
func limitOf(c *cobra.Command, limit time.Duration) (once bool, err error) {
	if limit < 0 {
		return false, usagef("--timeout %s is less than nothing: give a time such as 30s, or 0 to look only", limit)
	}
	return limit == 0 && c.Flags().Changed("timeout"), nil
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
	reached, err := p.await(ctx, names, o)
	if err != nil {
		return err
	}
	if p.json {
		list := make([]api.Session, 0, len(reached))
		for _, r := range reached {
			list = append(list, r.Session)
		}
		return p.print(list)
	}
	for _, r := range reached {
		now := r.View.Label
		if r.state != r.State && r.state != "ended" {
			now = r.state + ", and then: " + now
		}
		fmt.Fprintf(p.stdout, "%s %s: %s\n", short(r.Name, 60), shortID(r.ID), now)
	}
	return nil
}

// reached is a session and the state that was waited for.
type reached struct {
	api.Session
	state string
}

// waiting is what await knows.
type waiting struct {
	o       waitOptions
	open    map[string]api.Session // as last seen
	reached []reached
	missed  error // one has ended without getting there
}

// await follows the journal from before its first look, so that no state that
// is passed through is missed.
func (p *program) await(ctx context.Context, names []string, o waitOptions) ([]reached, error) {
	c, err := p.client(ctx)
	if err != nil {
		return nil, err
	}
	st, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	w := &waiting{o: o, open: map[string]api.Session{}}
	for _, n := range names {
		if err := w.check(ctx, c, n, ""); err != nil {
			return nil, err
		}
	}
	switch {
	case w.over():
	case o.once:
		return w.reached, w.late()
	default:
		err = p.follow(ctx, c, st.Seq, api.EventFilter{}, func(c *api.Client, e api.Entry) (bool, error) {
			err := w.take(ctx, c, e)
			return w.over(), err
		})
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = w.late()
	case err == nil && (!o.any || len(w.reached) == 0):
		err = w.missed
	}
	return w.reached, err
}

// over reports whether nothing is waited for any more.
func (w *waiting) over() bool {
	return len(w.open) == 0 || w.o.any && len(w.reached) > 0 || !w.o.any && w.missed != nil
}

func (w *waiting) take(ctx context.Context, c *api.Client, e api.Entry) error {
	if _, open := w.open[e.Session]; !open || e.Ignored != "" {
		return nil
	}
	passed := e.To
	if !slices.Contains(w.o.until, passed) && e.Event == "ProcessEnded" && e.To != "resuming" {
		passed = "ended"
	}
	return w.check(ctx, c, e.Session, passed)
}

// check looks at one session, which may have passed through a state meanwhile.
func (w *waiting) check(ctx context.Context, c *api.Client, id, passed string) error {
	s, err := c.Get(ctx, id)
	if err != nil {
		return err
	}
	w.open[s.ID] = s
	state := ""
	switch {
	case slices.Contains(w.o.until, passed):
		state = passed
	case slices.Contains(w.o.until, s.State):
		state = s.State
	case slices.Contains(w.o.until, "ended") && ended(s):
		state = "ended"
	}
	if state != "" {
		delete(w.open, s.ID)
		w.reached = append(w.reached, reached{s, state})
		return nil
	}
	if s.View.Group != "ended" && (s.State != "needsAttention" || !ended(s)) {
		return nil
	}
	delete(w.open, s.ID)
	w.missed = failure{exitFailed, fmt.Sprintf("%s has ended (%s) without reaching %s: tend explain %s says how", s.Name, s.View.Label,
		strings.Join(w.o.until, ", "), shortID(s.ID))}
	return nil
}

// late is the end of a wait that took too long.
func (w *waiting) late() error {
	var still []string
	for _, s := range w.open {
		still = append(still, fmt.Sprintf("%s is %s", s.Name, s.View.Label))
	}
	slices.Sort(still)
	return failure{exitTimeout, "the time is over, and " + strings.Join(still, ", ")}
}

// ended reports whether no process of the session runs or is on its way.
func ended(s api.Session) bool {
	return s.State != "resuming" && (s.Process.Phase == "exited" || s.Process.Phase == "lost" || s.Process.Phase == "none")
}

// untilOver waits until the session's turn, or the job, is over, and fails
// unless it ended well.
func (p *program) untilOver(ctx context.Context, s api.Session) error {
	list, err := p.await(ctx, []string{s.ID}, waitOptions{until: []string{"done", "idle", "waitingOnInput", "needsAttention", "ended"}})
	if err != nil {
		return err
	}
	r := list[0]
	if err := p.report(r.Session, r.View.Label+"; "+clean(r.View.Why)); err != nil {
		return err
	}
	if r.state == "done" || r.state == "idle" {
		return nil
	}
	return failure{exitFailed, fmt.Sprintf("%s: %s: tend explain %s says why", r.Name, r.View.Label, shortID(r.ID))}
}
