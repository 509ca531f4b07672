//go:build unix

package fakeagent

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process performs the steps that concern the process itself.
func (a *agent) process(word, arg string) error {
	switch word {
	case "exec":
		c := exec.Command("sh", "-c", arg)
		c.Stdin, c.Stdout, c.Stderr = a.tty, os.Stdout, os.Stderr
		return c.Run()
	case "signal":
		return a.number(arg, func(n int) error {
			if err := unix.Kill(os.Getpid(), unix.Signal(n)); err != nil {
				return err
			}
			<-time.NewTimer(time.Minute).C // it takes a moment to arrive
			return nil
		})
	case "suspend":
		return unix.Kill(os.Getpid(), unix.SIGSTOP)
	case "closetty":
		for fd := range 3 {
			if err := unix.Close(fd); err != nil {
				return err
			}
		}
		return nil
	case "child":
		return child(arg)
	}
	return fmt.Errorf("unknown step; a script may say:\n%s", Steps)
}

// child leaves a process behind that does nothing for ten minutes.
func child(kind string) error {
	c := exec.Command("sleep", "600")
	switch kind {
	case "plain":
	case "setsid":
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case "trap":
		c = exec.Command("sh", "-c", "trap '' TERM HUP INT; sleep 600")
	default:
		return fmt.Errorf("no such child: %s", kind)
	}
	return c.Start()
}

// flush throws away everything that is typed until end.
func (a *agent) flush(end <-chan time.Time) error {
	ignore := make(chan os.Signal, 1)
	signal.Notify(ignore, unix.SIGTTOU)
	defer signal.Stop(ignore)
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for {
		if err := discardInput(int(a.tty.Fd())); err != nil {
			return err
		}
		select {
		case <-t.C:
		case <-end:
			return nil
		}
	}
}
