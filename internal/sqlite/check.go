package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Level says how much a finding matters.
type Level string

// The levels.
const (
	OK     Level = "ok"
	Notice Level = "notice" // worth knowing, nothing is lost by leaving it
	Broken Level = "broken" // tend cannot work like this
)

const repairIt = "tend doctor --repair"

// Finding is one thing that Check looked at.
type Finding struct {
	Name   string // folder, file, log, space, leftover, schema, integrity, contents
	Level  Level
	Detail string // one line for people
	Remedy string // "" when there is nothing to do
}

// Check examines the database at path as far as can be done, whether or not a
// daemon uses it, and changes nothing. It reads the whole file.
func Check(ctx context.Context, path string) []Finding {
	path, err := filepath.Abs(path)
	if err != nil {
		return []Finding{{"file", Broken, err.Error(), ""}}
	}
	found := []Finding{checkAccess("folder", dirOf(path), 0o700)}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return append(append(found, checkAbsent(path)), checkLeftovers(path)...)
	}
	found = append(found, checkAccess("file", path, 0o600), checkLog(path), checkSpace(path))
	found = append(found, checkLeftovers(path)...)
	return append(found, checkInside(ctx, path)...)
}

// checkAbsent: no database is how everybody starts, unless a log tells of one.
func checkAbsent(path string) Finding {
	if size(path+"-wal") > 0 {
		e := &CorruptError{Path: path, Detail: "its file is gone, while its log is there"}
		return Finding{"file", Broken, e.Error(), repairIt}
	}
	return Finding{"file", Notice, path + " is not there yet; the daemon makes it", ""}
}

// checkAccess looks at the kind, owner and mode of a file or folder.
func checkAccess(name, path string, want os.FileMode) Finding {
	fi, err := os.Stat(path)
	if err != nil {
		return Finding{name, Broken, err.Error(), "make it possible to read " + path}
	}
	st, known := fi.Sys().(*syscall.Stat_t)
	detail := fmt.Sprintf("%s, mode %04o", path, fi.Mode().Perm())
	if known {
		detail += fmt.Sprintf(", owner %d, inode %d", st.Uid, st.Ino)
	}
	if !fi.IsDir() {
		detail += fmt.Sprintf(", %d bytes", fi.Size())
	}
	switch {
	case fi.IsDir() != (name == "folder"):
		return Finding{name, Broken, detail + ": not a " + name, "move it away"}
	case known && int(st.Uid) != os.Geteuid():
		return Finding{name, Broken, detail + fmt.Sprintf(": you are user %d", os.Geteuid()), "run tend as its owner, or chown it"}
	case fi.Mode().Perm()&0o200 == 0:
		return Finding{name, Broken, detail + ": read-only", fmt.Sprintf("chmod %04o %s", want, path)}
	case fi.Mode().Perm()&^want != 0:
		return Finding{name, Notice, detail + ": open to others", fmt.Sprintf("chmod %04o %s", want, path)}
	}
	return Finding{name, OK, detail, ""}
}

func checkLog(path string) Finding {
	n, limit := size(path+"-wal"), Options{}.withDefaults().WALLimit
	detail := fmt.Sprintf("the log has %d bytes", n)
	if n > 2*limit {
		return Finding{"log", Notice, detail + fmt.Sprintf(", its limit is %d", limit), "end the program that holds " + path + " open for reading"}
	}
	return Finding{"log", OK, detail, ""}
}

// lowSpace is what a database should find free beside it.
const lowSpace = 64 << 20

func checkSpace(path string) Finding {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dirOf(path), &st); err != nil {
		return Finding{"space", Notice, "free space is not known: " + err.Error(), ""}
	}
	free := st.Bavail * uint64(st.Bsize)
	detail := fmt.Sprintf("%d MiB free beside %s", free>>20, path)
	switch {
	case free == 0:
		return Finding{"space", Broken, detail, "free some space; what could not be written is written then"}
	case free < lowSpace:
		return Finding{"space", Notice, detail, "free some space"}
	}
	return Finding{"space", OK, detail, ""}
}

