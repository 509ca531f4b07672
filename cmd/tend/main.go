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
	json   bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	p := &program{env: os.Getenv, envAll: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
