package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/internal/fakeagent"
)

// scriptedCommand is an agent whose behaviour is its arguments, for the
// demonstration.
func (p *program) scriptedCommand() *cobra.Command {
	return &cobra.Command{
		Use: "scripted-agent STEP…", Short: "An agent whose behaviour is a list of steps", Hidden: true, DisableFlagParsing: true,
		Long: "The steps:\n" + fakeagent.Steps, Annotations: map[string]string{"bare": "yes"},
		RunE: func(_ *cobra.Command, args []string) error {
			os.Exit(fakeagent.Run(args, os.Stdin, os.Stdout))
			return nil
		},
	}
}
