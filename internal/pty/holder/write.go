package holder

import (
	"encoding/binary"
	"os"
	"slices"
	"time"
)

// chunk is how much output goes into one frame, in bytes.
const chunk = 64 << 10

// batchFor is how long a reader that has just been told of a flood waits for
// more: a terminal hands out 4 KiB at a time, and a frame for each would cost
// more than the bytes in it. What is shorter than flood is told at once.
const (
	batchFor = 2 * time.Millisecond
	flood    = 4000
)

// write serves one reader: queued frames first, then output from its offset,
// and the exit after the last byte.
func (c *conn) write() {
	defer c.net.Close()
	r := reader{dir: c.h.dir}
	defer r.close()
	buf := make([]byte, 13+chunk)
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		frames, from, to, over := c.next()
		if over {
			return
		}
		for _, f := range frames {
			if c.raw(f) != nil {
				return
			}
		}
		if from < to && !c.output(&r, buf, from, to) {
			return
		}
		if exit := c.exitDue(); exit != nil {
			var b frameBuffer
			if WriteJSON(&b, FExit, exit) != nil || c.raw(b) != nil {
				return
			}
		}
		if c.mayBatch(from, to) {
			pause.Reset(batchFor)
			<-pause.C
		}
	}
}

// raw writes an encoded frame.
func (c *conn) raw(b []byte) error {
	_ = c.net.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := c.net.Write(b)
	return err
}

func (c *conn) json(kind byte, v any) error {
	var b frameBuffer
	if err := WriteJSON(&b, kind, v); err != nil {
		return err
	}
	return c.raw(b)
}

// next waits until there is something to write.
func (c *conn) next() (frames [][]byte, from, to int64, over bool) {
	l := c.h.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.busy = false; l.leaving {
		l.changed.Broadcast()
	}
	for !c.closed && !c.ending && len(c.queue) == 0 && (!c.follow || c.offset >= l.end && !c.mayTellExit()) {
		l.changed.Wait()
	}
	frames, c.queue, c.busy = c.queue, nil, true
	if c.follow && !c.ending {
		c.offset = max(c.offset, 0)
		from, to = c.offset, l.end
	}
	return frames, from, to, c.closed || c.ending && len(frames) == 0
}

// pending reports whether something is still to be written; log.mu is held.
func (c *conn) pending() bool {
	return !c.closed && (c.busy || len(c.queue) > 0 || c.follow && (c.mayTellExit() || c.offset < c.h.log.end))
}

// farewell waits for a while until every client has what was told.
func (h *holder) farewell(d time.Duration) {
	l := h.log
	late := false
	t := time.AfterFunc(d, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		late = true
		l.changed.Broadcast()
	})
	defer t.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaving = true
	for !late && h.anyPending() {
		l.changed.Wait()
	}
}

func (h *holder) anyPending() bool {
	h.mu.Lock()
	all := make([]*conn, 0, len(h.conns))
	for c := range h.conns {
		all = append(all, c)
	}
	h.mu.Unlock()
	return slices.ContainsFunc(all, (*conn).pending)
}

func (c *conn) mayTellExit() bool {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	return c.h.exit != nil && !c.told
}

// mayBatch reports whether what was written was a flood's, all of it is
// written, and there is no end to tell.
func (c *conn) mayBatch(from, to int64) bool {
	if to-from < flood {
		return false
	}
	l := c.h.log
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end-c.offset < chunk && len(c.queue) == 0 && !c.closed && !c.mayTellExit()
}

// exitDue is the exit once everything before it was written.
func (c *conn) exitDue() *Exit {
	l := c.h.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.follow || c.told || c.offset < l.end {
		return nil
	}
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	c.told = c.h.exit != nil
	return c.h.exit
}

// output writes what the log has between from and to, as far as one chunk goes.
func (c *conn) output(r *reader, buf []byte, from, to int64) bool {
	gap := c.h.log.gapAt(from)
	if gap.To > from {
		c.advance(gap.To)
		return c.json(FGap, gap) == nil
	}
	n := r.readAt(buf[13:13+min(int64(chunk), to-from)], from)
	if n <= 0 { // dropped between the look and the read, or not readable
		gap := c.h.log.lostAt(from)
		c.advance(gap.To)
		return c.json(FGap, gap) == nil
	}
	buf[0] = FData
	binary.BigEndian.PutUint32(buf[1:], uint32(8+n))  //nolint:gosec // at most a chunk
	binary.BigEndian.PutUint64(buf[5:], uint64(from)) //nolint:gosec // an offset
	err := c.raw(buf[:13+n])
	c.advance(from + int64(n))
	return err == nil
}

func (c *conn) advance(to int64) {
	c.h.log.mu.Lock()
	c.offset = max(c.offset, to)
	c.h.log.mu.Unlock()
}

// gapAt is the gap at from, if there is one: output that the cap has dropped, or
// that was lost to a full disk.
func (l *Log) gapAt(from int64) Gap {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from < l.starts[0] {
		return Gap{From: from, To: l.starts[0]}
	}
	for _, g := range l.gaps {
		if g.From <= from && from < g.To {
			return Gap{From: from, To: g.To, Full: g.Full}
		}
	}
	return Gap{}
}

// lostAt is the gap for output at from that could not be read: to the next
// segment.
func (l *Log) lostAt(from int64) Gap {
	if g := l.gapAt(from); g.To > from {
		return g
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.starts {
		if s > from {
			return Gap{From: from, To: s}
		}
	}
	return Gap{From: from, To: l.end}
}

// reader keeps the segment open that it read last.
type reader struct {
	dir   string
	file  *os.File
	start int64
}

// readAt reads from the segment that holds off; 0 if there is none.
func (r *reader) readAt(p []byte, off int64) int {
	if r.file != nil && off >= r.start && off < r.start+SegmentSize {
		if n, _ := r.file.ReadAt(p, off-r.start); n > 0 {
			return n
		} // a shorter segment: a gap follows it, and then another
	}
	r.close()
	starts, err := Segments(r.dir)
	if err != nil {
		return 0
	}
	for _, s := range starts {
		if s <= off {
			r.start = s
		}
	}
	if r.file, err = os.Open(segmentPath(r.dir, r.start)); err != nil {
		r.file = nil
		return 0
	}
	n, _ := r.file.ReadAt(p, off-r.start)
	return n
}

func (r *reader) close() {
	if r.file != nil {
		_ = r.file.Close()
		r.file = nil
	}
}
