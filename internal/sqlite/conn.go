package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	driver "modernc.org/sqlite"
)

// syncFast makes SQLite commit with fdatasync where the system has it: as
// durable as fsync, without the file's timestamps.
var syncFast = sync.OnceFunc(func() {
	if _, err := driver.Fdatasync(true); err != nil && !errors.Is(err, driver.ErrFdatasyncUnavailable) {
		panic(err) // the driver promises no other error
	}
})

// dsn names the file at path, whatever characters it holds, with pragmas.
func dsn(path string, readOnly bool, pragmas ...string) string {
	q := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	if readOnly {
		q.Set("mode", "ro")
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	return u.String()
}

// busyStep is how long one attempt waits for a lock; attempts repeat until the
// store's BusyWait is over.
const busyStep = 250 * time.Millisecond

// writeConn is the one connection that writes, with its statements.
type writeConn struct {
	db   *sql.DB
	conn *sql.Conn

	begin, commit, rollback                 *sql.Stmt
	insert, update, rewrite, exists, append *sql.Stmt
}

// openWrite opens the file for writing. It does not create it.
func openWrite(ctx context.Context, path string, o Options) (w *writeConn, err error) {
	syncFast()
	db, err := sql.Open("sqlite", dsn(path, false, append([]string{
		fmt.Sprintf("busy_timeout(%d)", busyStep.Milliseconds()),
		"synchronous(FULL)",
		"fullfsync(1)", // macOS: fsync alone does not reach the disk
		"checkpoint_fullfsync(1)",
		fmt.Sprintf("wal_autocheckpoint(%d)", o.WALLimit/4/pageSize),
		fmt.Sprintf("journal_size_limit(%d)", o.WALLimit),
		"temp_store(MEMORY)",
		"trusted_schema(0)",
		"cell_size_check(1)",
	}, o.pragmas...)...))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, explain(path, "open "+path, err)
	}
	return &writeConn{db: db, conn: conn}, nil
}

// useLog switches the file to a write-ahead log; only a file that is known to be
// ours may be changed like this.
func (w *writeConn) useLog(ctx context.Context, path string) error {
	var mode string
	if err := w.conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return explain(path, "switch to a write-ahead log", err)
	}
	if mode != "wal" {
		return fmt.Errorf("the file system of %s cannot hold a database with a write-ahead log: set another state folder", path)
	}
	// The log's files come into being with the next read.
	_, err := w.conn.ExecContext(ctx, "SELECT 1 FROM sqlite_schema")
	return explain(path, "open the write-ahead log", err)
}

// prepare compiles the statements; the schema must be up to date.
func (w *writeConn) prepare(ctx context.Context, path string) error {
	for _, p := range []struct {
		stmt *(*sql.Stmt)
		text string
	}{
		{&w.begin, "BEGIN IMMEDIATE"},
		{&w.commit, "COMMIT"},
		{&w.rollback, "ROLLBACK"},
		{&w.insert, insertSession},
		{&w.update, updateSession},
		{&w.rewrite, rewriteSession},
		{&w.exists, "SELECT rev FROM sessions WHERE id = ?"},
		{&w.append, insertEntry},
	} {
		var err error
		if *p.stmt, err = w.conn.PrepareContext(ctx, p.text); err != nil {
			return explain(path, "prepare the database", err)
		}
	}
	return nil
}

// close closes the statements too: with one left, SQLite would keep its files
// open without telling.
func (w *writeConn) close() error {
	var err error
	for _, s := range []*sql.Stmt{w.begin, w.commit, w.rollback, w.insert, w.update, w.rewrite, w.exists, w.append} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return errors.Join(err, w.conn.Close(), w.db.Close())
}

// leaveLog makes close leave the files alone that bear the log's names.
func (w *writeConn) leaveLog() error {
	return w.conn.Raw(func(c any) error {
		_, err := c.(driver.FileControl).FileControlPersistWAL("main", 1)
		return err
	})
}

// openReaders opens the pool of read-only connections, all of them, so that
// reading goes on whatever happens to the file's name. Where one has to be
// opened again, verify refuses to reach another file than the store's.
func openReaders(ctx context.Context, path string, verify func() error) (db *sql.DB, err error) {
	base, err := driver.NewConnector(dsn(path, true, "busy_timeout(10000)", "query_only(1)", "trusted_schema(0)", "cell_size_check(1)"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db = sql.OpenDB(verified{base, verify})
	db.SetMaxOpenConns(maxReaders)
	db.SetMaxIdleConns(maxReaders)
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	var all [maxReaders]*sql.Conn
	for i := range all {
		if all[i], err = db.Conn(ctx); err != nil {
			return nil, explain(path, "open "+path, err)
		}
		defer func() { err = errors.Join(err, all[i].Close()) }()
		// SQLite opens the files with the first read.
		if _, err := all[i].ExecContext(ctx, "SELECT 1 FROM sqlite_schema"); err != nil {
			return nil, explain(path, "open "+path, err)
		}
	}
	return db, nil
}

const maxReaders = 4

type verified struct {
	sqldriver.Connector
	verify func() error
}

func (v verified) Connect(ctx context.Context) (sqldriver.Conn, error) {
	if err := v.verify(); err != nil {
		return nil, err
	}
	c, err := v.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := v.verify(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}
