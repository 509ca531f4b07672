package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
)

// maxPrompt is the longest prompt in bytes.
const maxPrompt = 1 << 20

func (p *program) sendCommand() *cobra.Command {
	wait, timeout := false, time.Duration(0)
	c := &cobra.Command{
		Use: "send SESSION [TEXT|-]", Short: "Give a session a prompt",
		Long: "Queues a prompt; it is typed when the agent takes prompts and nobody is typing. Without TEXT, or with -, it is read\n" +
			"from standard input. --wait waits until the turn is over.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("name the session: tend send SESSION TEXT")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			if once, err := limitOf(c, timeout); err != nil || once {
				return errors.Join(err, usagef("--timeout 0 leaves no time for a turn: leave --wait out to send only"))
			}
			if timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, timeout)
				defer cancel()
			}
			text := strings.Join(args[1:], " ")
			if text == "" || text == "-" {
				b, err := io.ReadAll(io.LimitReader(p.stdin, maxPrompt+1))
				if err != nil {
					return failure{exitFailed, "cannot read standard input: " + err.Error()}
				}
				text = string(b)
			}
			if len(text) > maxPrompt {
				return usagef("the prompt is longer than %d bytes: put it into a file and name the file", maxPrompt)
			}
			return p.send(ctx, args[0], text, wait)
		},
	}
	c.Flags().BoolVar(&wait, "wait", false, "wait until the turn is over")
	c.Flags().DurationVar(&timeout, "timeout", 0, "with --wait: give up after this long")
	return c
}

func (p *program) send(ctx context.Context, id, text string, wait bool) error {
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	st, err := c.Status(ctx)
	if err != nil {
		return err
	}
	sent, err := c.Send(ctx, id, text)
	if err != nil {
		return err
	}
	if q := promptOf(sent.Session, sent.PromptID); q != nil && q.Sanitised {
		fmt.Fprintln(p.stderr, "tend: control characters were removed from the prompt")
	}
	if wait {
		return p.awaitTurn(ctx, c, sent, st.Seq)
	}
	if p.json {
		return p.print(sent)
	}
	return p.report(sent.Session, "queued; it is typed when the agent takes prompts")
}

// promptOf finds a prompt in a session's queue; nil when it is there no more.
func promptOf(s api.Session, id string) *api.Prompt {
	i := slices.IndexFunc(s.Queue, func(q api.Prompt) bool { return q.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Queue[i]
}

// atRest are the states that a turn ends in, or stands still in.
var atRest = []string{"done", "idle", "ready", "waitingOnInput", "needsAttention"}

// awaitTurn waits until the prompt was taken and its turn is over.
func (p *program) awaitTurn(ctx context.Context, c *api.Client, sent api.Sent, since int64) error {
	begun, id := false, sent.Session.ID
	err := p.follow(ctx, c, since, api.EventFilter{Session: id}, func(c *api.Client, e api.Entry) (bool, error) {
		s, err := c.Get(ctx, id)
		if err != nil {
			return false, err
		}
		q := promptOf(s, sent.PromptID)
		begun = begun || e.Event == "PromptMoved" && strings.Contains(string(e.Detail), sent.PromptID)
		taken := q == nil || q.State == "confirmed"
		switch {
		case begun && taken && e.Ignored == "" && e.From != e.To && slices.Contains(atRest, e.To):
			return true, p.outcome(s, e.To)
		case q != nil && q.State == "failed":
			return true, failure{exitFailed, fmt.Sprintf("the prompt was not delivered: %s: tend explain %s says more", q.Failure, shortID(id))}
		case ended(s) && s.State != "done":
			return true, failure{exitFailed, fmt.Sprintf("%s has ended: %s: tend resume %s starts it again", s.Name, s.View.Why, shortID(id))}
		}
		return false, nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return failure{exitTimeout, "the turn is not over yet: tend show " + shortID(id) + " tells how far it is"}
	}
	return err
}

// outcome reports how a turn ended.
func (p *program) outcome(s api.Session, state string) error {
	if err := p.report(s, s.View.Label+"; "+clean(s.View.Why)); err != nil {
		return err
	}
	if state == "needsAttention" {
		return failure{exitFailed, fmt.Sprintf("%s: %s: tend explain %s says why", s.Name, s.View.Label, shortID(s.ID))}
	}
	return nil
}
