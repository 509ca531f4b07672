package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// maxBatch bounds one transaction, and with it how long its first change waits.
const maxBatch = 512

// request is one Commit on its way through the writer.
type request struct {
	row    row
	claim  atomic.Int32 // 0 waiting, 1 taken by the writer, 2 withdrawn by the caller
	answer chan answer  // buffered: the writer never waits for a caller
}

type answer struct {
	seq int64
	err error
}

func newRequest(c session.Change) (*request, error) {
	r, err := encode(c)
	if err != nil {
		return nil, err
	}
	return &request{row: r, answer: make(chan answer, 1)}, nil
}

// withdraw reports whether the change will not be made.
func (r *request) withdraw() bool { return r.claim.CompareAndSwap(0, 2) }

// take reports whether the change is to be made.
func (r *request) take() bool { return r.claim.CompareAndSwap(0, 1) }

func (r *request) fail(err error) {
	r.answer <- answer{err: fmt.Errorf("commit %s: %w", r.row.s.ID, err)}
}

// serve is the writer goroutine.
func (s *Store) serve() {
	defer close(s.done)
	tick := time.NewTicker(s.opts.IdleEvery)
	defer tick.Stop()
	for {
		select {
		case r := <-s.queue:
			s.commit(r)
			s.rested = false
		case <-tick.C:
			s.idle()
		case <-s.stop:
			return
		}
	}
}

// commit makes first and every change that arrives meanwhile durable in one
// transaction.
func (s *Store) commit(first *request) {
	if err := s.begin(); err != nil {
		s.failAll(first, err)
		return
	}
	batch, err := s.fill(first)
	s.lastBatch = len(batch)
	if err == nil && len(batch) > 0 {
		_, err = s.w.commit.ExecContext(context.Background())
	}
	if err != nil || len(batch) == 0 {
		s.undo(err)
	}
	switch err = explain(s.path, "write", err); {
	case err == nil:
		for _, b := range batch {
			b.r.answer <- b.answer
		}
		s.pending = true
	case len(batch) == 1 || isUnavailable(err):
		for _, b := range batch {
			b.r.fail(err)
		}
	default: // one of them is at fault: it shall not fail the others
		for _, b := range batch {
			s.commitAlone(b.r)
		}
	}
}

// written is a change of the open transaction and the answer it gets if the
// transaction is committed.
type written struct {
	r      *request
	answer answer
}

// fill writes first and all waiting changes into the open transaction. The
// changes that were taken are returned with an error too.
func (s *Store) fill(first *request) (batch []written, err error) {
	for r := first; r != nil && len(batch) < maxBatch; r = s.waiting() {
		if !r.take() {
			continue
		}
		b := written{r: r}
		b.answer.seq, b.answer.err, err = s.w.apply(context.Background(), r.row)
		batch = append(batch, b)
		if err != nil {
			return batch, err
		}
	}
	return batch, nil
}

// waiting is the next change that a caller holds out, or nil. Where the last
// transaction had several changes, their callers may be about to bring the next
// ones: they get one chance to run.
func (s *Store) waiting() *request {
	for range 2 {
		select {
		case r := <-s.queue:
			return r
		default:
		}
		if s.lastBatch < 2 {
			break
		}
		runtime.Gosched()
	}
	return nil
}

// commitAlone makes one change, taken already, in a transaction of its own.
func (s *Store) commitAlone(r *request) {
	if err := s.begin(); err != nil {
		r.fail(err)
		return
	}
	var a answer
	var err error
	if a.seq, a.err, err = s.w.apply(context.Background(), r.row); err == nil {
		_, err = s.w.commit.ExecContext(context.Background())
	}
	if err != nil {
		s.undo(err)
		r.fail(explain(s.path, "write", err))
		return
	}
	r.answer <- a
}

// failAll answers all that wait now, and nobody who comes once one of them has
// his answer: the reason may be gone by then.
func (s *Store) failAll(first *request, err error) {
	var all []*request
	for r := first; r != nil; r = s.waiting() {
		all = append(all, r)
	}
	for _, r := range all {
		if r.take() {
			r.fail(err)
		}
	}
}

// begin opens a transaction on a connection that is fit for it. It waits for
// another program's lock as long as Options say.
func (s *Store) begin() error {
	if err := s.watch(); err != nil {
		return err
	}
	if err := s.renew(); err != nil {
		return err
	}
	deadline := time.Now().Add(s.opts.BusyWait)
	for {
		_, err := s.w.begin.ExecContext(context.Background())
		if err == nil {
			return nil
		}
		if !isBusy(err) {
			s.undo(err)
		} else if !s.isClosing() && time.Now().Before(deadline) {
			continue // the attempt itself has waited
		}
		return explain(s.path, "begin", err)
	}
}

func (s *Store) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// undo ends a failed transaction. After anything but a full disk or a lock, the
// connection is opened anew before it is used again.
func (s *Store) undo(cause error) {
	// SQLite may have rolled back by itself; then this one fails.
	_, _ = s.w.rollback.ExecContext(context.Background())
	s.bloated = s.bloated || isFull(cause)
	if cause != nil && !isBusy(cause) && !isFull(cause) && !isConstraint(cause) {
		s.suspect = true
	}
}

// renew replaces a suspect connection. The old one is closed only once the new
// one works: it may be the last to hold a file that was deleted.
func (s *Store) renew() error {
	if s.w != nil && !s.suspect {
		return nil
	}
	ctx := context.Background()
	old := s.w
	w, err := openWrite(ctx, s.path, s.opts)
	if err != nil {
		return err
	}
	if err := errors.Join(w.prepare(ctx, s.path), s.verify()); err != nil {
		return errors.Join(err, w.close())
	}
	s.w, s.suspect = w, false
	if old != nil {
		// Whatever it says, it is not used any more.
		_ = old.close()
	}
	return nil
}
