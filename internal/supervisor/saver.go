package supervisor

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// retryEvery is how often a store that cannot write is tried again.
const retryEvery = time.Second

// saver commits changes. While the store cannot write (a full disk), commands
// are refused, because a wish must be durable before it is acted on; what was
// observed is kept in memory, in order, and written once there is room.
type saver struct {
	store Store
	feed  *feed
	log   *slog.Logger
	kick  chan struct{}

	mu      sync.Mutex
	waiting []unsaved
	failure error
}

type unsaved struct {
	change session.Change
	saved  chan struct{}
}

func newSaver(s Store, f *feed, log *slog.Logger) *saver {
	return &saver{store: s, feed: f, log: log, kick: make(chan struct{}, 1)}
}

// commit makes a change durable and returns its sequence number. For an
// observation that the store cannot take now, saved is closed when it is
// durable after all; else it is nil. While older changes wait, newer ones wait
// behind them.
func (v *saver) commit(ctx context.Context, c session.Change, command bool) (seq int64, saved <-chan struct{}, err error) {
	v.mu.Lock()
	err = v.failure
	v.mu.Unlock()
	if err == nil {
		seq, err = v.store.Commit(ctx, c)
	}
	if err == nil || command || !errors.Is(err, session.ErrStoreUnavailable) {
		return seq, nil, forPeople(err)
	}
	return 0, v.queue(c, err), nil
}

// forPeople is a store's refusal without what we were doing around it.
func forPeople(err error) error {
	for {
		u := errors.Unwrap(err)
		if u == session.ErrStoreUnavailable || !errors.Is(u, session.ErrStoreUnavailable) { //nolint:errorlint // the bare sentinel says nothing
			return err
		}
		err = u
	}
}

func (v *saver) queue(c session.Change, cause error) <-chan struct{} {
	u := unsaved{change: c, saved: make(chan struct{})}
	v.mu.Lock()
	if v.failure == nil {
		v.log.Error("the store cannot write; changes wait in memory", "error", cause)
	}
	v.failure = cause
	v.waiting = append(v.waiting, u)
	v.mu.Unlock()
	v.feed.advance(0)
	select {
	case v.kick <- struct{}{}:
	default:
	}
	return u.saved
}

// run writes what waits, oldest first, until ctx is done; then it tries once
// more.
func (v *saver) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), retryEvery)
			defer cancel()
			v.flush(last)
			return
		case <-v.kick:
		}
		for !v.flush(ctx) {
			t := time.NewTimer(retryEvery)
			select {
			case <-t.C:
			case <-ctx.Done():
				t.Stop()
				v.flush(context.WithoutCancel(ctx))
				return
			}
		}
	}
}

// flush writes everything that waits; false when the store still cannot.
func (v *saver) flush(ctx context.Context) bool {
	for {
		v.mu.Lock()
		if len(v.waiting) == 0 {
			if v.failure != nil {
				v.log.Info("the store writes again")
			}
			v.failure = nil
			v.mu.Unlock()
			v.feed.advance(0)
			return true
		}
		u := v.waiting[0]
		v.mu.Unlock()
		seq, err := v.store.Commit(ctx, u.change)
		if errors.Is(err, session.ErrStoreUnavailable) || errors.Is(err, context.Canceled) {
			return false
		}
		if err != nil {
			v.log.Error("a change could not be saved", "session", u.change.Session.ID, "event", u.change.Entry.Event, "error", err)
		}
		v.mu.Lock()
		v.waiting = v.waiting[1:]
		v.mu.Unlock()
		close(u.saved)
		v.feed.advance(seq)
	}
}

// trouble says why the store cannot write, "" if it can, and how much waits.
func (v *saver) trouble() (string, int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failure == nil {
		return "", 0
	}
	return v.failure.Error(), len(v.waiting)
}
