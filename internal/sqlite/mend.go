package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// mend makes a copy of the database at path, with what its log holds, in which
// the first page says again what it says in every database of ours. The copy is
// there to be read, whatever else is damaged in it.
func mend(ctx context.Context, path, name string) error {
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(path+suffix, name+suffix); err != nil {
			return fmt.Errorf("copy the damaged database: %w", err)
		}
	}
	first := make([]byte, pageSize)
	if err := firstPage(name, first); err != nil {
		return err
	}
	restoreHeader(first)
	for range 2 {
		if err := setFirstPage(name, first); err != nil {
			return err
		}
		err := takeLog(ctx, name)
		if !isDamage(err) {
			return err
		}
		if first, err = freshPage(ctx, name+".new"); err != nil { // its tables are lost too
			return err
		}
	}
	return nil
}

// copyFile makes a copy; of what is not there an empty one.
func copyFile(from, to string) (err error) {
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	in, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(out, in)
	return err
}

func firstPage(name string, page []byte) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.ReadFull(f, page); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return nil
}

func setFirstPage(name string, page []byte) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(page, 0)
	return errors.Join(err, f.Close())
}

// restoreHeader writes the fields of the header (the first 100 bytes, see "The
// Database Header" of SQLite's file format) that are the same in all databases
// of ours. The number of pages is left open: the file's size tells. The list of
// free pages is left out: nothing is to be written.
func restoreHeader(page []byte) {
	copy(page, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(page[16:], pageSize)
	copy(page[18:], []byte{2, 2, 0, 64, 32, 32}) // a write-ahead log, nothing reserved, the payload's fractions
	clear(page[28:40])                           // pages, free pages
	binary.BigEndian.PutUint32(page[44:], 4)     // the schema's format
	clear(page[48:56])                           // cache, vacuum
	binary.BigEndian.PutUint32(page[56:], 1)     // UTF-8
	clear(page[64:68])
	binary.BigEndian.PutUint32(page[68:], applicationID)
	clear(page[72:92])
}

// takeLog has SQLite put what the log holds in its place. A file in which our
// tables are not found is damaged.
func takeLog(ctx context.Context, name string) (err error) {
	db, err := sql.Open("sqlite", dsn(name, false))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }() // the last to leave writes back the log
	named := 0
	err = db.QueryRowContext(ctx, "SELECT "+countOurs).Scan(&named)
	if err == nil && named != nOurs {
		err = &CorruptError{Path: name, Detail: "its tables are not found"}
	}
	return err
}

// freshPage is the first page of a new database: ours have their tables at the
// same places.
func freshPage(ctx context.Context, name string) (page []byte, err error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := create(name); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(name)) }()
	w, err := openWrite(ctx, name, Options{}.withDefaults())
	if err != nil {
		return nil, err
	}
	if err := errors.Join(migrate(ctx, w.conn, name, migrations), w.close()); err != nil {
		return nil, err
	}
	page = make([]byte, pageSize)
	if err := firstPage(name, page); err != nil {
		return nil, err
	}
	restoreHeader(page)
	return page, nil
}

// leafPage is the type of a page that holds rows of a table.
const leafPage = 0x0d

// leaves lists the pages of the file that hold rows, save the first.
func leaves(name string) (pages []int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	kind := make([]byte, 1)
	for at := int64(pageSize); ; at += pageSize {
		if _, err := f.ReadAt(kind, at); err != nil {
			return pages, nil //nolint:nilerr // the end, or damage of the disk itself
		}
		if kind[0] == leafPage {
			pages = append(pages, at/pageSize+1)
		}
	}
}

// uproot makes a table of every page that holds rows, so that SQLite reads those
// too to which no path leads any more. It returns the tables' names.
func uproot(ctx context.Context, name, prefix, columns string) (tables []string, err error) {
	pages, err := leaves(name)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(name, false, "writable_schema(1)", "synchronous(OFF)"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // nothing, after a commit
	for _, page := range pages {
		table := fmt.Sprintf("%s_%d", prefix, page)
		text := fmt.Sprintf("CREATE TABLE %s(%s)", table, strings.Replace(columns, "seq,", "seq INTEGER PRIMARY KEY,", 1))
		if _, err := tx.ExecContext(ctx, "INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) VALUES ('table', ?1, ?1, ?2, ?3)", table, page, text); err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, tx.Commit()
}
