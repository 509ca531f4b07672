package holder

import (
	"os"
	"time"
)

// lastGrace is how long SIGKILL may take to show.
const lastGrace = 5 * time.Second

// stop ends the tree: the asked signal, after the grace SIGHUP, after the grace
// SIGKILL, each to everything that descends from the holder. It returns what
// survived.
func (h *holder) stop(o StopOrder) []int {
	grace := time.Duration(o.GraceMS) * time.Millisecond
	for _, s := range []struct {
		sig  int
		wait time.Duration
	}{{o.Signal, grace}, {sigHUP, grace}, {sigKILL, lastGrace}} {
		if h.reach(s.sig) == 0 || h.empty(s.wait) {
			return nil
		}
	}
	var left []int
	for _, p := range descendants(os.Getpid()) {
		left = append(left, p.PID)
	}
	return left
}

// reach sends a signal to the whole tree and returns how many it found.
func (h *holder) reach(sig int) int {
	tree := descendants(os.Getpid())
	for _, p := range tree {
		p.signal(sig)
		if sig != sigKILL {
			p.signal(sigCONT) // a stopped process takes no other signal
		}
	}
	return len(tree)
}

// empty waits until nothing descends from the holder.
func (h *holder) empty(d time.Duration) bool {
	end := time.NewTimer(d)
	defer end.Stop()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for len(descendants(os.Getpid())) > 0 {
		select {
		case <-h.reaped:
		case <-look.C:
		case <-end.C:
			return len(descendants(os.Getpid())) == 0
		}
	}
	return true
}
