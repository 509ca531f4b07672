package pty

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/session"
)

// Follow delivers what happens in the terminal from an offset on.
func (h *Host) Follow(ctx context.Context, ref session.RunRef, from int64, f func(session.TerminalEvent) error) error {
	l, err := h.dial(ctx, ref, "daemon")
	if err != nil {
		if s, ierr := h.Inspect(ctx, ref); ierr == nil && s.Exit != nil {
			return h.replay(ref, from, s, f)
		}
		return err
	}
	defer l.conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer stop()
	if err := l.follow(from); err != nil {
		return err
	}
	for {
		e, _, err := l.event()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
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

// replay tells the end of a run whose holder has left, from its files.
func (h *Host) replay(ref session.RunRef, from int64, s session.Sighting, f func(session.TerminalEvent) error) error {
	sizes, err := h.Sizes(ref)
	if err != nil {
		return err
	}
	next := 0
	for i, z := range sizes {
		if z.Offset <= from {
			next = i
		}
	}
	buf := make([]byte, 64<<10)
	for off := from; ; {
		n, first, end, err := holder.ReadAt(h.Dir(ref), off, buf)
		if err != nil {
			return err
		}
		if first > off {
			if err := f(session.OutputGap{From: off, To: first}); err != nil {
				return err
			}
			off = first
		}
		for ; next < len(sizes) && sizes[next].Offset <= off; next++ {
			if err := f(sizes[next]); err != nil {
				return err
			}
		}
		if n == 0 || off >= end {
			break
		}
		if next < len(sizes) {
			n = min(n, int(sizes[next].Offset-off))
		}
		if err := f(session.Output{Offset: off, Data: bytes.Clone(buf[:n])}); err != nil {
			return err
		}
		off += int64(n)
	}
	if err := f(session.Viewers{}); err != nil {
		return err
	}
	return f(session.ProcessExited{Exit: *s.Exit})
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

// Write writes input whole, or nothing.
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

// Stop ends the run's process tree.
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
	s, ierr := h.Inspect(ctx, ref)
	switch {
	case ierr != nil || s.Alive:
		return nil, err
	case s.Exit == nil || s.Rebooted:
		if s.Gone || !s.Started {
			return nil, nil
		}
		return nil, err
	}
	return h.stopLeftovers(ref, order)
}

// stopLeftovers ends what an agent left behind when its holder has gone too.
func (h *Host) stopLeftovers(ref session.RunRef, o holder.StopOrder) ([]int, error) {
	var x holder.Exit
	if err := holder.ReadFile(h.Dir(ref), holder.ExitFile, &x); err != nil {
		return nil, err
	}
	return holder.End(func() []holder.Proc { return holder.Living(x.LeftBehind) }, o, nil), nil
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
