package supervisor

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/tendhq/tend/internal/session"
)

// memStore is a store in memory, with a disk that can be full.
type memStore struct {
	mu      sync.Mutex
	rows    map[session.ID]session.Session
	journal []session.Entry
	full    bool
}

func newMemStore() *memStore { return &memStore{rows: map[session.ID]session.Session{}} }

func (m *memStore) Load(context.Context) (out []session.Session, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.rows {
		if s.Life.Closed == nil {
			out = append(out, s)
		}
	}
	return out, nil
}

func (m *memStore) Get(_ context.Context, id session.ID) (session.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.rows[id]; ok {
		return s, nil
	}
	return session.Session{}, session.ErrNotFound
}

func (m *memStore) Archived(_ context.Context, match string, _ int) (out []session.Session, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.rows {
		if s.Life.Closed != nil && (s.Name == match || strings.HasPrefix(string(s.ID), match)) {
			out = append(out, s)
		}
	}
	return out, nil
}

func (m *memStore) Commit(_ context.Context, c session.Change) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full {
		return 0, fmt.Errorf("%w: disk full", session.ErrStoreUnavailable)
	}
	if m.rows[c.Session.ID].Rev != c.PrevRev {
		return 0, session.ErrConflict
	}
	for id, s := range m.rows {
		if id != c.Session.ID && s.Life.Closed == nil && c.Session.Life.Closed == nil && s.Name == c.Session.Name {
			return 0, session.ErrNameTaken
		}
	}
	m.rows[c.Session.ID] = c.Session
	c.Entry.Seq = int64(len(m.journal) + 1)
	m.journal = append(m.journal, c.Entry)
	return c.Entry.Seq, nil
}

func (m *memStore) Journal(_ context.Context, id session.ID, after int64, _ int) (out []session.Entry, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.journal {
		if e.Seq > after && (id == "" || e.Session == id) {
			out = append(out, e)
		}
	}
	return out, nil
}

func (m *memStore) Head(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(len(m.journal)), nil
}

func (m *memStore) setFull(full bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.full = full
}
