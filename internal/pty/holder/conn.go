package holder

import (
	"encoding/binary"
	"encoding/json"
	"net"
	"syscall"
	"time"
)

// writeTimeout drops a reader that takes nothing.
const writeTimeout = 60 * time.Second

// helloTimeout is how long a new connection may take to say who it is.
const helloTimeout = 10 * time.Second

// maxQueue bounds the frames that wait for one reader besides output, which
// waits in the log.
const maxQueue = 1024

// Flag is on or off.
type Flag struct {
	On bool `json:"on"`
}

// Count is a number.
type Count struct {
	N int `json:"n"`
}

// conn is one connection. One goroutine reads it and another writes it, so that
// nothing else ever waits for it. What it has not read of the output waits in
// the log: a slow reader only lags.
type conn struct {
	h    *holder
	net  net.Conn
	role string

	// Guarded by h.log.mu:
	follow bool
	offset int64
	queue  [][]byte // encoded frames that wait
	busy   bool     // being written to
	ending bool     // close when the queue is written
	closed bool
	told   bool // the exit

	size Size // that a viewer asked for, guarded by h.mu
}

func (h *holder) talk(nc net.Conn) {
	c := &conn{h: h, net: nc}
	if !sameUser(nc) || !c.hello() {
		_ = nc.Close()
		return
	}
	h.join(c)
	defer h.leave(c)
	c.post(FHello, h.status())
	go c.write()
	for {
		kind, p, err := readRequest(nc)
		if err != nil {
			return
		}
		if !c.request(kind, p) {
			c.refuse(Problem{Why: "request", Detail: "a request that makes no sense here"})
			return
		}
	}
}

// hello takes the greeting of a connection; false when it is not for us.
func (c *conn) hello() bool {
	_ = c.net.SetDeadline(time.Now().Add(helloTimeout))
	kind, p, err := readRequest(c.net)
	var hello Hello
	if err != nil || kind != FHello || json.Unmarshal(p, &hello) != nil {
		return false
	}
	switch {
	case hello.Version < 1:
		_ = WriteJSON(c.net, FError, Problem{Why: "version", Detail: "versions begin with 1"})
		return false
	case hello.Run != c.h.launch.Run:
		_ = WriteJSON(c.net, FError, Problem{Why: "wrongRun", Detail: "this is another run"})
		return false
	}
	c.role = hello.Role
	_ = c.net.SetDeadline(time.Time{})
	return true
}

// refuse says why and leaves the writer to close.
func (c *conn) refuse(p Problem) {
	c.post(FError, p)
	c.h.log.mu.Lock()
	defer c.h.log.mu.Unlock()
	c.ending = true
	c.h.log.changed.Broadcast()
}

func (h *holder) join(c *conn) {
	h.mu.Lock()
	h.conns[c] = true
	h.mu.Unlock()
	h.tellViewers(c)
}

func (h *holder) leave(c *conn) {
	h.log.mu.Lock()
	if !c.ending {
		c.closed = true
		_ = c.net.Close()
	}
	h.log.changed.Broadcast()
	h.log.mu.Unlock()
	h.mu.Lock()
	delete(h.conns, c)
	h.mu.Unlock()
	h.fit()
	h.tellViewers(c)
}

func (h *holder) viewers() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		if c.role == RoleViewer {
			n++
		}
	}
	return n
}

// tellViewers tells a new number of viewers after c came or went.
func (h *holder) tellViewers(c *conn) {
	if c.role == RoleViewer {
		h.tell(FViewers, Count{h.viewers()})
	}
}

// tell queues an event for everyone who follows.
func (h *holder) tell(kind byte, v any) {
	h.mu.Lock()
	all := make([]*conn, 0, len(h.conns))
	for c := range h.conns {
		all = append(all, c)
	}
	h.mu.Unlock()
	for _, c := range all {
		c.event(kind, v)
	}
}

// event queues a frame if the client follows.
func (c *conn) event(kind byte, v any) { c.enqueue(kind, v, false) }

// post queues a frame in any case. It never blocks.
func (c *conn) post(kind byte, v any) { c.enqueue(kind, v, true) }

func (c *conn) enqueue(kind byte, v any, always bool) {
	var b frameBuffer
	if WriteJSON(&b, kind, v) != nil {
		return
	}
	c.h.log.mu.Lock()
	defer c.h.log.mu.Unlock()
	if c.closed || c.ending || !c.follow && !always {
		return
	}
	if len(c.queue) >= maxQueue {
		_ = c.net.Close() // it takes nothing
		return
	}
	c.queue = append(c.queue, b)
	c.h.log.changed.Broadcast()
}

type frameBuffer []byte

func (b *frameBuffer) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }

// gone reports whether the client has left.
func (c *conn) gone() bool {
	c.h.log.mu.Lock()
	defer c.h.log.mu.Unlock()
	return c.closed || c.ending
}

// request does what a client asks; false ends the connection.
func (c *conn) request(kind byte, p []byte) bool {
	switch kind {
	case FFollow:
		if len(p) != 8 {
			return false
		}
		c.begin(int64(binary.BigEndian.Uint64(p))) //nolint:gosec // an offset
		return true
	case FStatus:
		c.post(FStatus, c.h.status())
		return true
	}
	return c.role != RolePreview && c.act(kind, p)
}

// act does what changes something.
func (c *conn) act(kind byte, p []byte) bool {
	switch kind {
	case FInput:
		return c.input(p)
	case FResize:
		var s Size
		if json.Unmarshal(p, &s) != nil {
			return false
		}
		c.h.ask(c, s)
		c.post(FReply, Reply{})
	case FStop:
		var o StopOrder
		if json.Unmarshal(p, &o) != nil {
			return false
		}
		return c.h.begun(func() { c.post(FReply, Reply{Left: c.h.stop(o)}) })
	case FAck:
		if c.role != RoleDaemon {
			return false
		}
		c.post(FReply, Reply{})
		c.h.ack()
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
	stopped := c.h.stopped
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
		c.event(FResize, s)
	}
	c.event(FViewers, Count{c.h.viewers()})
	if stopped {
		c.event(FSuspended, Flag{On: true})
	}
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
	c.h.input.put(&typedInput{head: hd, data: p[4+n:], from: c})
	return true
}

func (h *holder) status() Status {
	st := Status{Record: h.rec, Viewers: h.viewers()}
	h.mu.Lock()
	st.Exit, st.Stopped = h.exit, h.stopped
	h.mu.Unlock()
	h.log.mu.Lock()
	st.End, st.Held = h.log.end, len(h.log.held)
	if h.log.full != nil {
		st.Full = h.log.full.Error()
	}
	h.log.mu.Unlock()
	return st
}

func sameUser(c net.Conn) bool {
	u, ok := c.(*net.UnixConn)
	return ok && PeerUID(u) == syscall.Getuid()
}

// PeerUID is the user at the other end of a socket, -1 when unknown.
func PeerUID(u *net.UnixConn) int {
	raw, err := u.SyscallConn()
	if err != nil {
		return -1
	}
	uid := -1
	if err := raw.Control(func(fd uintptr) { uid = peerUID(int(fd)) }); err != nil {
		return -1
	}
	return uid
}
