package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

// bulky is a change of about n bytes.
func bulky(s session.Session, n int) session.Change {
	s.Why = strings.Repeat("x", n)
	return storetest.Step(s, "Bulky")
}

// until waits for something that the store does by itself.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// fileSize is -1 when there is no file.
func fileSize(name string) int64 {
	fi, err := os.Stat(name)
	if err != nil {
		return -1
	}
	return fi.Size()
}

func wantSound(t *testing.T, path string) {
	t.Helper()
	for _, f := range sqlite.Check(t.Context(), path) {
		if f.Level == sqlite.Broken {
			t.Errorf("%s: %s", f.Name, f.Detail)
		}
	}
}

// TestFileTooLarge: writes fail with an I/O error in a process whose files may
// not grow, and succeed on the same store once they may.
func TestFileTooLarge(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.db")
	if err := child(t, "fsize", path).Run(); err != nil {
		t.Fatal(err)
	}
	wantSound(t, path)
	st := open(t, path, sqlite.Options{})
	s, err := st.Get(t.Context(), storetest.New(1).ID)
	if err != nil || s.Rev != 3 {
		t.Errorf("revision %d, %v, want 3", s.Rev, err)
	}
}

func childFileSizeLimit(args []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	st, err := sqlite.Open(ctx, args[0], sqlite.Options{})
	if err != nil {
		return err
	}
	s := storetest.New(1)
	for range 2 {
		c := storetest.Step(s, "Step")
		if _, err := st.Commit(ctx, c); err != nil {
			return err
		}
		s = c.Session
	}
	log, err := os.Stat(args[0] + "-wal")
	if err != nil {
		return err
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(log.Size()) + 5000, Max: old.Max}); err != nil {
		return err
	}
	for range 3 {
		if _, err := st.Commit(ctx, bulky(s, 100<<10)); !errors.Is(err, session.ErrStoreUnavailable) || !strings.Contains(err.Error(), "I/O error") {
			return fmt.Errorf("with files that may not grow: %w, want ErrStoreUnavailable and the reason", err)
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	if _, err := st.Commit(ctx, bulky(s, 100<<10)); err != nil {
		return fmt.Errorf("with files that may grow again: %w", err)
	}
	return st.Close()
}
