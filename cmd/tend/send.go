package main

import (
	"context"
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
	i := slices.IndexFunc(sent.Session.Queue, func(q api.Prompt) bool { return q.ID == sent.PromptID })
	if i >= 0 && sent.Session.Queue[i].Sanitised {
		fmt.Fprintln(p.stderr, "tend: control characters were removed from the prompt")
	}
	if !wait {
		if p.json {
			return p.print(sent)
		}
		return p.report(sent.Session, "queued; it is typed when the agent takes prompts")
	}
	return p.follow(ctx, c, sent, st.Seq)
}

// follow waits until the prompt was taken and its turn is over.
func (p *program) follow(ctx context.Context, c *api.Client, sent api.Sent, since int64) error {
	taken := false
	for e, err := range c.Events(ctx, since, api.EventFilter{Session: sent.Session.ID}) {
		if err != nil {
			return err
		}
		s, err := c.Get(ctx, sent.Session.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(s.Queue, func(q api.Prompt) bool { return q.ID == sent.PromptID })
		switch {
		case i >= 0 && s.Queue[i].State == "failed":
			return failure{exitFailed, "the prompt was not delivered: " + s.Queue[i].Failure}
		case ended(s):
			return failure{exitFailed, fmt.Sprintf("%s has ended: %s", s.Name, s.View.Why)}
		case i >= 0 && s.Queue[i].State == "confirmed":
			taken = true
		}
		if taken && e.Ignored == "" && slices.Contains([]string{"done", "idle", "ready", "waitingOnInput", "needsAttention"}, s.State) && s.State != e.From {
			return p.outcome(s)
		}
	}
	if ctx.Err() != nil {
		return failure{exitTimeout, "the turn is not over yet: tend show " + shortID(sent.Session.ID) + " tells how far it is"}
	}
	return nil
}

func (p *program) outcome(s api.Session) error {
	if err := p.report(s, s.View.Label+"; "+clean(s.View.Why)); err != nil {
		return err
	}
	if s.State == "needsAttention" {
		return failure{exitFailed, fmt.Sprintf("%s: %s", s.Name, s.View.Label)}
	}
	return nil
}

func (p *program) answerCommand() *cobra.Command {
	var r api.AnswerRequest
	c := &cobra.Command{
		Use: "answer SESSION [TEXT]", Short: "Answer the question that a session asks",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 || (len(args) == 2) == (r.Key != "") {
				return usagef("give the session and a text, or a key: tend answer SESSION y, tend answer SESSION --key enter")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				r.Text = args[1]
			}
			client, err := p.client(c.Context())
			if err != nil {
				return err
			}
			s, err := client.Answer(c.Context(), args[0], r)
			if err != nil {
				return err
			}
			return p.report(s, "answered")
		},
	}
	c.Flags().StringVar(&r.Key, "key", "", "a key instead of a text: enter, esc, up, down, ctrl-c, a character")
	return c
}
