package pty

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/session"
)

// Follow delivers what happens in the terminal from an offset on. A holder that
// leaves after the run has ended is no interruption: the rest is told from the
// files.
func (h *Host) Follow(ctx context.Context, ref session.RunRef, from int64, f func(session.TerminalEvent) error) error {
	l, err := h.dial(ctx, ref, holder.RoleDaemon)
	if err != nil {
		return h.followRest(ctx, ref, from, err, f)
	}
	defer l.conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer stop()
	if err := l.follow(from); err != nil {
		return h.followRest(ctx, ref, from, err, f)
	}
	for {
		e, _, err := l.event()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return h.followRest(ctx, ref, l.at, err, f)
		case e == nil:
			continue
		}
		if err := f(e); err != nil {
			return err
		}
		if _, over := e.(session.ProcessExited); over {
			return nil
		}
	}
}

// followRest tells the end of a run whose holder has left, or why it cannot.
func (h *Host) followRest(ctx context.Context, ref session.RunRef, from int64, why error, f func(session.TerminalEvent) error) error {
	s, err := h.Inspect(ctx, ref)
	if err != nil || s.Exit == nil {
		return errors.Join(why, ctx.Err())
	}
	r, err := h.replay(ref, from, *s.Exit)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// replayer tells the rest of an ended run from its files: recorded output and
// the sizes within it, and then the end.
type replayer struct {
	dir   string
	at    int64
	sizes []session.Resized
	end   []session.TerminalEvent
	buf   []byte
}

func (h *Host) replay(ref session.RunRef, from int64, exit session.Exit) (*replayer, error) {
	sizes, err := h.Sizes(ref)
	for i := len(sizes) - 1; i > 0; i-- {
		if sizes[i].Offset <= from {
			sizes = sizes[i:]
			break
		}
	}
	end := []session.TerminalEvent{session.Viewers{}, session.ProcessExited{Exit: exit}}
	return &replayer{dir: h.Dir(ref), at: max(from, 0), sizes: sizes, end: end, buf: make([]byte, 64<<10)}, err
}

// next is the next event; io.EOF after the last.
func (r *replayer) next() (session.TerminalEvent, error) {
	if len(r.sizes) > 0 && r.sizes[0].Offset <= r.at {
		s := r.sizes[0]
		r.sizes = r.sizes[1:]
		return s, nil
	}
	n, first, end, err := holder.ReadAt(r.dir, r.at, r.buf)
	switch {
	case err != nil:
		return nil, err
	case first > r.at:
		starts, err := holder.Segments(r.dir)
		gap := session.OutputGap{From: r.at, To: first, Full: err == nil && len(starts) > 0 && r.at >= starts[0]}
		r.at = first
		return gap, nil
	case n > 0 && r.at < end:
		return r.piece(n), nil
	case len(r.end) == 0:
		return nil, io.EOF
	}
	e := r.end[0]
	r.end = r.end[1:]
	return e, nil
}

// piece is output up to the next size.
func (r *replayer) piece(n int) session.Output {
	if len(r.sizes) > 0 {
		n = int(min(int64(n), r.sizes[0].Offset-r.at))
	}
	o := session.Output{Offset: r.at, Data: bytes.Clone(r.buf[:n])}
	r.at += int64(n)
	return o
}

// Sizes lists the sizes the terminal has had, with the offsets from which on.
func (h *Host) Sizes(ref session.RunRef) ([]session.Resized, error) {
	b, err := os.ReadFile(filepath.Join(h.Dir(ref), holder.SizesFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []session.Resized
	for line := range bytes.Lines(b) {
		var s holder.Size
		if json.Unmarshal(line, &s) == nil {
			out = append(out, session.Resized{Offset: s.Offset, Size: session.Size{Cols: s.Cols, Rows: s.Rows}})
		}
	}
	return out, nil
}

// Write writes input whole, or nothing: more than 4 MiB less 64 KiB at once, or
// while 8 MiB wait for an agent that does not read, is refused. It returns when
// the terminal has taken everything; when ctx ends before a supervisor's input
// has its turn, it is not written.
func (h *Host) Write(ctx context.Context, ref session.RunRef, in session.Input) error {
	parts, err := inputFrame(in)
	if err != nil {
		return err
	}
	r, err := h.ask(ctx, ref, holder.FInput, parts...)
	if err != nil {
		return err
	}
	return refusal(r)
}

// Resize sets the terminal's size.
func (h *Host) Resize(ctx context.Context, ref session.RunRef, s session.Size) error {
	b, err := json.Marshal(holder.Size{Cols: s.Cols, Rows: s.Rows})
	if err != nil {
		return err
	}
	_, err = h.ask(ctx, ref, holder.FResize, b)
	return err
}

// Stop ends the run's process tree, also what an agent has left behind, and also
// when the holder has gone.
func (h *Host) Stop(ctx context.Context, ref session.RunRef, o session.StopOrder) ([]int, error) {
	if o.Signal == 0 {
		o.Signal = 15
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	order := holder.StopOrder{Signal: o.Signal, GraceMS: o.Grace.Milliseconds()}
	b, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	r, err := h.ask(ctx, ref, holder.FStop, b)
	if err == nil {
		return r.Left, nil
	}
	return h.stopUnheld(ctx, ref, order, err)
}

// stopUnheld ends what lives of a run whose holder did not answer, if it is
// proven that the holder has gone, or that the agent has.
func (h *Host) stopUnheld(ctx context.Context, ref session.RunRef, o holder.StopOrder, why error) ([]int, error) {
	s, err := h.Inspect(ctx, ref)
	var rec holder.Record
	switch {
	case err != nil:
		return nil, errors.Join(why, err)
	case !s.Started || s.Rebooted:
		return nil, nil
	case holder.ReadFile(h.Dir(ref), holder.HolderFile, &rec) != nil, rec.Holder.Alive() && s.Exit == nil:
		return nil, why
	}
	var x holder.Exit
	if s.Exit != nil {
		if err := holder.ReadFile(h.Dir(ref), holder.ExitFile, &x); err != nil {
			return nil, err
		}
	}
	return holder.End(func() []holder.Proc {
		return holder.Remains(rec, x)
	}, o, nil), nil
}

// Release lets the holder go.
func (h *Host) Release(ctx context.Context, ref session.RunRef) error {
	_, err := h.ask(ctx, ref, holder.FAck)
	if err != nil {
		if s, ierr := h.Inspect(ctx, ref); ierr == nil && !s.Alive {
			return nil
		}
	}
	return err
}

// ReadOutput reads recorded output at an absolute offset.
func (h *Host) ReadOutput(_ context.Context, ref session.RunRef, offset int64, p []byte) (n int, first, end int64, err error) {
	dir := h.Dir(ref)
	if !holder.Exists(dir, holder.LaunchFile) {
		return 0, 0, 0, session.ErrNoRun
	}
	return holder.ReadAt(dir, offset, p)
}

const screenFile = "screen.ckpt"

// SaveScreen keeps a screen checkpoint beside the output.
func (h *Host) SaveScreen(_ context.Context, ref session.RunRef, offset int64, screen []byte) error {
	dir := h.Dir(ref)
	b := binary.BigEndian.AppendUint64(nil, uint64(offset)) //nolint:gosec // an offset
	tmp := filepath.Join(dir, "."+screenFile+".tmp")
	if err := os.WriteFile(tmp, append(b, screen...), 0o600); err != nil {
		return fmt.Errorf("write the checkpoint: %w", err)
	}
	return os.Rename(tmp, filepath.Join(dir, screenFile))
}

// LoadScreen returns the newest checkpoint.
func (h *Host) LoadScreen(_ context.Context, ref session.RunRef) (int64, []byte, error) {
	b, err := os.ReadFile(filepath.Join(h.Dir(ref), screenFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, nil
	}
	if err != nil || len(b) < 8 {
		return 0, nil, errors.Join(err, errors.New("the checkpoint cannot be read"))
	}
	return int64(binary.BigEndian.Uint64(b)), b[8:], nil //nolint:gosec // an offset
}
