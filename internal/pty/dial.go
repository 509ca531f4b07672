package pty

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/session"
)

// dialTimeout bounds how long a holder may take to say hello.
const dialTimeout = 5 * time.Second

// line is a connection to a holder.
type line struct {
	conn net.Conn
	r    *bufio.Reader
	wr   sync.Mutex

	// The holder tells a size at once and output from the log as it is read:
	// here each size waits for the output that it follows.
	sizes []session.Resized
	rest  *session.Output
	at    int64
}

func (h *Host) dial(ctx context.Context, ref session.RunRef, role string) (*line, error) {
	dir := h.Dir(ref)
	var rec holder.Record
	if err := holder.ReadFile(dir, holder.HolderFile, &rec); err != nil {
		if !holder.Exists(dir, holder.LaunchFile) {
			return nil, session.ErrNoRun
		}
		return nil, fmt.Errorf("%w: %w", session.ErrUnreachable, err)
	}
	d := net.Dialer{Timeout: dialTimeout}
	c, err := d.DialContext(ctx, "unix", rec.Socket)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", session.ErrUnreachable, err)
	}
	l := &line{conn: c, r: bufio.NewReaderSize(c, 64<<10)}
	if err := l.hello(role, ref.Run); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("%w: %w", session.ErrUnreachable, err)
	}
	return l, nil
}

// hello greets the holder; it must be ours, and of this run.
func (l *line) hello(role string, run int) error {
	if u, ok := l.conn.(*net.UnixConn); !ok || holder.PeerUID(u) != os.Getuid() {
		return errors.New("its socket belongs to another user")
	}
	if err := l.conn.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return err
	}
	err := holder.WriteJSON(l.conn, holder.FHello, holder.Hello{Version: holder.Version, Role: role, Run: run})
	if err != nil {
		return err
	}
	kind, p, err := holder.ReadFrame(l.r)
	switch {
	case err != nil:
		return err
	case kind == holder.FError:
		return problem(p)
	case kind != holder.FHello:
		return errFrame
	}
	return l.conn.SetDeadline(time.Time{})
}

func problem(p []byte) error {
	var why holder.Problem
	if err := json.Unmarshal(p, &why); err != nil {
		return err
	}
	return errors.New(why.Detail)
}

func (l *line) send(kind byte, parts ...[]byte) error {
	l.wr.Lock()
	defer l.wr.Unlock()
	if err := holder.WriteFrame(l.conn, kind, parts...); err != nil {
		return fmt.Errorf("%w: %w", session.ErrUnreachable, err)
	}
	return nil
}

func (l *line) sendJSON(kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.send(kind, b)
}

func (l *line) follow(from int64) error {
	var b [8]byte
	l.at = max(from, 0)
	binary.BigEndian.PutUint64(b[:], uint64(l.at)) //nolint:gosec // an offset
	return l.send(holder.FFollow, b[:])
}

func inputFrame(in session.Input) ([][]byte, error) {
	if len(in.Data) > holder.MaxInput {
		return nil, &session.InputRefusedError{Why: "tooLarge", Line: fmt.Sprintf("%d bytes are more than a terminal takes at once (%d): send a file instead", len(in.Data), holder.MaxInput)}
	}
	hd := holder.InputHeader{By: string(in.By), QuietMS: in.IfQuietFor.Milliseconds(), IfNoUnfinished: in.IfNoUnfinished}
	if !in.FreeAt.IsZero() {
		hd.FreeAtMS = in.FreeAt.UnixMilli()
	}
	head, err := json.Marshal(hd)
	if err != nil {
		return nil, err
	}
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(len(head))) //nolint:gosec // short
	return [][]byte{n[:], head, in.Data}, nil
}

// event reads the next event of the terminal; replies to requests are returned
// as a Reply.
func (l *line) event() (session.TerminalEvent, *holder.Reply, error) {
	for {
		if e := l.due(); e != nil {
			return e, nil, nil
		}
		kind, p, err := holder.ReadFrame(l.r)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", session.ErrUnreachable, err)
		}
		if kind == holder.FError {
			return nil, nil, fmt.Errorf("%w: %w", session.ErrUnreachable, problem(p))
		}
		if kind == holder.FReply {
			var r holder.Reply
			return nil, &r, json.Unmarshal(p, &r)
		}
		e, err := decode(kind, p)
		switch e := e.(type) {
		case session.Resized:
			l.sizes = append(l.sizes, e)
			continue
		case session.Output:
			l.rest, l.at = &e, e.Offset
			continue
		case session.OutputGap:
			l.at = e.To
		}
		if e != nil || err != nil {
			return e, nil, err
		}
	}
}

// due is the next size or piece of output that is in order.
func (l *line) due() session.TerminalEvent {
	if len(l.sizes) > 0 && (l.sizes[0].Offset <= l.at) {
		s := l.sizes[0]
		l.sizes = l.sizes[1:]
		return s
	}
	if l.rest == nil {
		return nil
	}
	o := *l.rest
	l.rest = nil
	if len(l.sizes) > 0 && l.sizes[0].Offset < o.Offset+int64(len(o.Data)) {
		n := l.sizes[0].Offset - o.Offset
		l.rest = &session.Output{Offset: o.Offset + n, Data: o.Data[n:]}
		o.Data = o.Data[:n]
	}
	l.at = o.Offset + int64(len(o.Data))
	return o
}

var errFrame = errors.New("a frame that makes no sense")

// decode turns a frame into an event; a frame of a kind that is not known here
// comes from a newer holder and is passed over.
func decode(kind byte, p []byte) (session.TerminalEvent, error) {
	into := func(v any) error { return json.Unmarshal(p, v) }
	switch kind {
	case holder.FData:
		if len(p) < 8 {
			return nil, errFrame
		}
		return session.Output{Offset: int64(binary.BigEndian.Uint64(p)), Data: p[8:]}, nil //nolint:gosec // an offset
	case holder.FGap:
		var g holder.Gap
		err := into(&g)
		return session.OutputGap(g), err
	case holder.FResize:
		var s holder.Size
		err := into(&s)
		return session.Resized{Offset: s.Offset, Size: session.Size{Cols: s.Cols, Rows: s.Rows}}, err
	case holder.FTyped:
		var t holder.Typed
		err := into(&t)
		return session.Typed{At: time.UnixMilli(t.AtMS), By: session.Source(t.By), Submitted: t.Submitted, Unfinished: t.Unfinished}, err
	case holder.FViewers:
		var n holder.Count
		err := into(&n)
		return session.Viewers{Count: n.N}, err
	case holder.FSuspended:
		var f holder.Flag
		err := into(&f)
		return session.Suspended{Stopped: f.On}, err
	case holder.FExit:
		var x holder.Exit
		err := into(&x)
		return session.ProcessExited{Exit: exitOf(x)}, err
	}
	return nil, nil
}

// ask sends one request and returns its reply.
func (h *Host) ask(ctx context.Context, ref session.RunRef, kind byte, parts ...[]byte) (holder.Reply, error) {
	l, err := h.dial(ctx, ref, holder.RoleDaemon)
	if err != nil {
		return holder.Reply{}, err
	}
	defer l.conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer stop()
	if err := l.send(kind, parts...); err != nil {
		return holder.Reply{}, errors.Join(err, ctx.Err())
	}
	for {
		_, r, err := l.event()
		if err != nil {
			return holder.Reply{}, errors.Join(err, ctx.Err())
		}
		if r != nil {
			return *r, nil
		}
	}
}

func refusal(r holder.Reply) error {
	if r.Refused == "" {
		return nil
	}
	return &session.InputRefusedError{Why: r.Refused, Line: r.Detail}
}
