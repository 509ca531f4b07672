package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/screen"
	"github.com/tendhq/tend/internal/session"
)

type logOptions struct {
	follow, raw, plain bool
	run, tail          int
}

// plainHistory is how many lines `logs --plain` can look back.
const plainHistory = 200_000

func (p *program) logsCommand() *cobra.Command {
	var o logOptions
	c := &cobra.Command{
		Use: "logs SESSION", Short: "Print a session's output", Args: exactly(1, "one session"),
		Long: "Prints the output as a person would have read it. --raw prints the bytes as they came; -f goes on with what comes,\n" +
			"as text (and colours, on a terminal and without --plain) unless --raw is given.",
		RunE: func(c *cobra.Command, args []string) error {
			if p.json && (o.raw || o.follow) {
				return usagef("--json prints the text as lines: leave out --raw and --follow")
			}
			return p.logs(c.Context(), args[0], o)
		},
	}
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on with what comes")
	c.Flags().BoolVar(&o.raw, "raw", false, "the bytes as they came")
	c.Flags().BoolVar(&o.plain, "plain", false, "text as a person reads it (the default)")
	c.Flags().Var(wholeNumber[int]{&o.run, 1}, "run", "the output of this run; the newest when absent")
	c.Flags().Var(wholeNumber[int]{&o.tail, 1}, "tail", "only the last N lines")
	c.MarkFlagsMutuallyExclusive("raw", "plain")
	c.MarkFlagsMutuallyExclusive("raw", "tail")
	return c
}

