package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// Repair puts a fresh database with everything that can still be read in the
// place of a damaged one, which is kept, with its log, under the name returned.
// "" means that nothing is damaged and nothing was done. A database of a newer
// tend or of another program is an error and is left alone.
//
// No daemon may use the file: hold its lock. If this process dies in between,
// the next Open or Repair finds either the old state or the new one.
func Repair(ctx context.Context, path string) (keptAs string, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("repair the database: %w", err)
	}
	if err := finishRescue(path); err != nil {
		return "", err
	}
	lost := size(path) == 0 && size(path+"-wal") > 0
	if damaged, err := isDamaged(ctx, path); err != nil || !(damaged || lost) {
		return "", err
	}
	if err := salvageInto(ctx, path, rescueName(path)); err != nil {
		return "", fmt.Errorf("repair the database: %w", err)
	}
	keptAs = path + ".corrupt-" + stamp(time.Now())
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+suffix, keptAs+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("set the damaged database aside: %w", err)
		}
	}
	if err := errors.Join(syncDir(path), finishRescue(path)); err != nil {
		return keptAs, err
	}
	return keptAs, nil
}

// isDamaged checks the whole database. Other errors than damage are returned.
func isDamaged(ctx context.Context, path string) (bool, error) {
	if size(path) == 0 {
		return false, nil
	}
	for _, f := range checkInside(ctx, path) {
		switch {
		case f.Level == Broken && f.Remedy == repairIt:
			return true, nil
		case f.Level == Broken:
			return false, errors.New(f.Detail)
		}
	}
	return false, nil
}

// salvageInto copies all readable rows of the database at path into a new and
// complete one called name.
func salvageInto(ctx context.Context, path, name string) (err error) {
	part := name + ".part"
	if err := removeAll(part); err != nil {
		return err
	}
	if err := create(part); err != nil {
		return err
	}
	if err := fillFrom(ctx, path, part); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return errors.Join(os.Rename(part, name), syncDir(name))
}

func fillFrom(ctx context.Context, path, part string) (err error) {
	w, err := openWrite(ctx, part, Options{}.withDefaults())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := migrate(ctx, w.conn, part, migrations); err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return explain(part, "begin", err)
	}
	if err := copyReadable(ctx, path, part+".damaged", w.conn); err != nil {
		return err
	}
	_, err = w.conn.ExecContext(ctx, alignRevisions+"COMMIT")
	return explain(part, "write the repaired database", err)
}

// copyReadable copies the rows that can be read to dst. It reads a mended copy,
// called name, which is gone afterwards.
func copyReadable(ctx context.Context, path, name string, dst *sql.Conn) (err error) {
	defer func() { err = errors.Join(err, removeAll(name)) }()
	if err := errors.Join(removeAll(name), mend(ctx, path, name)); err != nil {
		return err
	}
	for _, s := range []salvage{
		{dst: dst, table: "sessions", columns: sessionColumns, fits: fitsSession},
		{dst: dst, table: "journal", columns: entryColumns, fits: fitsEntry},
	} {
		if err := s.copy(ctx, name); err != nil {
			return fmt.Errorf("read the damaged table %s: %w", s.table, err)
		}
	}
	return nil
}

