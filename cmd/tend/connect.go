package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/tendhq/tend/api"
)

// startLimit is how long a daemon may take to start and answer, statusLimit how
// long one that runs may take to say how it is: it does so from memory.
const (
	startLimit  = 10 * time.Second
	statusLimit = 5 * time.Second
)

// client connects to the daemon, and starts one when none answers.
func (p *program) client(ctx context.Context) (*api.Client, error) {
	c, err := p.running(ctx)
	if !errors.Is(err, api.ErrUnreachable) {
		return c, err
	}
	return p.summon(ctx)
}

// running connects to a daemon that runs already.
func (p *program) running(ctx context.Context) (*api.Client, error) {
	return reach(ctx, p.dirs.sockets())
}

// reach is a client of the first socket on which a daemon answers that is not
// on its way out. Where others could have put a socket, nobody is asked: what
// is sent may be secret.
func reach(ctx context.Context, sockets []string) (*api.Client, error) {
	for _, path := range sockets {
		if !trusted(path) {
			continue
		}
		c := api.NewClient(path)
		limited, cancel := context.WithTimeout(ctx, statusLimit)
		st, err := c.Status(limited)
		cancel()
		silent := ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded)
		if !silent && !errors.Is(err, api.ErrUnreachable) && !st.Stopping {
			return c, err
		}
	}
	return nil, api.ErrUnreachable
}

// own connects an agent to the daemon of its session, or to the one that stands
// in for it.
func (p *program) own(ctx context.Context) (*api.Client, error) {
	if c, err := reach(ctx, []string{p.env("TEND_SOCKET")}); err == nil {
		return c, nil
	}
	return p.client(ctx)
}

// errRunning: another daemon holds the state folder. It answers soon, or it is
// on its way out.
var errRunning = errors.New("another daemon runs")

// summon starts a daemon, or waits for the one that is just starting or ending.
func (p *program) summon(ctx context.Context) (*api.Client, error) {
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if p.unlocked() {
			if err := p.startDaemon(limited); err != nil && !errors.Is(err, errRunning) {
				return nil, err
			}
		}
		if c, err := p.running(limited); err == nil {
			return c, nil
		}
		select {
		case <-tick.C:
		case <-limited.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, failure{exitUnreachable, fmt.Sprintf("a daemon holds %s and does not answer: tend doctor says more", p.dirs.state)}
		}
	}
}

// startDaemon starts `tend serve` away from this terminal and waits until it
// answers. When it cannot start, its own error is returned.
func (p *program) startDaemon(ctx context.Context) error {
	if p.cfgErr != nil {
		return p.cfgErr
	}
	if err := p.dirs.make(); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return failure{exitFailed, "cannot find this program to start the daemon: " + err.Error()}
	}
	log, err := os.OpenFile(p.dirs.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return failure{exitFailed, fmt.Sprintf("cannot write %s: %v", p.dirs.log(), reason(err))}
	}
	defer log.Close()
	told, tell, err := os.Pipe()
	if err != nil {
		return failure{exitFailed, err.Error()}
	}
	defer told.Close()
	c := exec.Command(self, "serve", "--ready-fd", "3")
	c.Env, c.Dir, c.Stdout, c.Stderr, c.ExtraFiles = p.envAll, "/", log, log, []*os.File{tell}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = c.Start()
	_ = tell.Close()
	if err != nil {
		return failure{exitFailed, "cannot start the daemon: " + err.Error()}
	}
	return p.awaitDaemon(ctx, told, c)
}

// awaitDaemon reads what the daemon says: "ready", or why it cannot serve.
func (p *program) awaitDaemon(ctx context.Context, told *os.File, c *exec.Cmd) error {
	_ = told.SetReadDeadline(time.Now().Add(startLimit))
	stop := context.AfterFunc(ctx, func() { _ = told.SetReadDeadline(time.Now()) })
	defer stop()
	line, err := bufio.NewReader(told).ReadString('\n')
	line = strings.TrimSpace(line)
	switch {
	case line == "ready":
		fmt.Fprintf(p.stderr, "tend: started the daemon (pid %d)\n", c.Process.Pid)
		return c.Process.Release()
	case line == "running":
		return errRunning // another one was quicker
	case line != "":
		return failure{exitFailed, line}
	case errors.Is(err, io.EOF):
		return failure{exitFailed, "the daemon ended before it was ready: see " + p.dirs.log()}
	}
	return failure{exitUnreachable, "the daemon did not answer within " + startLimit.String() + ": see " + p.dirs.log()}
}

// named is the session that a person names, and the daemon that has it.
func (p *program) named(ctx context.Context, name string) (*api.Client, api.Session, error) {
	c, err := p.client(ctx)
	if err != nil {
		return nil, api.Session{}, err
	}
	s, err := c.Get(ctx, name)
	return c, s, err
}