// checkLeftovers lists what was set aside in the past.
func checkLeftovers(path string) (found []Finding) {
	names, err := os.ReadDir(dirOf(path))
	if err != nil {
		return []Finding{{"leftover", Notice, err.Error(), ""}}
	}
	for _, n := range names {
		rest, ours := strings.CutPrefix(n.Name(), filepath.Base(path)+".")
		what, _, _ := strings.Cut(rest, "-")
		switch {
		case !ours, strings.HasSuffix(rest, "-wal"), strings.HasSuffix(rest, "-shm"):
			continue
		case what == "corrupt", what == "displaced", what == "rescue", what == "stray", what == "rescue.part":
			found = append(found, Finding{"leftover", Notice, filepath.Join(dirOf(path), n.Name()) + " was set aside", "remove it once you do not need it"})
		}
	}
	return found
}

// checkInside opens the database read-only and looks at what it holds.
func checkInside(ctx context.Context, path string) []Finding {
	conn, shut, err := openToLook(ctx, path)
	if err != nil {
		return []Finding{{"integrity", Broken, err.Error(), remedyFor(err)}}
	}
	defer shut()
	version, err := schemaVersion(ctx, conn, path, len(migrations))
	if err != nil {
		return []Finding{{"schema", Broken, err.Error(), remedyFor(err)}}
	}
	found := []Finding{{"schema", OK, fmt.Sprintf("version %d of %d", version, len(migrations)), ""}}
	began := time.Now()
	bad, err := damage(ctx, conn, "PRAGMA integrity_check(20)")
	if err == nil && len(bad) > 0 {
		err = &CorruptError{Path: path, Detail: strings.Join(bad, "; ")}
	}
	if err = explain(path, "check the database", err); err != nil {
		return append(found, Finding{"integrity", Broken, err.Error(), remedyFor(err)})
	}
	found = append(found, Finding{"integrity", OK, fmt.Sprintf("nothing is damaged (looked for %d ms)", time.Since(began).Milliseconds()), ""})
	if version == 0 {
		return found
	}
	return append(found, checkContents(ctx, conn, path))
}

func checkContents(ctx context.Context, conn *sql.Conn, path string) Finding {
	var open, archived, entries int
	const q = `SELECT (SELECT count(*) FROM sessions WHERE closed_at IS NULL),
		(SELECT count(*) FROM sessions WHERE closed_at IS NOT NULL), (SELECT count(*) FROM journal)`
	if err := conn.QueryRowContext(ctx, q).Scan(&open, &archived, &entries); err != nil {
		return Finding{"contents", Broken, explain(path, "count", err).Error(), remedyFor(err)}
	}
	return Finding{"contents", OK, fmt.Sprintf("%d open and %d archived sessions, %d journal entries", open, archived, entries), ""}
}

// PresentRuns is the number of every session's present run, by id, archived ones
// too. It changes nothing; no database is no session.
func PresentRuns(ctx context.Context, path string) (runs map[string]int, err error) {
	runs = map[string]int{}
	if size(path) == 0 && size(path+"-wal") == 0 {
		return runs, nil
	}
	conn, shut, err := openToLook(ctx, path)
	if err != nil {
		return nil, err
	}
	defer shut()
	rows, err := conn.QueryContext(ctx, "SELECT id, coalesce(json_extract(body, '$.process.run'), 0) FROM sessions")
	if err != nil {
		return nil, explain(path, "read the sessions", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		var run int
		if err := rows.Scan(&id, &run); err != nil {
			return nil, explain(path, "read the sessions", err)
		}
		runs[id] = run
	}
	return runs, explain(path, "read the sessions", rows.Err())
}

func remedyFor(err error) string {
	if e := (*CorruptError)(nil); errors.As(err, &e) {
		return repairIt
	}
	if e := (*UnavailableError)(nil); errors.As(err, &e) {
		return e.Remedy
	}
	return ""
}

// openToLook opens the database for reading only.
func openToLook(ctx context.Context, path string) (conn *sql.Conn, shut func(), err error) {
	db, err := sql.Open("sqlite", dsn(path, true, "busy_timeout(10000)", "query_only(1)", "cell_size_check(1)"))
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	conn, err = db.Conn(ctx)
	if err == nil {
		// Nothing has touched the file so far.
		var n int
		err = conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n)
	}
	shut = func() {
		if conn != nil {
			_ = conn.Close() // it only read
		}
		_ = db.Close()
	}
	if err != nil {
		shut()
		return nil, nil, explain(path, "open "+path, err)
	}
	return conn, shut, nil
}
