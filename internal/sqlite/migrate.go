package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// applicationID marks a file as ours: "tend" in ASCII.
const applicationID = 0x74656e64

// migrations are applied in order and never changed once released; the number
// of those applied is the file's user_version. A change to session.Session that
// old rows do not decode into needs one that rewrites the bodies.
var migrations = []string{schema1}

// schema1: a session is one row, its columns what is searched for, its body the
// whole session as JSON. The journal's seq is the rowid: the largest so far plus
// one, and never reused, because the newest row cannot be deleted. Times are
// milliseconds UTC, NULL when unset.
const schema1 = `
CREATE TABLE sessions(
	id         TEXT PRIMARY KEY NOT NULL,
	node       TEXT NOT NULL,
	name       TEXT NOT NULL,
	rev        INTEGER NOT NULL,
	state      TEXT NOT NULL,
	closed_at  INTEGER,
	created_at INTEGER,
	updated_at INTEGER,
	body       TEXT NOT NULL
);
CREATE INDEX sessions_open ON sessions(id) WHERE closed_at IS NULL;
CREATE UNIQUE INDEX sessions_open_name ON sessions(name) WHERE closed_at IS NULL AND name <> '';
CREATE INDEX sessions_archived ON sessions(closed_at, id) WHERE closed_at IS NOT NULL;

CREATE TABLE journal(
	seq        INTEGER PRIMARY KEY,
	node       TEXT NOT NULL,
	session    TEXT NOT NULL,
	rev        INTEGER NOT NULL,
	run        INTEGER NOT NULL,
	turn       INTEGER NOT NULL,
	at         INTEGER,
	source     TEXT NOT NULL,
	event      TEXT NOT NULL,
	detail     TEXT,
	from_state TEXT NOT NULL,
	to_state   TEXT NOT NULL,
	ignored    TEXT NOT NULL,
	why        TEXT NOT NULL,
	effects    TEXT
);
CREATE UNIQUE INDEX journal_session ON journal(session, rev);
CREATE TRIGGER journal_head BEFORE DELETE ON journal
WHEN old.seq = (SELECT max(seq) FROM journal)
BEGIN
	SELECT raise(ABORT, 'the newest journal row is never deleted, so that its number is never reused');
END;
`

// countOurs counts what is called as in a database of ours; nOurs means that it
// is one.
const (
	countOurs = `(SELECT count(*) FROM sqlite_schema
		WHERE name IN ('sessions', 'sessions_open', 'sessions_open_name', 'journal', 'journal_session', 'journal_head'))`
	nOurs = 6
)

// maxVersion is more than a schema version will ever be; a larger one is damage.
const maxVersion = 10_000

// schemaVersion reads the file's version. A file that another program made is
// an error, a newer version a *NewerSchemaError.
func schemaVersion(ctx context.Context, conn *sql.Conn, path string, known int) (int, error) {
	var version, app, tables, named int
	const q = `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema), ` + countOurs
	if err := conn.QueryRowContext(ctx, q).Scan(&version, &app, &tables, &named); err != nil {
		return 0, explain(path, "read the schema version", err)
	}
	switch {
	case named == nOurs && (app != applicationID || version <= 0 || version > maxVersion):
		return 0, &CorruptError{Path: path, Detail: fmt.Sprintf("its header says application %d, schema version %d, and its tables are ours", app, version)}
	case tables > 0 && app != applicationID:
		return 0, fmt.Errorf("%s belongs to another program: move it away, or set another state folder", path)
	case version > known:
		return 0, &NewerSchemaError{Path: path, Have: version, Known: known}
	}
	return version, nil
}

// migrate brings the file up to date, each step in a transaction of its own, so
// that a failed step leaves the version before it.
func migrate(ctx context.Context, conn *sql.Conn, path string, steps []string) error {
	for {
		done, err := migrateOne(ctx, conn, path, steps)
		if done || err != nil {
			return err
		}
	}
}

func migrateOne(ctx context.Context, conn *sql.Conn, path string, steps []string) (done bool, err error) {
	version, err := schemaVersion(ctx, conn, path, len(steps))
	if err != nil || version == len(steps) {
		return true, err
	}
	doing := fmt.Sprintf("bring the database to schema version %d", version+1)
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return false, explain(path, doing, err)
	}
	defer func() {
		if err != nil {
			// SQLite may have rolled back by itself; then this one fails.
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	// Another process may have been faster.
	now, err := schemaVersion(ctx, conn, path, len(steps))
	if err != nil {
		return false, err
	}
	script := ""
	if now == version {
		script = fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d;", steps[version], applicationID, version+1)
	}
	if _, err := conn.ExecContext(ctx, script+"COMMIT"); err != nil {
		return false, explain(path, doing, err)
	}
	return false, nil
}
