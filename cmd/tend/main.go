// Command tend runs and supervises interactive agents. This folder holds a file
// a verb, and the one place (daemon.go) that sees the ports together with their
// implementations.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/tendhq/tend/internal/fakeagent"
	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/spool"
)

// version is set by the linker.
var version = "dev"

// program is tend with everything it takes from its surroundings, so that tests
// can start it in process.
type program struct {
	env    func(string) string
	envAll []string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	dirs   dirs
	cfg    config
	cfgErr error // why cfg is not what the person has set
	json   bool
}

func main() {
	if len(os.Args) > 1 && standalone(os.Args[1]) {
		os.Exit(alone(os.Args[1], os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	p := &program{env: os.Getenv, envAll: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// standalone reports the hidden verbs that are no part of the command line:
// they leave signals and terminal as they find them.
func standalone(verb string) bool {
	return verb == "scripted-agent" || verb == "hold" || verb == "hook"
}

func alone(verb string, args []string) int {
	if verb == "hook" {
		spool.Hook(os.Stdin, os.Getenv("TEND_RUN"), args)
		return exitDone
	}
	if verb == "hold" && len(args) == 2 && args[0] == "run" {
		return holder.Run(args[1])
	}
	if verb == "hold" {
		return exitUsage
	}
	return fakeagent.Run(args, os.Stdin, os.Stdout)
}
