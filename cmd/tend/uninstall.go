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
		RunE: func(c *cobra.Command, _ []string) error { return p.uninstall(c.Context(), dry, yes) },
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "list what would be removed")
	c.Flags().BoolVar(&yes, "yes", false, "remove it")
	return c
}

func (p *program) uninstall(ctx context.Context, dry, yes bool) error {
	var there []string
	for _, d := range []string{p.dirs.config, p.dirs.state, p.dirs.runtime} {
		if _, err := os.Lstat(d); err == nil {
			there = append(there, d)
		}
	}
	for _, d := range there {
		fmt.Fprintln(p.stdout, d)
	}
	switch {
	case dry:
		return nil
	case !yes:
		return usagef("this removes every session's output and the journal: tend uninstall --yes does it")
	}
	if client, err := p.running(ctx); err == nil {
		list, err := client.List(ctx, false)
		if err != nil {
			return err
		}
		for _, s := range list {
			if !ended(s) {
				return failure{exitRefused, fmt.Sprintf("%s runs: tend shutdown --stop-agents ends all agents first", s.Name)}
			}
		}
		if err := p.shutdown(ctx, false); err != nil {
			return err
		}
	}
	var errs []error
	for _, d := range there {
		errs = append(errs, os.RemoveAll(d))
	}
	return errors.Join(errs...)
}
