package holder

import (
	"os"
	"sync"
	"time"
)

// retryEvery is how soon a full disk is tried again when nothing new comes.
const retryEvery = time.Second

func openLog(dir string, limit int64) (*Log, error) {
	l := &Log{dir: dir, cap: max(limit, 2*SegmentSize)}
	l.changed = sync.NewCond(&l.mu)
	return l, l.next(0)
}

// next begins a new segment at start and drops the oldest ones over the cap.
func (l *Log) next(start int64) error {
	f, err := os.OpenFile(segmentPath(l.dir, start), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if l.file != nil {
		_ = l.file.Close()
	}
	l.file, l.starts = f, append(l.starts, start)
	for len(l.starts) > 1 && l.end-l.starts[1] >= l.cap-SegmentSize {
		if err := os.Remove(segmentPath(l.dir, l.starts[0])); err != nil && !os.IsNotExist(err) {
			return nil // an old one too many harms nobody
		}
		l.starts = l.starts[1:]
	}
	return nil
}

// append takes output. It never waits for a reader and never fails: while the
// disk is full, 1 MiB is held in memory and the rest is counted as a gap.
func (l *Log) append(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.held) > 0 || l.lost > 0 {
		l.hold(p)
		l.retry()
	} else if n, err := l.write(p); err != nil {
		l.full = err
		l.hold(p[n:])
		l.tryAgain()
	}
	l.changed.Broadcast()
}

// hold keeps what cannot be written, in order: once something is lost, what
// comes after it is lost too, until there is room.
func (l *Log) hold(p []byte) {
	n := 0
	if l.lost == 0 {
		n = min(len(p), fullBuffer-len(l.held))
		l.held = append(l.held, p[:n]...)
	}
	l.lost += int64(len(p) - n)
}

// retry writes what is held; mu is held.
func (l *Log) retry() {
	n, err := l.write(l.held)
	l.held = l.held[n:]
	if err != nil {
		l.full = err
		return
	}
	l.held, l.full = nil, nil
	if l.lost > 0 {
		l.gaps = append(l.gaps, Gap{From: l.end, To: l.end + l.lost, Full: true})
		l.end += l.lost
		l.lost = 0
		l.broken = l.next(l.end) != nil
	}
}

// tryAgain writes what is held as soon as there is room; mu is held.
func (l *Log) tryAgain() {
	if l.again != nil {
		return
	}
	l.again = time.AfterFunc(retryEvery, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.again = nil; len(l.held) == 0 && l.lost == 0 {
			return
		}
		if l.retry(); l.full != nil {
			l.tryAgain()
		}
		l.changed.Broadcast()
	})
}

// write appends to the segments and returns how much was taken.
func (l *Log) write(p []byte) (n int, err error) {
	for len(p) > 0 {
		room := l.starts[len(l.starts)-1] + SegmentSize - l.end
		if l.broken || room <= 0 {
			if err := l.next(l.end); err != nil {
				return n, err
			}
			l.broken = false
			continue
		}
		m, err := l.file.Write(p[:min(int64(len(p)), room)])
		n, l.end, p = n+m, l.end+int64(m), p[m:]
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// flush writes what is held, if there is room now, and returns how many bytes
// there was no room for.
func (l *Log) flush() (unwritten int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.held) > 0 || l.lost > 0 {
		l.retry()
	}
	return int64(len(l.held)) + l.lost
}

func (l *Log) wake() {
	l.mu.Lock()
	l.changed.Broadcast()
	l.mu.Unlock()
}
