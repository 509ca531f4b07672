package holder

import (
	"time"

	"golang.org/x/sys/unix"
)

// drainFor is how long a silent terminal is believed to have nothing more.
const drainFor = 200 * time.Millisecond

// What the agent printed is read within these bounds after its end, however
// much its descendants print: the kernel keeps far less than lastBytes of a
// terminal's output, and hands it on far sooner than after lastFor.
const (
	lastBytes = 256 << 10
	lastFor   = 2 * time.Second
)

// closedFor bounds how long output may wait that an agent prints after it had
// closed its terminal and opened it again.
const closedFor = 2 * time.Second

// readSize is enough: a terminal hands out about 4 KiB at a time.
const readSize = 32 << 10

// drain moves output from the terminal to the log.
func (h *holder) drain() {
	buf := make([]byte, readSize)
	wait := drainFor
	for {
		n, err := h.master.Read(buf)
		if n > 0 && !h.over() {
			h.log.append(buf[:n])
			h.mu.Lock()
			h.read, h.total = time.Now(), h.total+int64(n)
			h.mu.Unlock()
			wait = drainFor
		}
		if err == nil {
			continue
		}
		if h.agentGone() {
			return
		}
		// The agent has closed its terminal and lives: it may open it again. Or
		// it is about to end, and its files are closed before it has.
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-h.dead:
		}
		t.Stop()
		wait = min(2*wait, closedFor)
	}
}

// over reports whether the end was told: what a descendant prints after that is
// not the agent's output.
func (h *holder) over() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.exit != nil
}

func (h *holder) agentGone() bool {
	select {
	case <-h.dead:
		return true
	default:
		return false
	}
}

// readable reports whether the terminal has output that was not read yet: on a
// busy machine our own reading may be what is late.
func (h *holder) readable() bool {
	raw, err := h.master.SyscallConn()
	if err != nil {
		return false
	}
	ready := false
	_ = raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor
		n, err := unix.Poll(p, 0)
		ready = err == nil && n > 0 && p[0].Revents&unix.POLLIN != 0
	})
	return ready
}

// settle returns when all that the agent printed is in the log: the terminal
// has ended, or has been silent for a while, or its descendants go on printing
// and what came before is certain to be read.
func (h *holder) settle(drained <-chan struct{}) {
	since := time.Now()
	h.mu.Lock()
	first := h.total
	h.mu.Unlock()
	t := time.NewTimer(drainFor)
	defer t.Stop()
	for before := first; ; {
		select {
		case <-drained:
			return
		case <-t.C:
			t.Reset(drainFor)
		}
		h.mu.Lock()
		total, read := h.total, h.read
		h.mu.Unlock()
		quiet := total == before && time.Since(read) >= drainFor && !h.readable()
		certain := total-first >= lastBytes || time.Since(since) >= lastFor && !h.readable()
		if quiet || certain {
			return
		}
		before = total
	}
}
