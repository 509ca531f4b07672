package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
)

// verb is a command that takes one session and nothing else.
type verb struct {
	name, short, said string
	call              func(ctx context.Context, c *api.Client, id string) (api.Session, error)
}

func (p *program) simpleCommands() []*cobra.Command {
	keep := func(on bool) func(context.Context, *api.Client, string) (api.Session, error) {
		return func(ctx context.Context, c *api.Client, id string) (api.Session, error) { return c.Keep(ctx, id, on) }
	}
	list := []verb{
		{"interrupt", "End the present turn and keep the agent", "interrupting", func(ctx context.Context, c *api.Client, id string) (api.Session, error) { return c.Interrupt(ctx, id) }},
		{"stop", "End a session's whole process tree; it stays ended until you resume it", "stopping", func(ctx context.Context, c *api.Client, id string) (api.Session, error) { return c.Stop(ctx, id) }},
		{"resume", "Start an ended session again, where it was", "starting again", func(ctx context.Context, c *api.Client, id string) (api.Session, error) { return c.Resume(ctx, id) }},
		{"retry", "Start a session afresh with the same command", "starting afresh", func(ctx context.Context, c *api.Client, id string) (api.Session, error) { return c.Retry(ctx, id) }},
		{"confirm", "Say that a turn is done", "done, as you say", func(ctx context.Context, c *api.Client, id string) (api.Session, error) {
			return c.Confirm(ctx, id, "")
		}},
		{"dismiss", "Acknowledge what needs attention", "seen", func(ctx context.Context, c *api.Client, id string) (api.Session, error) { return c.Dismiss(ctx, id) }},
		{"close", "Archive a session; a running one is stopped first", "closing", func(ctx context.Context, c *api.Client, id string) (api.Session, error) {
			return c.CloseSession(ctx, id, "")
		}},
		{"reopen", "Bring an archived session back", "back on the list", func(ctx context.Context, c *api.Client, id string) (api.Session, error) { return c.Reopen(ctx, id) }},
		{"keep", "Never close a session by itself", "kept", keep(true)},
		{"unkeep", "Lift keep", "no longer kept", keep(false)},
	}
	var out []*cobra.Command
	for _, v := range list {
		out = append(out, &cobra.Command{
			Use: v.name + " SESSION", Short: v.short, Args: exactly(1, "one session"),
			RunE: func(c *cobra.Command, args []string) error {
				return p.one(c.Context(), v.said, func(client *api.Client) (api.Session, error) { return v.call(c.Context(), client, args[0]) })
			},
		})
	}
	return out
}

func (p *program) one(ctx context.Context, said string, call func(*api.Client) (api.Session, error)) error {
	client, err := p.client(ctx)
	if err != nil {
		return err
	}
	s, err := call(client)
	if err != nil {
		return err
	}
	return p.report(s, said)
}

func (p *program) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rename SESSION NAME", Short: "Change a session's name", Args: exactly(2, "a session and its new name"),
		RunE: func(c *cobra.Command, args []string) error {
			return p.one(c.Context(), "renamed", func(client *api.Client) (api.Session, error) {
				return client.Rename(c.Context(), args[0], args[1])
			})
		},
	}
}

// doneCommand is for the agent: it finds its session in the environment.
func (p *program) doneCommand() *cobra.Command {
	summary := ""
	c := &cobra.Command{
		Use: "done", Short: "Say, as the agent, that the turn is complete", Args: exactly(0, "no session: it finds its own"),
		RunE: func(c *cobra.Command, _ []string) error {
			id := p.env("TEND_SESSION")
			if id == "" {
				return usagef("this does not run in a session of tend: a person confirms with tend confirm SESSION")
			}
			client, err := p.own(c.Context())
			if err != nil {
				return err
			}
			s, err := client.Done(c.Context(), id, summary)
			if err != nil {
				return err
			}
			return p.report(s, "done")
		},
	}
	c.Flags().StringVar(&summary, "summary", "", "what was done, in a line")
	return c
}
