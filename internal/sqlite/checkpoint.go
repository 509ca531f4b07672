package sqlite

import (
	"context"
	"errors"
	"os"
)

// pageSize is SQLite's default, which nothing here changes.
const pageSize = 4096

// The log is checkpointed at a quarter of its limit, by SQLite at the end of a
// commit, and when the store is at rest. No other commit runs meanwhile, so the
// whole log is moved unless a reader holds it, and the next change starts the
// log from its beginning, over blocks that exist already: a sync that adds no
// blocks is a good deal cheaper. The file is cut back only above its limit.

// idle is the work of a store at rest. Its failures cost nothing now and come
// again with the next change, which reports them.
func (s *Store) idle() {
	if !s.rested {
		s.rested = true
		return
	}
	if s.watch() != nil || s.renew() != nil {
		return
	}
	if !s.pending && !s.bloated {
		return
	}
	mode := "PASSIVE"
	if s.bloated || size(s.path+"-wal") > s.opts.WALLimit {
		mode = "TRUNCATE"
	}
	busy, frames, moved, err := s.checkpoint(mode)
	s.pending = err != nil || busy || moved < frames
	s.bloated = s.bloated && (err != nil || busy)
	_ = s.reserve() // again, where it was cut off with the rest or did not fit
}

// reserve takes from the disk what the log needs up to its checkpoint; its file
// does not grow by it. So a disk that an agent has filled still takes some
// hundred changes, among them the stop of that agent. Where the system cannot
// do this, nothing is reserved. The log may be opened beside SQLite: unlike the
// database, it carries no locks.
func (s *Store) reserve() error {
	f, err := os.OpenFile(s.path+"-wal", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(allocate(f, s.opts.WALLimit/4), f.Close())
}

// checkpoint moves the log's frames into the database as far as no reader needs
// them there.
func (s *Store) checkpoint(mode string) (busy bool, frames, moved int, err error) {
	err = s.w.conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &frames, &moved)
	if err != nil {
		s.undo(err)
		return false, 0, 0, explain(s.path, "checkpoint", err)
	}
	return busy, frames, moved, nil
}
