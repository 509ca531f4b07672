package supervisor

import "sync"

// feed tells that the journal has grown. It carries no content, so a slow
// reader costs nothing and delays nobody: events point, reads tell.
type feed struct {
	mu   sync.Mutex
	seq  int64
	more chan struct{}
}

func newFeed() *feed { return &feed{more: make(chan struct{})} }

// advance publishes that everything up to seq is durable. It also wakes the
// waiting when seq is not new, for changes that are only in memory yet.
func (f *feed) advance(seq int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq = max(f.seq, seq)
	close(f.more)
	f.more = make(chan struct{})
}

func (f *feed) changed() (int64, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seq, f.more
}

// Changed returns the newest sequence number and a channel that is closed when
// there is a newer one.
func (sup *Supervisor) Changed() (seq int64, more <-chan struct{}) { return sup.feed.changed() }
