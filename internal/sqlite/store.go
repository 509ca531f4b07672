package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// Options tune a store. The zero value is right for the daemon.
type Options struct {
	// WALLimit is the size in bytes to which the write-ahead log is cut back
	// once no reader holds it; 0 = 32 MiB. It is checkpointed at a quarter.
	WALLimit int64
	// BusyWait is how long a commit waits for another program's lock; 0 = 30 s.
	BusyWait time.Duration
	// IdleEvery is how often a store at rest checkpoints its log and looks
	// whether its files are still there; 0 = 2 s.
	IdleEvery time.Duration

	pragmas []string // for tests: further pragmas of the writing connection
}

func (o Options) withDefaults() Options {
	if o.WALLimit == 0 {
		o.WALLimit = 32 << 20
	}
	if o.BusyWait == 0 {
		o.BusyWait = 30 * time.Second
	}
	if o.IdleEvery == 0 {
		o.IdleEvery = 2 * time.Second
	}
	return o
}

// Store keeps sessions and the journal in one file. All methods may be called
// from any goroutine.
type Store struct {
	path string
	opts Options

	queue   chan *request
	closing chan struct{} // closed when commits are to wait for locks no longer
	stop    chan struct{} // closed when the writer is to end
	done    chan struct{} // closed when it has
	once    sync.Once     // for closing
	// gate is held for reading by every Commit in flight.
	gate   sync.RWMutex
	closed bool

	// pool guards readers, which is nil once the store is closed.
	pool    sync.RWMutex
	readers *sql.DB

	// files are the inodes the store works on.
	filesMu sync.Mutex
	files   files

	// The writer goroutine's own.
	w        *writeConn // nil while the file cannot be opened
	suspect  bool       // w has seen an error that it may not recover from
	pending  bool       // there may be something to checkpoint
	bloated  bool       // a change that did not fit has left its part in the log's file
	rested   bool       // nothing was written since the last tick
	replaced error      // why the store is read-only, nil while it is not

	lastBatch int // changes in the last transaction
}

// Open opens the database at path, creating it (0600) and its folder (0700) if
// need be, and brings its schema up to date.
//
// A damaged file is a *CorruptError, one of a newer tend a *NewerSchemaError;
// both are left as they are. How far the file is checked: see checkIntegrity.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	path, clean, err := prepare(path)
	if err != nil {
		return nil, err
	}
	s := &Store{
		path: path, opts: o.withDefaults(),
		queue: make(chan *request), closing: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
	}
	if err := s.attachPatiently(ctx, clean); err != nil {
		return nil, err
	}
	go s.serve()
	return s, nil
}

// attachPatiently opens the file, waiting for others that lock it.
func (s *Store) attachPatiently(ctx context.Context, clean bool) error {
	limit := time.NewTimer(s.opts.BusyWait)
	defer limit.Stop()
	for {
		err := s.attach(ctx, func(w *writeConn) error { return s.settle(ctx, w, clean) })
		if !isBusy(err) {
			return err
		}
		pause := time.NewTimer(busyStep / 10)
		select {
		case <-pause.C:
		case <-limit.C:
			return err
		case <-ctx.Done():
			return fmt.Errorf("open %s: %w", s.path, ctx.Err())
		}
	}
}

// settle makes a freshly opened file fit for use.
func (s *Store) settle(ctx context.Context, w *writeConn, clean bool) error {
	if _, err := schemaVersion(ctx, w.conn, s.path, len(migrations)); err != nil {
		return err
	}
	if err := checkIntegrity(ctx, w.conn, s.path, clean); err != nil {
		return err
	}
	if err := w.useLog(ctx, s.path); err != nil {
		return err
	}
	return migrate(ctx, w.conn, s.path, migrations)
}

// attach opens the writing connection and the readers. On failure it leaves
// nothing open. first runs on the connection before its statements are compiled.
func (s *Store) attach(ctx context.Context, first func(*writeConn) error) (err error) {
	w, err := openWrite(ctx, s.path, s.opts)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if err := first(w); err != nil {
		return err
	}
	if err := w.prepare(ctx, s.path); err != nil {
		return err
	}
	if err := syncDir(s.path); err != nil {
		return err
	}
	now := look(s.path)
	if !now.complete() {
		return &UnavailableError{Reason: "the database's files vanished while it was opened", Remedy: "find out what removes files beside " + s.path}
	}
	readers, err := openReaders(ctx, s.path, s.verify)
	if err != nil {
		return err
	}
	s.filesMu.Lock()
	s.files = now
	s.filesMu.Unlock()
	s.pool.Lock()
	s.readers = readers
	s.pool.Unlock()
	s.w, s.suspect, s.pending = w, false, true
	_ = s.reserve() // on a disk that is full already there is none
	return nil
}

// detach closes every connection; nobody reads meanwhile.
func (s *Store) detach() error {
	s.pool.Lock()
	defer s.pool.Unlock()
	var err error
	if s.readers != nil {
		err = s.readers.Close()
		s.readers = nil
	}
	if s.w != nil {
		if s.replaced != nil {
			err = errors.Join(err, s.w.leaveLog())
		}
		err = errors.Join(err, s.w.close())
		s.w = nil
		if known := s.known(); s.replaced != nil {
			err = errors.Join(err, removeOwn(s.path+"-wal", known.wal), removeOwn(s.path+"-shm", known.shm))
		}
	}
	return err
}

// Close lets the commits in flight finish, except that they wait for other
// programs' locks no longer, and closes the file. A file that was deleted
// meanwhile is written anew first.
func (s *Store) Close() (err error) {
	s.once.Do(func() {
		close(s.closing)
		s.gate.Lock()
		s.closed = true
		s.gate.Unlock()
		close(s.stop)
		<-s.done
		err = errors.Join(s.watch(), s.detach())
	})
	return err
}

// Path is the database file.
func (s *Store) Path() string { return s.path }

// Commit makes one change durable and returns its journal sequence number; see
// supervisor.Store for the errors. When ctx ends before the change was begun it
// is not made, and the error is ctx's; when it ends later, Commit still waits
// for the outcome. Only if the disk does not answer for 10 s more does it give
// up, with ErrUncertain.
func (s *Store) Commit(ctx context.Context, c session.Change) (int64, error) {
	r, err := newRequest(c)
	if err != nil {
		return 0, err
	}
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		return 0, fmt.Errorf("commit %s: %w", c.Session.ID, ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("commit %s: %w", c.Session.ID, err)
	}
	select {
	case s.queue <- r:
	case <-ctx.Done():
		return 0, fmt.Errorf("commit %s: %w", c.Session.ID, ctx.Err())
	}
	select {
	case a := <-r.answer:
		return a.seq, a.err
	case <-ctx.Done():
	}
	if r.withdraw() {
		return 0, fmt.Errorf("commit %s: %w", c.Session.ID, ctx.Err())
	}
	patience := time.NewTimer(10 * time.Second)
	defer patience.Stop()
	select {
	case a := <-r.answer:
		return a.seq, a.err
	case <-patience.C:
		return 0, fmt.Errorf("commit %s: %w: %w", c.Session.ID, ErrUncertain, ctx.Err())
	}
}

// syncDir makes the names in path's folder durable.
func syncDir(path string) (err error) {
	dir, err := os.Open(dirOf(path))
	if err != nil {
		return fmt.Errorf("open the database's folder: %w", err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("sync the database's folder: %w", err)
	}
	return nil
}
