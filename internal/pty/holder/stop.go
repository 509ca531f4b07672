package holder

import (
	"os"
	"time"
)

// lastGrace is how long SIGKILL may take to show.
const lastGrace = 5 * time.Second

// How often it is looked whether a tree has ended; what the holder itself reaps
// is noticed at once. While it is killed a tree may still grow, so it is killed
// again at every look.
const (
	lookEvery = 100 * time.Millisecond
	killEvery = 10 * time.Millisecond
)

// reapTries bounds the wait for children that have ended to be reaped.
const reapTries = 500

// stop ends everything that descends from the holder, by the stop policy.
func (h *holder) stop(o StopOrder) []int {
	return End(func() (all []Proc) {
		for range reapTries {
			if all = descendants(os.Getpid()); len(all) > 0 || childless() {
				return all
			}
			<-time.NewTimer(time.Millisecond).C // what has ended is being reaped
		}
		return all
	}, o, h.reaped)
}

// End is the stop policy: the asked signal, after the grace SIGHUP, after the
// grace SIGKILL, each to every process of the tree that look lists. It returns the pids that
// survived. changed, if not nil, tells that a process may have ended.
func End(look func() []Proc, o StopOrder, changed <-chan struct{}) []int {
	// A process whose parent ends during the look belongs to nobody for a moment.
	tree := func() []Proc {
		if all := look(); len(all) > 0 {
			return all
		}
		return look()
	}
	grace := time.Duration(o.GraceMS) * time.Millisecond
	for _, sig := range []int{o.Signal, sigHUP} {
		if reach(tree(), sig) == 0 || empty(tree, grace, lookEvery, changed) {
			return nil
		}
	}
	kill := func() []Proc {
		all := tree()
		reach(all, sigKILL)
		return all
	}
	if empty(kill, lastGrace, killEvery, changed) {
		return nil
	}
	var left []int
	for _, p := range tree() {
		left = append(left, p.PID)
	}
	return left
}

// reach sends a signal to every process and returns how many there were.
func reach(tree []Proc, sig int) int {
	for _, p := range tree {
		p.signal(sig)
		if sig != sigKILL {
			p.signal(sigCONT) // a stopped process takes no other signal
		}
	}
	return len(tree)
}

// empty waits until nothing of the tree lives.
func empty(tree func() []Proc, d, every time.Duration, changed <-chan struct{}) bool {
	end := time.NewTimer(d)
	defer end.Stop()
	look := time.NewTicker(every)
	defer look.Stop()
	for len(tree()) > 0 {
		select {
		case <-changed:
		case <-look.C:
		case <-end.C:
			return len(tree()) == 0
		}
	}
	return true
}

// begun starts a stop, unless the holder is about to go: then its tree has been
// ended, and false closes the connection, as the end of the holder will.
func (h *holder) begun(stop func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closing {
		h.stops.Go(stop)
	}
	return !h.closing
}

// finishStops waits for the stops that were begun, and lets none begin.
func (h *holder) finishStops() {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	h.stops.Wait()
}
