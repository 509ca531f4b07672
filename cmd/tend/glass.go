package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/agent"
	"github.com/tendhq/tend/internal/pty"
	"github.com/tendhq/tend/internal/screen"
	"github.com/tendhq/tend/internal/session"
)

// glass is a person's look at a terminal: an emulator that is brought up to
// date first, then painted whole, then kept beside the live bytes.
type glass struct {
	t        terminals
	a        *pty.Attachment
	term     *screen.Terminal
	filter   *screen.Filter
	readOnly bool
	hint     string
	hinted   bool // the hint is on the screen, and what comes is painted around it
	stale    bool // something came since the last picture with the hint
	shown    bool
	asIs     bool  // the size that we asked for did not come: show what there is
	until    int64 // output that was there when we came
	at       int64
}

const (
	// sizeFor is how long the first picture waits for the terminal to take our size.
	sizeFor = 100 * time.Millisecond
	// pictureEvery is how soon what comes is seen while the hint is there.
	pictureEvery = 40 * time.Millisecond
)

// enter and leave go around the look: what the person's screen showed is moved
// into its scrollback, its title is kept, and the next prompt stands below.
const (
	enter = "\x1b[22;0t\x1b[999;1H"
	leave = "\x1b[23;0t\x1b[999;1H\r\n"
)

func openGlass(ctx context.Context, host *pty.Host, ref session.RunRef, t terminals, readOnly bool) (*glass, error) {
	g := &glass{t: t, filter: screen.NewFilter(), readOnly: readOnly}
	off, saved, err := host.LoadScreen(ctx, ref)
	if err == nil && saved != nil {
		g.term, err = screen.Restore(agent.ScreenPart(saved))
	}
	if err != nil || g.term == nil {
		off, g.term = 0, screen.New(100, 30, screen.Options{})
	}
	_, _, g.until, err = host.ReadOutput(ctx, ref, 0, nil)
	if err != nil {
		return nil, err
	}
	g.at = off
	g.a, err = host.Attach(ctx, ref, pty.AttachOptions{ReadOnly: readOnly, Size: t.size(), From: off})
	return g, err
}

// show is the session of looking. It returns how it ended, in words.
func (g *glass) show(ctx context.Context, detach []byte) (how string, err error) {
	restore, err := g.t.raw()
	if err != nil {
		return "", errors.Join(err, g.a.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		_ = g.a.Close()
		_, _ = g.t.out.Write(append(screen.RestoreBytes(g.term.Modes()), leave...))
		restore()
	}()
	_, _ = g.t.out.WriteString(enter + strings.Repeat("\n", g.t.size().Rows))
	if !g.readOnly {
		go g.t.watchSize(ctx, g.a)
	}
	left := make(chan error, 1)
	go func() { left <- g.keys(ctx, detach) }()
	events, failed := g.events(ctx)
	g.paintIfDue()
	return g.look(ctx, events, failed, left)
}

// look shows what happens until it is over.
func (g *glass) look(ctx context.Context, events <-chan session.TerminalEvent, failed, left <-chan error) (how string, err error) {
	size, over, picture := time.NewTimer(sizeFor), time.NewTimer(hintFor), time.NewTicker(pictureEvery)
	defer size.Stop()
	defer over.Stop()
	defer picture.Stop()
	for {
		select {
		case e := <-events:
			if x, ok := e.(session.ProcessExited); ok {
				g.paintLast()
				return "has ended: " + session.DescribeExit(&x.Exit), nil
			}
			g.take(e)
		case err := <-failed:
			return "", err
		case err := <-left:
			return "goes on", err
		case <-size.C:
			g.asIs = true
			g.paintIfDue()
		case <-picture.C:
			g.paintAround()
		case <-over.C:
			g.hideHint()
			picture.Stop()
		case <-ctx.Done():
			return "goes on", nil
		}
	}
}

func (g *glass) events(ctx context.Context) (<-chan session.TerminalEvent, <-chan error) {
	events, failed := make(chan session.TerminalEvent), make(chan error, 1)
	go func() {
		for {
			e, err := g.a.Next()
			if err != nil {
				failed <- err
				return
			}
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events, failed
}

// take brings emulator and terminal up to date with one event.
func (g *glass) take(e session.TerminalEvent) {
	switch e := e.(type) {
	case session.Resized:
		g.term.Resize(e.Size.Cols, e.Size.Rows)
		switch {
		case g.hinted:
			g.stale = true
		case g.shown:
			g.paint() // not every agent does it by itself
		}
	case session.OutputGap:
		g.at = e.To
	case session.Output:
		_, _ = g.term.Write(e.Data)
		g.at = e.Offset + int64(len(e.Data))
		switch {
		case g.hinted:
			g.stale = true
		case g.shown:
			_, _ = g.t.out.Write(g.filter.Append(nil, e.Data))
		}
	}
	g.paintIfDue()
}

// paintIfDue paints the first picture once emulator and size are up to date.
func (g *glass) paintIfDue() {
	cols, rows := g.term.Size()
	fits := g.asIs || g.readOnly || session.Size{Cols: cols, Rows: rows} == g.t.size()
	if !g.shown && g.at >= g.until && fits {
		g.hinted = true
		g.paint()
	}
}

// paint shows the exact screen, and the hint while that is wanted.
func (g *glass) paint() {
	g.shown, g.stale = true, false
	// What the stream has begun and not finished is in the snapshot's end: the
	// filter has to know it too.
	out := g.filter.Append(nil, g.term.Snapshot(0))
	if g.hinted {
		_, rows := g.term.Size()
		out = fmt.Appendf(out, "\x1b7\x1b[%d;1H\x1b[0;7m%s\x1b[0m\x1b8", rows, g.hint)
	}
	_, _ = g.t.out.Write(out)
}

// paintAround shows what came while the hint is there.
func (g *glass) paintAround() {
	if g.hinted && g.stale {
		g.paint()
	}
}

func (g *glass) hideHint() {
	if g.hinted {
		g.hinted = false
		g.paint()
	}
}

// paintLast leaves the screen of an agent that has ended as it was.
func (g *glass) paintLast() {
	if !g.shown || g.hinted {
		g.hinted = false
		g.paint()
	}
}

// twiceWithin is how soon the second detach key must follow to go to the agent.
const twiceWithin = 400 * time.Millisecond

// keys passes what is typed to the agent, until the detach key.
func (g *glass) keys(ctx context.Context, detach []byte) error {
	typed := make(chan []byte)
	go func() {
		for {
			buf := make([]byte, 4096)
			n, err := g.t.in.Read(buf)
			if err != nil {
				close(typed)
				return
			}
			select {
			case typed <- buf[:n]:
			case <-ctx.Done():
				return
			}
		}
	}()
	d := detacher{keys: detach}
	wait := time.NewTimer(time.Hour)
	defer wait.Stop()
	for {
		select {
		case p, open := <-typed:
			if !open {
				return nil
			}
			pass, leave := d.feed(p)
			if len(pass) > 0 && !g.readOnly {
				if err := g.a.Write(pass); err != nil {
					return nil // the other side tells how it ended
				}
			}
			if leave {
				return nil
			}
			if d.armed {
				wait.Reset(twiceWithin)
			}
		case <-wait.C:
			if d.armed {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}
