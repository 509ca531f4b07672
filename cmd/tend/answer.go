package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
)

// answerLimit is how long an agent may take to show that it has an answer.
const answerLimit = 10 * time.Second

func (p *program) answerCommand() *cobra.Command {
	var r api.AnswerRequest
	c := &cobra.Command{
		Use: "answer SESSION [TEXT]", Short: "Answer the question that a session asks",
		Long: "Types the answer and returns when the question is gone: yes, always, no, a number or the beginning of a choice where\n" +
			"it offers a list, else the text itself. It ends with 4 when nothing was typed, with 5 when the agent asks the same\n" +
			"after " + answerLimit.String() + ". With --key it returns when the key was typed: a key need not answer anything.",
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
			return p.reply(c.Context(), args[0], r)
		},
	}
	c.Flags().StringVar(&r.Key, "key", "", "a key instead of a text: enter, esc, up, down, ctrl-c, a character")
	return c
}

// reply types an answer and waits until the agent shows that it has it.
func (p *program) reply(ctx context.Context, id string, r api.AnswerRequest) error {
	c, asking, err := p.named(ctx, id)
	if err != nil {
		return err
	}
	st, err := c.Status(ctx)
	if err != nil {
		return err
	}
	s, err := c.Answer(ctx, asking.ID, r)
	if err != nil {
		return err
	}
	if r.Key != "" {
		return p.report(s, "the key was typed")
	}
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	err = p.follow(limited, c, st.Seq, api.EventFilter{Session: s.ID}, func(c *api.Client, e api.Entry) (over bool, err error) {
		if e.Ignored != "" {
			return false, nil
		}
		s, err = c.Get(limited, s.ID)
		left := e.From == "waitingOnInput" && e.To != e.From
		return left || !sameQuestion(asking.Waiting, s.Waiting), err
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return failure{exitTimeout, fmt.Sprintf("the answer was typed, and %s still asks the same: tend attach %s shows its screen", s.Name, shortID(s.ID))}
	}
	if err != nil {
		return err
	}
	return p.report(s, "answered")
}

// sameQuestion reports whether one and the same question is asked.
func sameQuestion(a, b *api.Waiting) bool {
	return a != nil && b != nil && a.Kind == b.Kind && a.Text == b.Text
}
