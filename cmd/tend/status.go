package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
)

func (p *program) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "How the daemon is", Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := p.client(c.Context())
			if err != nil {
				return err
			}
			st, err := client.Status(c.Context())
			if err != nil {
				return err
			}
			if p.json {
				return p.print(st)
			}
			fmt.Fprintf(p.stdout, "tend %s, pid %d, up %s\nsocket   %s\nsessions %s\njournal  %d entries\n", st.Version, st.PID,
				age(time.Since(st.StartedAt.Time)), p.dirs.listening(), counts(st.Sessions), st.Seq)
			if st.Store.Error != "" {
				fmt.Fprintf(p.stdout, "STORE    cannot write, %d changes wait in memory: %s\n", st.Store.Unsaved, oneLine(st.Store.Error))
			}
			return nil
		},
	}
}

func counts(m map[string]int) string {
	var parts []string
	for k, n := range m {
		parts = append(parts, fmt.Sprintf("%d %s", n, k))
	}
	sort.Strings(parts)
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func (p *program) shutdownCommand() *cobra.Command {
	stop := false
	c := &cobra.Command{
		Use: "shutdown", Short: "End the daemon; agents go on", Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error { return p.shutdown(c.Context(), stop) },
	}
	c.Flags().BoolVar(&stop, "stop-agents", false, "stop every agent first")
	return c
}

// shutdown ends the daemon, and says so when it has gone.
func (p *program) shutdown(ctx context.Context, stopAgents bool) error {
	client, err := p.running(ctx)
	if errors.Is(err, api.ErrUnreachable) && stopAgents {
		client, err = p.client(ctx) // agents may run without a daemon
	}
	switch {
	case err == nil:
		err = client.Shutdown(ctx, stopAgents)
	case errors.Is(err, api.ErrUnreachable) && p.unlocked():
		return failure{exitUnreachable, "no daemon runs: there is nothing to end"}
	case errors.Is(err, api.ErrUnreachable):
		err = nil // it is on its way out
	}
	if err == nil {
		err = p.awaitEnd(ctx)
	}
	if err != nil {
		return err
	}
	if p.json {
		return p.print(map[string]bool{"stopped": true})
	}
	_, err = fmt.Fprintln(p.stdout, "the daemon has ended")
	return err
}

// endDaemon ends a daemon, if one runs.
func (p *program) endDaemon(ctx context.Context) error {
	client, err := p.running(ctx)
	if err == nil {
		err = client.Shutdown(ctx, false)
	}
	if err != nil && !gone(err) {
		return err
	}
	return p.awaitEnd(ctx)
}

// awaitEnd returns when no daemon holds the state folder.
func (p *program) awaitEnd(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, shutdownLimit+5*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !p.unlocked() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return failure{exitTimeout, "the daemon has not ended yet: see " + p.dirs.log()}
		}
	}
	return nil
}
