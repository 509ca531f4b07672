package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tendhq/tend/internal/session"
)

const (
	insertSession = `INSERT INTO sessions(id, node, name, rev, state, closed_at, created_at, updated_at, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// rewriteSession is the common case: it leaves every indexed column, and so
	// every index page, alone.
	rewriteSession = `UPDATE sessions SET rev = ?, state = ?, updated_at = ?, body = ?
		WHERE id = ? AND rev = ? AND node = ? AND name = ? AND closed_at IS ?`
	updateSession = `UPDATE sessions SET node = ?, name = ?, rev = ?, state = ?, closed_at = ?, updated_at = ?, body = ?
		WHERE id = ? AND rev = ?`
	insertEntry = `INSERT INTO journal(node, session, rev, run, turn, at, source, event, detail, from_state, to_state, ignored, why, effects)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// row is a change as the tables take it.
type row struct {
	s       session.Session
	prev    int64
	body    string
	closed  any // milliseconds, nil while open
	created any
	updated any
	entry   []any
}

// encode checks that a change is one step of one session and encodes it.
func encode(c session.Change) (row, error) {
	s, e := c.Session, c.Entry
	switch {
	case s.ID == "":
		return row{}, errors.New("commit: the session has no id")
	case c.PrevRev < 0 || s.Rev != c.PrevRev+1:
		return row{}, fmt.Errorf("commit %s: revision %d does not follow %d", s.ID, s.Rev, c.PrevRev)
	case e.Session != s.ID || e.Rev != s.Rev:
		return row{}, fmt.Errorf("commit %s: the journal entry is about %q revision %d, the row has %d", s.ID, e.Session, e.Rev, s.Rev)
	}
	body, err := json.Marshal(s)
	if err != nil {
		return row{}, fmt.Errorf("commit %s: encode the session: %w", s.ID, err)
	}
	var effects any
	if len(e.Effects) > 0 {
		text, err := json.Marshal(e.Effects)
		if err != nil {
			return row{}, fmt.Errorf("commit %s: encode the effects: %w", s.ID, err)
		}
		effects = string(text)
	}
	var detail any
	if len(e.Detail) > 0 {
		detail = string(e.Detail)
	}
	r := row{s: s, prev: c.PrevRev, body: string(body), created: millis(s.Life.CreatedAt), updated: millis(s.Life.UpdatedAt)}
	if s.Life.Closed != nil {
		r.closed = s.Life.Closed.At.UnixMilli()
	}
	r.entry = []any{e.Node, string(e.Session), e.Rev, e.Run, e.Turn, millis(e.At), string(e.Source), e.Event, detail,
		string(e.From), string(e.To), e.Ignored, e.Why, effects}
	return r, nil
}

// millis is a time as a column: NULL when it is not set, never 1970.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// fromMillis is the time in a column.
func fromMillis(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// apply writes one change into the open transaction. refused is the change's
// own result, and nothing of it is written; err is the transaction's.
func (w *writeConn) apply(ctx context.Context, r row) (seq int64, refused, err error) {
	refused, err = w.applyRow(ctx, r)
	if refused != nil || err != nil {
		return 0, refused, err
	}
	res, err := w.append.ExecContext(ctx, r.entry...)
	if err != nil {
		return 0, nil, err
	}
	seq, err = res.LastInsertId()
	return seq, nil, err
}

func (w *writeConn) applyRow(ctx context.Context, r row) (refused, err error) {
	s := r.s
	var n int64
	if r.prev == 0 {
		n, err = affected(w.insert.ExecContext(ctx, string(s.ID), s.Node, s.Name, s.Rev, string(s.State), r.closed, r.created, r.updated, r.body))
	} else {
		n, err = affected(w.rewrite.ExecContext(ctx, s.Rev, string(s.State), r.updated, r.body, string(s.ID), r.prev, s.Node, s.Name, r.closed))
		if n == 0 && err == nil {
			n, err = affected(w.update.ExecContext(ctx, s.Node, s.Name, s.Rev, string(s.State), r.closed, r.updated, r.body, string(s.ID), r.prev))
		}
	}
	taken := isConstraint(err)
	if err != nil && !taken {
		return nil, err
	}
	if n == 1 {
		return nil, nil
	}
	var rev int64
	switch err := w.exists.QueryRowContext(ctx, string(s.ID)).Scan(&rev); {
	case errors.Is(err, sql.ErrNoRows) && !taken:
		return fmt.Errorf("commit %s: %w: %w", s.ID, session.ErrConflict, session.ErrNotFound), nil
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return nil, err
	case taken && rev == r.prev:
		return fmt.Errorf("commit %s: %w: %q", s.ID, session.ErrNameTaken, s.Name), nil
	}
	return fmt.Errorf("commit %s: %w: it is at revision %d, not %d", s.ID, session.ErrConflict, rev, r.prev), nil
}

func affected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
