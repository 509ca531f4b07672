package pty

import (
	"context"
	"errors"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/session"
)

// AttachOptions say how a person looks at a terminal.
type AttachOptions struct {
	ReadOnly bool
	Size     session.Size // zero: leave it as it is
	From     int64        // the first output wanted
}

// Attachment is a person's terminal on a run. It talks to the holder alone.
type Attachment struct{ l *line }

// Attach connects a person's terminal. It counts as a viewer until Close.
func (h *Host) Attach(ctx context.Context, ref session.RunRef, o AttachOptions) (*Attachment, error) {
	l, err := h.dial(ctx, ref, "viewer")
	if err != nil {
		return nil, err
	}
	a := &Attachment{l: l}
	if o.Size != (session.Size{}) && !o.ReadOnly {
		err = a.Resize(o.Size)
	}
	if err = errors.Join(err, l.follow(o.From)); err != nil {
		_ = l.conn.Close()
		return nil, err
	}
	return a, nil
}

// Next waits for the next event. After session.ProcessExited nothing follows.
func (a *Attachment) Next() (session.TerminalEvent, error) {
	for {
		e, _, err := a.l.event()
		if e != nil || err != nil {
			return e, err
		}
	}
}

// Write types what a person typed.
func (a *Attachment) Write(p []byte) error {
	parts, err := inputFrame(session.Input{By: session.FromPerson, Data: p})
	if err != nil {
		return err
	}
	return a.l.send(holder.FInput, parts...)
}

// Resize sets the terminal's size.
func (a *Attachment) Resize(s session.Size) error {
	return a.l.sendJSON(holder.FResize, holder.Size{Cols: s.Cols, Rows: s.Rows})
}

// Close detaches; Next returns an error then.
func (a *Attachment) Close() error { return a.l.conn.Close() }
