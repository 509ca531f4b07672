package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func (p *program) uninstallCommand() *cobra.Command {
	dry, yes := false, false
	c := &cobra.Command{
		Use: "uninstall", Short: "Remove everything that tend keeps", Args: exactly(0, "no argument"),
		Long: "Removes the configuration, the database with every session's story, the output of every run and the sockets, and\n" +
			"nothing else; the programs stay. It refuses while agents run.",
		Example: "  tend uninstall --dry-run    what would be removed\n  tend uninstall --yes        remove it",
		RunE:    func(c *cobra.Command, _ []string) error { return p.uninstall(c.Context(), dry, yes) },
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "list what would be removed")
	c.Flags().BoolVar(&yes, "yes", false, "remove it")
	c.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return c
}

func (p *program) uninstall(ctx context.Context, dry, yes bool) error {
	there := []string{}
	for _, d := range []string{p.dirs.config, p.dirs.state, p.dirs.runtime} {
		if _, err := os.Lstat(d); err == nil {
			there = append(there, d)
		}
	}
	if !yes {
		if err := p.listFolders(there); err != nil || dry {
			return err
		}
		return usagef("this removes every session's output and the journal: tend uninstall --yes does it")
	}
	alive, err := p.live(ctx)
	if err != nil {
		return failure{exitFailed, "cannot tell whether agents run: " + oneLine(err.Error())}
	}
	if len(alive) > 0 {
		return failure{exitRefused, fmt.Sprintf("agents run (%d): tend shutdown --stop-agents ends them first", len(alive))}
	}
	if err := p.endDaemon(ctx); err != nil {
		return err
	}
	for _, d := range there {
		err = errors.Join(err, os.RemoveAll(d))
	}
	if err != nil {
		return failure{exitFailed, oneLine(err.Error())}
	}
	return p.listFolders(there)
}

func (p *program) listFolders(there []string) error {
	if p.json {
		return p.print(map[string][]string{"folders": there})
	}
	for _, d := range there {
		fmt.Fprintln(p.stdout, clean(d))
	}
	return nil
}
