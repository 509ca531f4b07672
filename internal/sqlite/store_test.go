package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

var _ supervisor.Store = (*sqlite.Store)(nil)

func open(t testing.TB, path string, o sqlite.Options) *sqlite.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return st
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) supervisor.Store {
		return open(t, filepath.Join(t.TempDir(), "tend.db"), sqlite.Options{})
	})
}
