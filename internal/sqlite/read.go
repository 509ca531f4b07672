package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tendhq/tend/internal/session"
)

// pageRows bounds one read: longer answers are read in several, so that none
// keeps the log from being checkpointed.
const pageRows = 1000

const (
	loadOpen     = `SELECT id, body FROM sessions INDEXED BY sessions_open WHERE closed_at IS NULL ORDER BY id`
	getOne       = `SELECT id, body FROM sessions WHERE id = ?`
	listArchived = `SELECT id, body FROM sessions INDEXED BY sessions_archived
		WHERE closed_at IS NOT NULL AND (?1 = '' OR name = ?1 OR substr(id, 1, length(?1)) = ?1)
		ORDER BY closed_at DESC, id DESC LIMIT ?2`
	entryColumns = `seq, node, session, rev, run, turn, at, source, event, detail, from_state, to_state, ignored, why, effects`
	pageOfAll    = `SELECT ` + entryColumns + ` FROM journal WHERE seq > ? ORDER BY seq LIMIT ?`
	// Within a session, revisions and sequence numbers grow together.
	pageOfOne = `SELECT ` + entryColumns + ` FROM journal INDEXED BY journal_session
		WHERE session = ? AND seq > ? ORDER BY rev LIMIT ?`
	newestNumber = `SELECT coalesce(max(seq), 0) FROM journal`
)

// Load returns the sessions that are not archived, oldest id first. It costs
// what they cost, whatever the number of archived ones.
func (s *Store) Load(ctx context.Context) ([]session.Session, error) {
	return s.sessions(ctx, "load the sessions", loadOpen)
}

// Get returns one session, archived or not, or session.ErrNotFound.
func (s *Store) Get(ctx context.Context, id session.ID) (session.Session, error) {
	doing := "get " + string(id)
	found, err := s.sessions(ctx, doing, getOne, string(id))
	if err != nil {
		return session.Session{}, err
	}
	if len(found) == 0 {
		return session.Session{}, fmt.Errorf("%s: %w", doing, session.ErrNotFound)
	}
	return found[0], nil
}

// Archived lists archived sessions, the last archived first, at most limit
// (0 = all). match, if not empty, keeps those whose id starts with it or whose
// name is it.
func (s *Store) Archived(ctx context.Context, match string, limit int) ([]session.Session, error) {
	if limit <= 0 {
		limit = -1
	}
	return s.sessions(ctx, "list the archived sessions", listArchived, match, limit)
}

// Head is the newest journal sequence number, 0 when there is none.
func (s *Store) Head(ctx context.Context) (int64, error) {
	var head int64
	err := s.read(ctx, "read the journal's head", func(db *sql.DB) error {
		return db.QueryRowContext(ctx, newestNumber).Scan(&head)
	})
	return head, err
}

// Journal returns entries with Seq > after, oldest first, at most limit (0 =
// all), of one session if id is not empty.
func (s *Store) Journal(ctx context.Context, id session.ID, after int64, limit int) ([]session.Entry, error) {
	var out []session.Entry
	for {
		n := pageRows
		if limit > 0 {
			n = min(n, limit-len(out))
		}
		page, err := s.page(ctx, id, after, n)
		if err != nil {
			return nil, err
		}
		out = append(out, page...)
		if len(page) < n || len(out) == limit {
			return out, nil
		}
		after = page[len(page)-1].Seq
	}
}

func (s *Store) page(ctx context.Context, id session.ID, after int64, limit int) ([]session.Entry, error) {
	q, args := pageOfAll, []any{after, limit}
	if id != "" {
		q, args = pageOfOne, []any{string(id), after, limit}
	}
	var out []session.Entry
	err := s.read(ctx, "read the journal", func(db *sql.DB) error {
		return each(ctx, db, func(r *sql.Rows) error {
			e, err := scanEntry(r)
			out = append(out, e)
			return err
		}, q, args...)
	})
	return out, err
}

func scanEntry(r *sql.Rows) (session.Entry, error) {
	var e session.Entry
	var at sql.NullInt64
	var detail, effects sql.NullString
	err := r.Scan(&e.Seq, &e.Node, &e.Session, &e.Rev, &e.Run, &e.Turn, &at, &e.Source, &e.Event, &detail,
		&e.From, &e.To, &e.Ignored, &e.Why, &effects)
	if err != nil {
		return e, err
	}
	e.At = fromMillis(at)
	if detail.Valid {
		e.Detail = json.RawMessage(detail.String)
	}
	if effects.Valid {
		err = json.Unmarshal([]byte(effects.String), &e.Effects)
	}
	return e, err
}

func (s *Store) sessions(ctx context.Context, doing, q string, args ...any) ([]session.Session, error) {
	var out []session.Session
	err := s.read(ctx, doing, func(db *sql.DB) error {
		return each(ctx, db, func(r *sql.Rows) error {
			var id string
			var body []byte
			if err := r.Scan(&id, &body); err != nil {
				return err
			}
			var found session.Session
			if err := json.Unmarshal(body, &found); err != nil {
				return &CorruptError{Path: s.path, Detail: fmt.Sprintf("the row of session %s: %v", id, err)}
			}
			out = append(out, found)
			return nil
		}, q, args...)
	})
	return out, err
}

// read runs one short read on the pool. The pool is not swapped meanwhile.
func (s *Store) read(ctx context.Context, doing string, f func(*sql.DB) error) error {
	s.pool.RLock()
	defer s.pool.RUnlock()
	if s.readers == nil {
		return fmt.Errorf("%s: %w", doing, ErrClosed)
	}
	err := f(s.readers)
	if ctxErr := ctx.Err(); err != nil && ctxErr != nil {
		return fmt.Errorf("%s: %w", doing, ctxErr)
	}
	return explain(s.path, doing, err)
}

// each calls f for every row.
func each(ctx context.Context, db *sql.DB, f func(*sql.Rows) error, q string, args ...any) (err error) {
	rows, err := db.QueryContext(ctx, q, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
