package holder

import (
	"encoding/binary"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// writeTimeout drops a reader that takes nothing.
const writeTimeout = 60 * time.Second

// maxEvents bounds what waits for one reader besides output, which waits in the
// log.
const maxEvents = 1024

// Flag is on or off.
type Flag struct {
	On bool `json:"on"`
}

// Count is a number.
type Count struct {
	N int `json:"n"`
}

// conn is one connection. What it has not read of the output waits in the log,
// so a slow reader only lags.
type conn struct {
	h    *holder
	net  net.Conn
	role string
	wr   sync.Mutex // one frame at a time

	// Guarded by h.log.mu:
	follow bool
	offset int64
	events [][]byte // encoded frames that wait
	closed bool
	told   bool // the exit
}

func (h *holder) accept(ln net.Listener) {
	go h.keepSocket(ln)
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go h.talk(c)
	}
}

// keepSocket makes a removed socket anew.
func (h *holder) keepSocket(ln net.Listener) {
	for {
		awaitRemoval(h.launch.Socket)
		if _, err := os.Lstat(h.launch.Socket); err == nil {
			continue
		}
		if again, err := h.listen(); err == nil {
			_ = ln.Close()
			go h.accept(again)
			return
		}
	}
}

func (h *holder) talk(nc net.Conn) {
	c := &conn{h: h, net: nc}
	defer h.leave(c)
	if !sameUser(nc) {
		return
	}
	kind, p, err := ReadFrame(nc)
	var hello Hello
	if err != nil || kind != FHello || json.Unmarshal(p, &hello) != nil || hello.Run != h.launch.Run {
		return
	}
	c.role = hello.Role
	if c.send(FHello, h.status()) != nil {
		return
	}
	h.join(c)
	go c.write()
	for {
		kind, p, err := ReadFrame(nc)
		if err != nil || !c.request(kind, p) {
			return
		}
	}
}

func (h *holder) join(c *conn) {
	h.mu.Lock()
	h.conns[c] = true
	h.mu.Unlock()
	h.tellViewers()
}

func (h *holder) leave(c *conn) {
	_ = c.net.Close()
	h.log.mu.Lock()
	c.closed = true
	h.log.changed.Broadcast()
	h.log.mu.Unlock()
	h.mu.Lock()
	delete(h.conns, c)
	h.mu.Unlock()
	h.tellViewers()
}

func (h *holder) viewers() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		if c.role == "viewer" {
			n++
		}
	}
	return n
}

func (h *holder) tellViewers() { h.tell(FViewers, Count{h.viewers()}) }

// tell queues an event for everyone who follows.
func (h *holder) tell(kind byte, v any) {
	h.mu.Lock()
	all := make([]*conn, 0, len(h.conns))
	for c := range h.conns {
		all = append(all, c)
	}
	h.mu.Unlock()
	for _, c := range all {
		c.queue(kind, v)
	}
}

func (c *conn) queue(kind byte, v any) {
	var b frameBuffer
	if WriteJSON(&b, kind, v) != nil {
		return
	}
	c.h.log.mu.Lock()
	defer c.h.log.mu.Unlock()
	if !c.follow || c.closed {
		return
	}
	if len(c.events) >= maxEvents {
		_ = c.net.Close() // it takes nothing
		return
	}
	c.events = append(c.events, b)
	c.h.log.changed.Broadcast()
}

type frameBuffer []byte

func (b *frameBuffer) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }

func (c *conn) send(kind byte, v any) error {
	c.wr.Lock()
	defer c.wr.Unlock()
	_ = c.net.SetWriteDeadline(time.Now().Add(writeTimeout))
	return WriteJSON(c.net, kind, v)
}

func (c *conn) raw(b []byte) error {
	c.wr.Lock()
	defer c.wr.Unlock()
	_ = c.net.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := c.net.Write(b)
	return err
}

// request does what a client asks; false ends the connection.
func (c *conn) request(kind byte, p []byte) bool {
	switch kind {
	case FFollow:
		if len(p) != 8 {
			return false
		}
		c.begin(int64(binary.BigEndian.Uint64(p))) //nolint:gosec // an offset
	case FInput:
		return c.input(p)
	case FResize:
		var s Size
		if json.Unmarshal(p, &s) != nil {
			return false
		}
		c.h.resize(s)
		return c.send(FReply, Reply{}) == nil
	case FStop:
		var o StopOrder
		if json.Unmarshal(p, &o) != nil {
			return false
		}
		c.h.stops.Go(func() { _ = c.send(FReply, Reply{Left: c.h.stop(o)}) })
	case FStatus:
		return c.send(FStatus, c.h.status()) == nil
	case FAck:
		c.h.ack()
		return c.send(FReply, Reply{}) == nil
	default:
		return false
	}
	return true
}

func (h *holder) ack() {
	h.mu.Lock()
	over := h.exit != nil
	h.mu.Unlock()
	if over {
		h.once.Do(func() { close(h.acked) })
	}
}

// begin starts to follow: sizes and viewers first, then output.
func (c *conn) begin(offset int64) {
	c.h.mu.Lock()
	sizes := append([]Size(nil), c.h.sizes...)
	c.h.mu.Unlock()
	c.h.log.mu.Lock()
	c.follow, c.offset = true, offset
	c.h.log.mu.Unlock()
	at := 0
	for i, s := range sizes {
		if s.Offset <= offset {
			at = i
		}
	}
	for _, s := range sizes[at:] {
		c.queue(FResize, s)
	}
	c.queue(FViewers, Count{c.h.viewers()})
}

func (c *conn) input(p []byte) bool {
	if len(p) < 4 {
		return false
	}
	n := int(binary.BigEndian.Uint32(p))
	var hd InputHeader
	if n > len(p)-4 || json.Unmarshal(p[4:4+n], &hd) != nil {
		return false
	}
	c.h.input.put(hd, p[4+n:], func(r Reply) { _ = c.send(FReply, r) })
	return true
}

func (h *holder) resize(s Size) {
	if s.Cols < 1 || s.Rows < 1 || s.Cols > 10000 || s.Rows > 10000 {
		return
	}
	_ = pty.Setsize(h.master, &pty.Winsize{Cols: uint16(s.Cols), Rows: uint16(s.Rows)}) //nolint:gosec // just checked
	h.resized(s.Cols, s.Rows)
}

// resized records a size with the offset from which it is in force.
func (h *holder) resized(cols, rows int) {
	h.log.mu.Lock()
	s := Size{Offset: h.log.end, Cols: cols, Rows: rows}
	h.log.mu.Unlock()
	h.mu.Lock()
	h.sizes = append(h.sizes, s)
	h.mu.Unlock()
	if f, err := os.OpenFile(filepath.Join(h.dir, SizesFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		if b, err := json.Marshal(s); err == nil {
			_, _ = f.Write(append(b, '\n'))
		}
		_ = f.Close()
	}
	h.tell(FResize, s)
}

func (h *holder) status() Status {
	st := Status{Record: h.rec, Viewers: h.viewers()}
	h.mu.Lock()
	st.Exit = h.exit
	h.mu.Unlock()
	h.log.mu.Lock()
	st.End = h.log.end
	if h.log.full != nil {
		st.Full = h.log.full.Error()
	}
	h.log.mu.Unlock()
	return st
}

func sameUser(c net.Conn) bool {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return false
	}
	uid := -1
	if err := raw.Control(func(fd uintptr) { uid = peerUID(int(fd)) }); err != nil {
		return false
	}
	return uid == syscall.Getuid()
}
