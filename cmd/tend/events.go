package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
)

type eventOptions struct {
	follow  bool
	since   int64
	session string
}

func (p *program) eventsCommand() *cobra.Command {
	var o eventOptions
	c := &cobra.Command{
		Use: "events", Short: "The journal: everything that happened", Args: exactly(0, "no argument: --session narrows it"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.follow && !c.Flags().Changed("since") {
				o.since = api.FromNow
			}
			return p.events(c.Context(), o)
		},
	}
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on with what happens")
	c.Flags().Var(wholeNumber[int64]{&o.since, 0}, "since", "only what came after this sequence number")
	c.Flags().StringVar(&o.session, "session", "", "only this session")
	return c
}

func (p *program) events(ctx context.Context, o eventOptions) error {
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for e, err := range c.Events(ctx, o.since, api.EventFilter{Session: o.session, NoFollow: !o.follow}) {
		if err != nil {
			return err
		}
		if p.json {
			err = p.print(e)
		} else {
			if _, known := names[e.Session]; !known {
				s, _ := c.Get(ctx, e.Session)
				names[e.Session] = short(s.Name, 24)
			}
			_, err = fmt.Fprintln(p.stdout, entryLine(e, names[e.Session]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
