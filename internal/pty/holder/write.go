package holder

import (
	"encoding/binary"
	"os"
	"time"
)

// chunk is how much output goes into one frame.
const chunk = 64 << 10

// write serves one reader: events first, then output from its offset, and the
// exit after the last byte.
func (c *conn) write() {
	defer c.net.Close()
	r := reader{dir: c.h.dir}
	defer r.close()
	buf := make([]byte, chunk)
	for {
		events, from, to, over := c.next()
		if over {
			return
		}
		for _, e := range events {
			if c.raw(e) != nil {
				return
			}
		}
		if from < to && !c.output(&r, buf, from, to) {
			return
		}
		if exit := c.exitDue(); exit != nil {
			if c.send(FExit, exit) != nil {
				return
			}
		}
	}
}

// next waits until there is something to write.
func (c *conn) next() (events [][]byte, from, to int64, over bool) {
	l := c.h.log
	l.mu.Lock()
	defer l.mu.Unlock()
	for !c.closed && len(c.events) == 0 && (!c.follow || c.offset >= l.end && !c.mayTellExit()) {
		l.changed.Wait()
	}
	events, c.events = c.events, nil
	if c.follow {
		c.offset = max(c.offset, 0)
		from, to = c.offset, l.end
	}
	return events, from, to, c.closed
}

func (c *conn) mayTellExit() bool {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	return c.h.exit != nil && !c.told
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
		if c.send(FGap, gap) != nil {
			return false
		}
		c.advance(gap.To)
		return true
	}
	n := r.readAt(buf[:min(int64(len(buf)), to-from)], from)
	if n <= 0 {
		c.advance(to) // dropped between the look and the read
		return c.send(FGap, Gap{From: from, To: to}) == nil
	}
	var head [8]byte
	binary.BigEndian.PutUint64(head[:], uint64(from)) //nolint:gosec // an offset
	c.wr.Lock()
	_ = c.net.SetWriteDeadline(time.Now().Add(writeTimeout))
	err := WriteFrame(c.net, FData, head[:], buf[:n])
	c.wr.Unlock()
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
			return Gap{From: from, To: g.To}
		}
	}
	return Gap{}
}

// reader keeps the segment open that it read last.
type reader struct {
	dir   string
	file  *os.File
	start int64
}

func (r *reader) readAt(p []byte, off int64) int {
	if r.file == nil || off < r.start || off >= r.start+SegmentSize {
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
	}
	n, _ := r.file.ReadAt(p, off-r.start)
	if n == 0 { // a shorter segment: a gap follows it
		r.close()
	}
	return n
}

func (r *reader) close() {
	if r.file != nil {
		_ = r.file.Close()
		r.file = nil
	}
}