func (p *program) logs(ctx context.Context, name string, o logOptions) error {
	c, s, err := p.named(ctx, name)
	if err != nil {
		return err
	}
	if _, shown := p.terminals(); shown && o.follow {
		if err := p.notOwn(s); err != nil {
			return err
		}
	}
	if o.run == 0 {
		o.run = s.Process.Run
	}
	out := p.logOut(o)
	defer out.restore()
	var end int64
	if o.raw {
		end, err = p.output(ctx, c, s.ID, o.run, out, func(_ int64, b []byte) error { return out.write(b) })
	} else {
		end, err = p.plain(ctx, c, s.ID, o, out)
	}
	if n := s.Process.OutputLost; n > 0 && o.run == s.Process.Run {
		fmt.Fprintf(p.stderr, "tend: %d bytes of this output are lost: the disk was full\n", n)
	}
	if err != nil || !o.follow {
		return err
	}
	err = p.host().Follow(ctx, session.RunRef{ID: session.ID(s.ID), Run: o.run}, end, func(e session.TerminalEvent) error {
		switch e := e.(type) {
		case session.Output:
			return out.write(e.Data)
		case session.OutputGap:
			return out.gap(e.From, e.To)
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil // a person has seen enough
	}
	return attachError(s, err)
}

// logOut is where a log goes: as text, or raw.
type logOut struct {
	p    *program
	text *screen.TextFilter // nil: raw
	term *screen.Terminal   // what raw output does to the terminal that shows it, nil when none does
}

func (p *program) logOut(o logOptions) *logOut {
	out := &logOut{p: p}
	switch _, shown := p.screen(); {
	case !o.raw:
		out.text = screen.NewTextFilter(p.color() && !o.plain)
	case shown:
		out.term = screen.New(100, 30, screen.Options{History: -1})
	}
	return out
}

func (l *logOut) write(b []byte) error {
	if l.term != nil {
		_, _ = l.term.Write(b)
	}
	if l.text != nil {
		b = l.text.Append(nil, b)
	}
	_, err := l.p.stdout.Write(b)
	return err
}

// gap says that output is missing: in its place where it goes on as text.
func (l *logOut) gap(from, to int64) error {
	if l.text == nil {
		fmt.Fprintln(l.p.stderr, "tend: "+missing(from, to))
		return nil
	}
	return l.write([]byte("\x18\x1b\\\r\n" + mark(from, to) + "\r\n"))
}

// missing is what is known of output that is not there. A run begins with room
// on the disk, so only the log's limit leaves out its beginning.
func missing(from, to int64) string {
	if from == 0 {
		return fmt.Sprintf("the first %d bytes of output are gone: log_cap in `tend help config` says how much is kept", to)
	}
	return fmt.Sprintf("%d bytes of output are missing: the disk was full, or they came faster than they were read", to-from)
}

func mark(from, to int64) string { return "[tend: " + missing(from, to) + "]" }

// skip takes note of output that is shown in another way: what it has begun and
// not finished is no text.
func (l *logOut) skip(b []byte) { l.text.Append(nil, b) }

// restore leaves the terminal with the modes that it had.
func (l *logOut) restore() {
	var b []byte
	switch {
	case l.text != nil:
		b = l.text.End(nil)
	case l.term != nil:
		b = screen.RestoreBytes(l.term.Modes())
	}
	_, _ = l.p.stdout.Write(b)
}

// gaps takes note of output that is not there.
type gaps interface{ gap(from, to int64) error }

// output reads everything recorded of a run, with the offset of each piece, and
// returns its end.
func (p *program) output(ctx context.Context, c *api.Client, id string, run int, g gaps, f func(int64, []byte) error) (int64, error) {
	for off := int64(0); ; {
		out, err := c.Output(ctx, id, api.OutputRange{Run: run, Offset: off, Limit: api.MaxOutput})
		if err != nil {
			return off, err
		}
		if out.Offset > off {
			if err := g.gap(off, out.Offset); err != nil {
				return off, err
			}
		}
		if err := f(out.Offset, out.Data); err != nil {
			return off, err
		}
		off = out.Offset + int64(len(out.Data))
		if len(out.Data) == 0 || off >= out.End {
			return off, nil
		}
	}
}

// marked writes a mark on the screen where output is missing; on the alternate
// screen, where it would be painted over, beside it.
type marked struct {
	t *screen.Terminal
	p *program
}

func (m marked) gap(from, to int64) error {
	if from == 0 || m.t.Modes().AltScreen {
		fmt.Fprintln(m.p.stderr, "tend: "+missing(from, to))
		return nil
	}
	_, _ = m.t.Write([]byte("\x18\x1b\\\x1b[m\r\n" + mark(from, to) + "\r\n"))
	return nil
}

// plain replays the output in an emulator and prints what a person would read.
func (p *program) plain(ctx context.Context, c *api.Client, id string, o logOptions, out *logOut) (int64, error) {
	sizes, err := p.host().Sizes(session.RunRef{ID: session.ID(id), Run: o.run})
	if err != nil {
		return 0, err
	}
	t := screen.New(100, 30, screen.Options{History: plainHistory})
	end, err := p.output(ctx, c, id, o.run, marked{t, p}, func(at int64, b []byte) error {
		out.skip(b)
		for len(b) > 0 || len(sizes) > 0 && sizes[0].Offset <= at {
			n := len(b)
			if len(sizes) > 0 && sizes[0].Offset <= at {
				t.Resize(sizes[0].Size.Cols, sizes[0].Size.Rows)
				sizes = slices.Delete(sizes, 0, 1)
				continue
			}
			if len(sizes) > 0 {
				n = int(min(int64(n), sizes[0].Offset-at))
			}
			_, _ = t.Write(b[:n])
			at, b = at+int64(n), b[n:]
		}
		return nil
	})
	if err != nil {
		return end, err
	}
	tail := o.tail
	if tail == 0 {
		tail = -1 // all of it
	}
	lines := t.Plain(tail)
	if t.Cut() && (tail < 0 || len(lines) < tail) {
		fmt.Fprintf(p.stderr, "tend: only the last %d lines are shown, for want of memory: tend logs %s --raw >FILE saves everything, --tail N shows fewer\n", len(lines), shortID(id))
	}
	if p.json {
		return end, p.print(map[string]any{"session": id, "run": o.run, "lines": append([]string{}, lines...)})
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(p.stdout, clean(l)); err != nil {
			return end, err
		}
	}
	return end, nil
}