// removeAll removes a database with its log.
func removeAll(name string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(name + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

const sessionColumns = "id, node, name, rev, state, closed_at, created_at, updated_at, body"

// alignRevisions lifts a row that is older than its newest journal entry to
// that entry's revision, so that the next change gets a number of its own.
const alignRevisions = `
UPDATE sessions SET rev = j.newest, body = json_set(body, '$.rev', j.newest)
FROM (SELECT session, max(rev) AS newest FROM journal GROUP BY session) AS j
WHERE j.session = sessions.id AND j.newest > sessions.rev;
`

// fitsSession refuses a row whose body is not the session that its columns say.
func fitsSession(row []any) bool {
	id, _ := row[0].(string)
	body, _ := row[8].(string)
	var s session.Session
	return json.Unmarshal([]byte(body), &s) == nil && string(s.ID) == id
}

// fitsEntry refuses a row that is no journal entry: on a page of its own, a row
// does not tell its table.
func fitsEntry(row []any) bool {
	id, named := row[2].(string)
	_, counted := row[4].(int64)
	_, told := row[8].(string)
	return named && id != "" && counted && told
}

// isDamage reports an error that another part of the file may not have.
func isDamage(err error) bool {
	if e := (*CorruptError)(nil); errors.As(err, &e) {
		return true
	}
	e := (*CorruptError)(nil)
	return err != nil && errors.As(explain("", "", err), &e)
}

// maxFailures bounds the search in a part of a table of which nothing can be
// read: it ends after so many failed reads in a row.
const maxFailures = 2_000

// salvage copies the rows of one table that can be read.
type salvage struct {
	src, dst       *sql.Conn
	table, columns string
	fits           func(row []any) bool
	from           string // the table that is read, as a rule the same
	failures       int    // in a row
	damaged        bool   // something could not be read
}

// copy copies what the paths through the file lead to, and, where they are
// damaged, what stands on pages to which none leads.
func (s *salvage) copy(ctx context.Context, name string) error {
	src, shut, err := openToLook(ctx, name)
	if isDamage(err) {
		return nil // nothing can be read
	}
	if err != nil {
		return err
	}
	s.src, s.from = src, s.table
	err = s.between(ctx, 0, 1<<62)
	shut()
	if err != nil || !s.damaged {
		return err
	}
	tables, err := uproot(ctx, name, s.table, s.columns)
	if err != nil {
		return err
	}
	if s.src, shut, err = openToLook(ctx, name); err != nil {
		return err
	}
	defer shut()
	for _, s.from = range tables {
		s.failures = 0
		if err := s.between(ctx, 0, 1<<62); err != nil {
			return err
		}
	}
	return nil
}

// between copies the rows with lo <= rowid <= hi: forwards up to the damage,
// backwards down to it, and then each half of what lies between.
func (s *salvage) between(ctx context.Context, lo, hi int64) error {
	if lo > hi || s.failures > maxFailures {
		return ctx.Err()
	}
	last, err := s.scan(ctx, lo, hi, "ASC")
	if !isDamage(err) {
		return err
	}
	if last != none {
		lo = last + 1
	}
	first, err := s.scan(ctx, lo, hi, "DESC")
	if !isDamage(err) {
		return err
	}
	if first != none {
		hi = first - 1
	}
	if lo >= hi {
		return nil
	}
	mid := lo + (hi-lo)/2
	if err := s.between(ctx, lo, mid); err != nil {
		return err
	}
	return s.between(ctx, mid+1, hi)
}

const none = -1

// scan copies rows in the given order until the damage; at is the last one that
// was read.
func (s *salvage) scan(ctx context.Context, lo, hi int64, order string) (at int64, err error) {
	at = none
	defer func() {
		if isDamage(err) {
			s.failures++
			s.damaged = true
		}
	}()
	rows, err := s.src.QueryContext(ctx, fmt.Sprintf("SELECT rowid, %s FROM %s NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid %s", s.columns, s.from, order), lo, hi)
	if err != nil {
		return at, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]any, 2+strings.Count(s.columns, ","))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	put := fmt.Sprintf("INSERT OR IGNORE INTO %s(%s) VALUES (?%s)", s.table, s.columns, strings.Repeat(", ?", len(values)-2))
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return at, err
		}
		at, s.failures = values[0].(int64), 0
		if !s.fits(values[1:]) {
			continue
		}
		if _, err := s.dst.ExecContext(ctx, put, values[1:]...); err != nil {
			return at, fmt.Errorf("write the repaired database: %w", explain("the copy", "insert", err))
		}
	}
	return at, rows.Err()
}
