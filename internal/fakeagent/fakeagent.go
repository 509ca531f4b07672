// Package fakeagent is an agent whose behaviour is data: a list of steps, one
// word and an argument each. Demonstrations and tests run it in a real terminal
// as a real process. It speaks OSC 7501 when told to, and never decides
// anything by itself.
package fakeagent

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// Steps is the help text: what a script can say.
const Steps = `print TEXT     write TEXT (\n, \x1b and so on are read as in Go)
sleep D        wait, such as 300ms
state S        say one's state by OSC 7501: idle, working, blocked, done, error
title T        set the terminal's title
raw            turn off echo and line editing
paste          turn on bracketed paste
log FILE       append every byte read from here on to FILE
flush D        throw away what is typed, for D
ask TEXT       show TEXT, say blocked, and wait for one line
composer OPT   an input line: every submitted line is a turn that takes 100ms
               and ends with done; "exit" ends it. OPT: swallow (ignore the
               first submit key), silent (no OSC 7501)
spin D         repaint a spinner for D
stamp FILE     write the time in nanoseconds to FILE
flood N        write N bytes in numbered lines
child KIND     leave a process behind: plain, setsid, trap
exec CMD       run CMD by sh and wait
signal N       send signal N to oneself
suspend        stop oneself (state T)
closetty       close the terminal and go on
hang           do nothing for ever
exit N         end with status N
`

// agent is one run of a script.
type agent struct {
	in   *bufio.Reader
	tty  *os.File
	out  io.Writer
	log  io.Writer
	exit int
	over bool
}

// Run performs the steps and returns the exit status. tty is the terminal it
// was started in.
func Run(steps []string, tty *os.File, out io.Writer) int {
	a := &agent{tty: tty, out: out, log: io.Discard}
	a.in = bufio.NewReader(readLogged{a})
	for _, s := range steps {
		word, arg, _ := strings.Cut(s, " ")
		if err := a.step(word, arg); err != nil {
			fmt.Fprintf(os.Stderr, "fakeagent: %s: %v\n", s, err)
			return 2
		}
		if a.over {
			break
		}
	}
	return a.exit
}

// readLogged reads the terminal and keeps a copy of every byte.
type readLogged struct{ a *agent }

func (r readLogged) Read(p []byte) (int, error) {
	n, err := r.a.tty.Read(p)
	if _, werr := r.a.log.Write(p[:n]); werr != nil {
		return n, werr
	}
	return n, err
}

func (a *agent) step(word, arg string) error {
	switch word {
	case "print":
		return a.print(arg)
	case "state":
		return a.state(arg)
	case "title":
		return a.print(`\x1b]0;` + arg + `\x07`)
	case "paste":
		return a.print(`\x1b[?2004h`)
	case "raw":
		_, err := term.MakeRaw(int(a.tty.Fd()))
		return err
	case "log":
		f, err := os.OpenFile(arg, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		a.log = f
		return err
	case "stamp":
		return os.WriteFile(arg, strconv.AppendInt(nil, time.Now().UnixNano(), 10), 0o600)
	case "ask":
		return a.ask(arg)
	case "composer":
		return a.composer(arg)
	case "flood":
		return a.flood(arg)
	case "exit":
		a.over = true
		return a.number(arg, func(n int) error { a.exit = n; return nil })
	case "hang":
		for {
			<-time.NewTimer(time.Hour).C
		}
	case "sleep", "flush", "spin":
		return a.timed(word, arg)
	}
	return a.process(word, arg)
}

func (a *agent) timed(word, arg string) error {
	d, err := time.ParseDuration(arg)
	if err != nil {
		return err
	}
	end := time.NewTimer(d)
	switch word {
	case "flush":
		return a.flush(end.C)
	case "spin":
		return a.spin(end.C)
	}
	<-end.C
	return nil
}

func (a *agent) print(text string) error {
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	if err != nil {
		return err
	}
	_, err = io.WriteString(a.out, s)
	return err
}

func (a *agent) state(s string) error { return a.print(`\x1b]7501;state=` + s + `:app=fake\x07`) }

func (a *agent) number(arg string, f func(int) error) error {
	n, err := strconv.Atoi(arg)
	if err != nil {
		return err
	}
	return f(n)
}

func (a *agent) ask(text string) error {
	if err := a.print(text + `\n`); err != nil {
		return err
	}
	if err := a.state("blocked:kind=question"); err != nil {
		return err
	}
	_, err := a.line("", false)
	return err
}

func (a *agent) spin(end <-chan time.Time) error {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	glyphs := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	for i := 0; ; i++ {
		if _, err := fmt.Fprintf(a.out, "\r%c Working… %ds", glyphs[i%len(glyphs)], i/10); err != nil {
			return err
		}
		select {
		case <-t.C:
		case <-end:
			_, err := io.WriteString(a.out, "\r\x1b[K")
			return err
		}
	}
}

// flood writes numbered lines until n bytes are out.
func (a *agent) flood(arg string) error {
	return a.number(arg, func(n int) error {
		w := bufio.NewWriterSize(a.out, 1<<16)
		for i := 0; n > 0; i++ {
			m, err := fmt.Fprintf(w, "%0*d\n", min(n, 79), i)
			if err != nil {
				return err
			}
			n -= m
		}
		return w.Flush()
	})
}
