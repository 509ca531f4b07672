package pty

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/session"
)

// AttachOptions say how a person looks at a terminal.
type AttachOptions struct {
	ReadOnly bool
	Size     session.Size // zero: leave it as it is
	From     int64        // the first output wanted
}

// Attachment is a person's terminal on a run. It talks to the holder alone, so
// the daemon's end does not disturb it. Next is for one goroutine; the other
// methods may be called from any.
type Attachment struct {
	host     *Host
	ref      session.RunRef
	l        *line
	readOnly bool
	closed   atomic.Bool
	over     bool      // the end was told
	rest     *replayer // after the holder has left
}

// Attach connects a person's terminal. It counts as a viewer until Close. There
// may be any number of them. session.ErrNoRun and session.ErrUnreachable as with
// Follow; ctx bounds connecting only.
func (h *Host) Attach(ctx context.Context, ref session.RunRef, o AttachOptions) (*Attachment, error) {
	l, err := h.dial(ctx, ref, holder.RoleViewer)
	if err != nil {
		return nil, err
	}
	a := &Attachment{host: h, ref: ref, l: l, readOnly: o.ReadOnly}
	if o.Size != (session.Size{}) && !o.ReadOnly {
		err = a.Resize(o.Size)
	}
	if err = errors.Join(err, l.follow(o.From)); err != nil {
		_ = l.conn.Close()
		return nil, err
	}
	return a, nil
}

// Next waits for the next event. After session.ProcessExited it returns io.EOF.
func (a *Attachment) Next() (session.TerminalEvent, error) {
	if a.over {
		return nil, io.EOF
	}
	e, err := a.next()
	if _, exited := e.(session.ProcessExited); exited {
		a.over = true
	}
	return e, err
}

func (a *Attachment) next() (session.TerminalEvent, error) {
	for a.rest == nil {
		e, _, err := a.l.event()
		if e != nil {
			return e, nil
		}
		if err != nil {
			if err := a.goOn(err); err != nil {
				return nil, err
			}
		}
	}
	return a.rest.next()
}

// goOn goes on from the files when the run has ended and its holder has left.
func (a *Attachment) goOn(why error) error {
	s, err := a.host.Inspect(context.Background(), a.ref)
	if err != nil || s.Exit == nil || a.closed.Load() {
		return why
	}
	a.rest, err = a.host.replay(a.ref, a.l.at, *s.Exit)
	return err
}

// errReadOnly is what a read-only attachment answers.
var errReadOnly = &session.InputRefusedError{Why: "readOnly", Line: "this terminal is only looked at"}

// Write types what a person typed, at most 4 MiB less 64 KiB. It does not wait
// for the agent to read it.
func (a *Attachment) Write(p []byte) error {
	if a.readOnly {
		return errReadOnly
	}
	parts, err := inputFrame(session.Input{By: session.FromPerson, Data: p})
	if err != nil {
		return err
	}
	return a.l.send(holder.FInput, parts...)
}

// Resize sets the terminal's size.
func (a *Attachment) Resize(s session.Size) error {
	if a.readOnly {
		return errReadOnly
	}
	return a.l.sendJSON(holder.FResize, holder.Size{Cols: s.Cols, Rows: s.Rows})
}

// Close detaches; Next returns an error then.
func (a *Attachment) Close() error {
	a.closed.Store(true)
	return a.l.conn.Close()
}
