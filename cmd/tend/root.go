package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// run performs one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	out := &kept{Writer: p.stdout}
	p.stdout = out
	root := p.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if out.err != nil && (err == nil || errors.Is(reason(err), reason(out.err))) {
		err = failure{exitFailed, fmt.Sprintf("the output could not be written: %v", reason(out.err))}
	}
	code, line := exitOf(err)
	if line != "" {
		fmt.Fprintln(p.stderr, "tend: "+oneLine(line))
	}
	return code
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "tend",
		Short: "Run and supervise interactive agents",
		Long: "tend runs interactive agents, each in its own terminal, knows what each is really doing, and says why.\n" +
			"Sessions are named by id, a unique start of one, or name. Most verbs take --json.",
		Example: "  tend run claude                 an agent in a terminal of its own\n" +
			"  tend ls                         who needs you, who works, who is ready\n" +
			"  tend attach NAME                its terminal; Ctrl-Q leaves it running\n" +
			"  tend explain NAME               the evidence behind its state",
		SilenceErrors: true, SilenceUsage: true, Args: noArgs, Version: version,
		RunE:              func(c *cobra.Command, _ []string) error { return p.list(c.Context(), listOptions{}) },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return p.prepare(c) },
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print JSON")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%v: %s --help shows how", err, c.CommandPath())
	})
	root.SetVersionTemplate("tend {{.Version}}\n")
	root.SetHelpCommand(p.helpCommand())
	root.AddCommand(p.runCommand(), p.listCommand(), p.showCommand(), p.explainCommand(), p.attachCommand(), p.sendCommand(),
		p.answerCommand(), p.waitCommand(), p.logsCommand(), p.doneCommand(), p.renameCommand(), p.eventsCommand(),
		p.shutdownCommand(), p.statusCommand(), p.doctorCommand(), p.demoCommand(), p.versionCommand(), p.serveCommand(),
		p.uninstallCommand(), p.agentsCommand(), p.transcriptCommand())
	root.AddCommand(p.simpleCommands()...)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if strings.Contains(c.Use, " SESSION") {
			c.ValidArgsFunction = p.completeSession
		}
		if c.Name() == "completion" {
			c.Args, c.RunE = oneShell, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
	return root
}

// prepare finds the folders and reads the configuration before a verb runs. What
// is wrong with it stands only in the way of verbs that follow it: agents can be
// looked at and stopped all the same.
func (p *program) prepare(c *cobra.Command) (err error) {
	if err := c.ValidateFlagGroups(); err != nil {
		return usagef("%v: %s --help shows how", err, c.CommandPath())
	}
	if c.Annotations["bare"] != "" || c.HasParent() && c.Parent().Name() == "completion" {
		return nil
	}
	if p.dirs, err = findDirs(p.env); err != nil {
		return err
	}
	p.cfg, p.cfgErr = loadConfig(p.dirs.configFile(), p.env)
	switch c.Name() {
	case "run", "attach", "serve":
		return p.cfgErr
	}
	return nil
}

// completeSession lists the sessions for the shell. It starts no daemon.
func (p *program) completeSession(c *cobra.Command, args []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if len(args) > 0 && c.Name() != "wait" || p.prepare(c) != nil {
		return nil, none
	}
	client, err := p.running(c.Context())
	if err != nil {
		return nil, none
	}
	list, err := p.sessions(c.Context(), client, c.Name() == "reopen")
	if err != nil {
		return nil, none
	}
	var out []cobra.Completion
	for _, s := range list {
		if name := s.Name; strings.HasPrefix(name, start) && clean(name) == name {
			out = append(out, cobra.CompletionWithDesc(name, clean(s.View.Label)))
		}
	}
	return out, none
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("there is no verb %q: tend --help lists them", args[0])
	}
	return nil
}

// exactly refuses another number of arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("tend %s takes %s", c.Name(), what)
		}
		return nil
	}
}

// oneShell refuses the shells that cobra knows no completion for.
func oneShell(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("there is no completion for %q: bash, zsh, fish and powershell have one", args[0])
	}
	return nil
}

// helpCommand adds `tend help config`.
func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [VERB|config]", Short: "How to use a verb; config documents every setting", Annotations: map[string]string{"bare": "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "config" {
				fmt.Fprint(p.stdout, configHelp())
				return nil
			}
			target, _, err := c.Root().Find(args)
			if err != nil || target == c.Root() && len(args) > 0 {
				return usagef("there is no verb %q: tend --help lists them", strings.Join(args, " "))
			}
			return target.Help()
		},
	}
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "The version", Args: noArgs, Annotations: map[string]string{"bare": "yes"},
		RunE: func(*cobra.Command, []string) error {
			if p.json {
				return p.print(map[string]string{"version": version})
			}
			fmt.Fprintln(p.stdout, "tend "+version)
			return nil
		},
	}
}

func (p *program) serveCommand() *cobra.Command {
	readyFD := 0
	c := &cobra.Command{
		Use: "serve", Short: "Run the daemon in the foreground", Args: noArgs,
		Long: "The daemon starts by itself when a verb needs it; serve runs it in the foreground, for a service manager.",
		RunE: func(c *cobra.Command, _ []string) error { return p.runDaemon(c.Context(), readyFD) },
	}
	c.Flags().IntVar(&readyFD, "ready-fd", 0, "tell on this file descriptor when it answers")
	_ = c.Flags().MarkHidden("ready-fd")
	return c
}
