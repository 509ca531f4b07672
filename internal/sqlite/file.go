package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// prepare makes path absolute and sees to it that a file is there: a new empty
// one only if nothing says that there was one before. clean reports that the
// last program to use it closed it.
func prepare(path string) (abs string, clean bool, err error) {
	if abs, err = filepath.Abs(path); err != nil {
		return "", false, fmt.Errorf("open the database: %w", err)
	}
	if err := os.MkdirAll(dirOf(abs), 0o700); err != nil {
		return "", false, fmt.Errorf("the database's folder cannot be made: %w", err)
	}
	if err := finishRescue(abs); err != nil {
		return "", false, err
	}
	db, err := os.Stat(abs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", false, fmt.Errorf("the database cannot be read: %w", err)
	}
	logged := size(abs + "-wal")
	switch {
	case db != nil && db.IsDir():
		return "", false, fmt.Errorf("the database %s is a folder: move it away", abs)
	case (db == nil || db.Size() == 0) && logged > 0:
		return "", false, &CorruptError{Path: abs, Detail: "its file is gone or empty, while its log " + abs + "-wal is there"}
	case db == nil:
		return abs, true, create(abs)
	case db.Mode().Perm()&0o077 != 0:
		if err := os.Chmod(abs, 0o600); err != nil {
			return "", false, fmt.Errorf("the database can be read by others, and this cannot be changed: %w", err)
		}
	}
	return abs, logged == 0, nil
}

// size is a file's size, 0 when there is none.
func size(name string) int64 {
	fi, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return fi.Size()
}

// create makes an empty file, which SQLite takes for a new database. Another
// process may be faster.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the database cannot be created: %w", err)
	}
	return f.Close()
}

// rescueName is where a complete copy waits that is to become the database.
func rescueName(path string) string { return path + ".rescue" }

// finishRescue puts a complete copy, if there is one, in the place of a
// database that is not there. A log without its database is set aside.
func finishRescue(path string) error {
	from := rescueName(path)
	if size(from) == 0 {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return nil // the copy stays where it is; Check tells of it
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		err := os.Rename(path+suffix, path+".stray-"+stamp(time.Now())+suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("set aside the log of the lost database: %w", err)
		}
	}
	// A link, unlike a rename, never overwrites what somebody put there.
	if err := os.Link(from, path); err != nil {
		return fmt.Errorf("put the rescued database in place: %w", err)
	}
	return errors.Join(syncDir(path), os.Remove(from))
}

const (
	smallFile  = 8 << 20                // checked whole at every start
	checkLimit = 100 * time.Millisecond // how long a larger file is checked after an unclean end
)

// checkIntegrity looks for damage as far as a start can afford: a file of up to
// 8 MiB is checked whole; a larger one only if the last program to use it did
// not close it, and for at most 100 ms, the sessions first. What is not found
// here is found when it is read, and reported by the same *CorruptError; Check
// looks at everything.
func checkIntegrity(ctx context.Context, conn *sql.Conn, path string, clean bool) error {
	bounded := ctx
	if size(path) > smallFile {
		if clean {
			return nil
		}
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, checkLimit)
		defer cancel()
	}
	found, err := damage(bounded, conn, "PRAGMA quick_check(5)")
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("check the database: %w", ctx.Err())
	case bounded.Err() != nil:
		return nil // time is over, and nothing was found so far
	case err != nil:
		return explain(path, "check the database", err)
	case len(found) > 0:
		return &CorruptError{Path: path, Detail: strings.Join(found, "; ")}
	}
	return nil
}

// damage runs one of SQLite's checks.
func damage(ctx context.Context, conn *sql.Conn, pragma string) (found []string, err error) {
	rows, err := conn.QueryContext(ctx, pragma)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		if line != "ok" {
			found = append(found, strings.ReplaceAll(line, "\n", " "))
		}
	}
	return found, rows.Err()
}
