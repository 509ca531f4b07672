package holder

import (
	"os"
	"sync"
)

func openLog(dir string, limit int64) (*Log, error) {
	l := &Log{dir: dir, cap: max(limit, 2*SegmentSize)}
	l.changed = sync.NewCond(&l.mu)
	return l, l.next()
}

// next begins a new segment and drops the oldest ones over the cap.
func (l *Log) next() error {
	f, err := os.OpenFile(segmentPath(l.dir, l.end), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if l.file != nil {
		_ = l.file.Close()
	}
	l.file, l.starts = f, append(l.starts, l.end)
	for len(l.starts) > 1 && l.end-l.starts[1] >= l.cap-SegmentSize {
		if err := os.Remove(segmentPath(l.dir, l.starts[0])); err != nil {
			return err
		}
		l.starts = l.starts[1:]
	}
	return nil
}

// append takes output. It never blocks on a reader and never fails: while the
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
	}
	l.changed.Broadcast()
}

func (l *Log) hold(p []byte) {
	n := min(len(p), fullBuffer-len(l.held))
	l.held = append(l.held, p[:n]...)
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
		l.gaps = append(l.gaps, Gap{From: l.end, To: l.end + l.lost})
		l.end += l.lost
		l.lost = 0
		if err := l.next(); err != nil {
			l.full = err
		}
	}
}

// write appends to the segments and returns how much was taken.
func (l *Log) write(p []byte) (n int, err error) {
	for len(p) > 0 {
		start := l.starts[len(l.starts)-1]
		room := start + SegmentSize - l.end
		if room <= 0 {
			if err := l.next(); err != nil {
				return n, err
			}
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

// flush writes what is held, if there is room now.
func (l *Log) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.held) > 0 || l.lost > 0 {
		l.retry()
	}
}
