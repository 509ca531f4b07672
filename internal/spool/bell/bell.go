// Package bell tells when a run's hook spool has grown, by the operating
// system's own word, so that nobody polls. It is one watcher for all runs.
package bell

import (
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"github.com/tendhq/tend/internal/spool"
)

// Bell watches the folders of runs. The zero value is ready to use.
type Bell struct {
	mu    sync.Mutex
	watch *fsnotify.Watcher // while somebody listens
	rings map[string]chan struct{}
}

// Listen returns a channel that receives whenever the spool in dir may have
// grown, at least once after the last time it did, and how to end that. It
// receives once at the start. Where the system has no watches left, that is all
// it receives, with the error.
func (b *Bell) Listen(dir string) (<-chan struct{}, func(), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ring := make(chan struct{}, 1)
	ring <- struct{}{}
	err := b.open()
	if err == nil {
		err = b.watch.Add(dir)
	}
	if err != nil {
		return ring, func() {}, err
	}
	b.rings[dir] = ring
	return ring, func() { b.leave(dir) }, nil
}

func (b *Bell) open() error {
	if b.watch != nil {
		return nil
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	b.watch, b.rings = w, map[string]chan struct{}{}
	go b.run(w)
	return nil
}

func (b *Bell) leave(dir string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watch == nil || b.rings[dir] == nil {
		return
	}
	delete(b.rings, dir)
	_ = b.watch.Remove(dir) // it may be gone by itself
	if len(b.rings) == 0 {
		_ = b.watch.Close()
		b.watch = nil
	}
}

func (b *Bell) run(w *fsnotify.Watcher) {
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if filepath.Base(e.Name) == spool.File {
				b.ring(filepath.Dir(e.Name))
			}
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
			b.ringAll() // some news may be lost
		}
	}
}

func (b *Bell) ring(dir string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.rings[dir]; c != nil {
		pull(c)
	}
}

func (b *Bell) ringAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.rings {
		pull(c)
	}
}

func pull(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
