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
	var r api.ShutdownRequest
	c := &cobra.Command{
		Use: "shutdown", Short: "End the daemon; agents go on", Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error { return p.shutdown(c.Context(), r) },
	}
	c.Flags().BoolVar(&r.StopAgents, "stop-agents", false, "stop every agent first; when one cannot be stopped, the daemon goes on")
	c.Flags().BoolVar(&r.Force, "force", false, "end although changes wait that could not be saved (a full disk): they are lost")
	return c
}

// shutdown ends the daemon, and says so when it has gone.
func (p *program) shutdown(ctx context.Context, r api.ShutdownRequest) error {
	client, err := p.running(ctx)
	if errors.Is(err, api.ErrUnreachable) && r.StopAgents {
		client, err = p.client(ctx) // agents may run without a daemon
	}
	switch {
	case err == nil:
		err = client.Shutdown(ctx, r)
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
		err = client.Shutdown(ctx, api.ShutdownRequest{})
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
