package main

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
)

type runOptions struct {
	api.CreateRequest
	env    []string
	envAll bool
	attach bool
	wait   bool
}

func (p *program) runCommand() *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use: "run [flags] [--] COMMAND [ARG…]", Short: "Run a command as a session",
		Long: "Runs any command in a terminal of its own. With --prompt it is a task: the prompt is typed when the command takes\n" +
			"prompts. Flags stand before the command; after it everything is the command's own.",
		Example: "  tend run claude\n  tend run --name fix --prompt 'Fix the failing test' -- bash\n  tend run --kind job -- make test",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("no command given: tend run COMMAND")
			}
			o.Argv = args
			return p.start(c.Context(), o)
		},
	}
	f := c.Flags()
	f.SetInterspersed(false)
	f.StringVar(&o.Name, "name", "", "what to call it; made from the command when absent")
	f.StringVar(&o.Kind, "kind", "", "interactive, task or job (runs to its end by itself, read-only)")
	f.StringVar(&o.Prompt, "prompt", "", "the first prompt")
	f.StringVar(&o.Cwd, "cwd", "", "the directory to run in; here when absent")
	f.StringArrayVar(&o.env, "env", nil, "K=V, or K to pass yours; may be repeated")
	f.BoolVar(&o.envAll, "env-all", false, "pass the whole environment")
	f.StringVar(&o.Host, "host", "", "where to run it: pty")
	f.BoolVar(&o.CreateRequest.Keep, "keep", false, "never close it by itself")
	f.BoolVar(&o.attach, "attach", false, "attach at once")
	f.BoolVar(&o.wait, "wait", false, "wait until its turn, or the job, is over")
	f.BoolVar(&o.AllowElevated, "allow-elevated", false, "start it even if it would act without asking")
	c.MarkFlagsMutuallyExclusive("attach", "wait")
	return c
}

func (p *program) start(ctx context.Context, o runOptions) error {
	if _, ok := p.terminals(); o.attach && !ok {
		return usagef("--attach needs a terminal for input and output: leave it out, and attach later")
	}
	if err := p.complete(&o); err != nil {
		return err
	}
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	s, err := c.Create(ctx, o.CreateRequest)
	if err != nil {
		return err
	}
	switch {
	case o.attach:
		return p.attach(ctx, c, s, p.cfg.detachKeys, false)
	case o.wait:
		return p.untilOver(ctx, s)
	}
	return p.report(s, "started; tend attach "+shortID(s.ID)+" shows it")
}

// complete fills the request in and refuses what cannot work.
func (p *program) complete(o *runOptions) error {
	if !utf8.ValidString(o.Prompt) || !utf8.ValidString(o.Name) {
		return usagef("the prompt and the name must be valid UTF-8")
	}
	if o.Cwd == "" {
		o.Cwd = "."
	}
	dir, err := filepath.Abs(o.Cwd)
	if err != nil {
		return failure{exitFailed, "this directory is gone: give another with --cwd"}
	}
	o.Cwd = dir
	o.AllowElevated = o.AllowElevated || p.cfg.mayElevate(path.Base(o.Argv[0]), dir)
	o.Env, err = p.environment(o.env, o.envAll)
	return err
}

// allowed are the variables that every agent gets from the caller; * matches any
// text.
var allowed = strings.Fields(`PATH HOME USER LOGNAME SHELL LANG LC_* LANGUAGE TZ TMPDIR EDITOR VISUAL PAGER SSH_AUTH_SOCK
	SSH_AGENT_PID DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS XDG_* GIT_* *_PROXY *_proxy SSL_CERT_*
	NODE_EXTRA_CA_CERTS NIX_* ANTHROPIC_* OPENAI_* GEMINI_* GOOGLE_* AWS_* AZURE_*`)

// nesting marks make a program believe that it runs inside another one. They
// never pass, unless one is given by value.
var nesting = strings.Fields(`TMUX TMUX_PANE STY CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SSE_PORT TEND_SESSION TEND_SOCKET TEND_RUN`)

// environment is what the agent gets: the allowed part of the caller's, and
// what was asked for.
func (p *program) environment(asked []string, all bool) (map[string]string, error) {
	mine := map[string]string{}
	out := map[string]string{}
	for _, kv := range p.envAll {
		k, v, _ := strings.Cut(kv, "=")
		mine[k] = v
		if !matches(nesting, k) && (all || matches(allowed, k) || matches(p.cfg.envAllow, k)) {
			out[k] = v
		}
	}
	for _, kv := range asked {
		k, v, given := strings.Cut(kv, "=")
		if k == "" || k == "TEND_SESSION" || k == "TEND_SOCKET" {
			return nil, usagef("--env %s: give NAME=VALUE or NAME; TEND_SESSION and TEND_SOCKET are set for every session", kv)
		}
		if !given {
			if v, given = mine[k]; !given {
				return nil, usagef("--env %s: it is not set here: give --env %s=VALUE", k, k)
			}
		}
		out[k] = v
	}
	for k, v := range out {
		if !utf8.ValidString(k + v) {
			delete(out, k) // JSON cannot carry it, and no agent needs it
			fmt.Fprintf(p.stderr, "tend: %s is not valid UTF-8 and is not passed on\n", clean(k))
		}
	}
	return out, nil
}

func matches(patterns []string, name string) bool {
	for _, pat := range patterns {
		if ok, err := path.Match(pat, name); err == nil && ok {
			return true
		}
	}
	return false
}
