package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor/storetest"
)

// TestFullDisk is the store's part of field case B62, on a real small disk:
// what cannot be written is refused with the reason, nothing is damaged, and
// the same changes are written in order once there is room.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t)
	path := filepath.Join(disk, "tend.db")
	st := open(t, path, sqlite.Options{IdleEvery: 10 * time.Millisecond})
	ballast := filepath.Join(disk, "ballast")
	if err := writeMore(ballast, 2<<20); err != nil {
		t.Fatal(err)
	}
	a, b := storetest.New(1), storetest.Step(storetest.New(2), "Created")
	fillUp(t, st)
	for n := 64 << 10; n > 0; n /= 2 { // no room at all
		for writeMore(ballast, n) == nil {
		}
	}
	for range 3 {
		_, err := st.Commit(t.Context(), bulky(a, 3<<20))
		wantUnavailable(t, err, "disk is full")
	}
	if _, err := st.Load(t.Context()); err != nil {
		t.Errorf("reading on a full disk: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for _, c := range []session.Change{bulky(a, 1000), b} {
		if _, err := st.Commit(t.Context(), c); err != nil {
			t.Fatalf("with room again: %v", err)
		}
	}
	until(t, "the store at rest gives the room back", func() bool { return fileSize(path+"-wal") < 256<<10 })
	wantSound(t, path)
}

// TestRoomForTheLastWord: on a disk that others have filled, changes still fit
// for a while, so that what fills it can be stopped.
func TestRoomForTheLastWord(t *testing.T) {
	disk := smallDisk(t)
	st := open(t, filepath.Join(disk, "tend.db"), sqlite.Options{WALLimit: 8 << 20, IdleEvery: 10 * time.Millisecond})
	for n := 64 << 10; n > 0; n /= 2 {
		for writeMore(filepath.Join(disk, "ballast"), n) == nil {
		}
	}
	for n := range 50 {
		if _, err := st.Commit(t.Context(), storetest.Step(storetest.New(n), "Created")); err != nil {
			t.Fatalf("change %d: %v", n, err)
		}
	}
}

// smallDisk mounts a disk of 4 MiB, or skips the test.
func smallDisk(t *testing.T) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no small disk: %v (needs root)", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return disk
}

// TestReadOnlyDisk: a start on a disk that cannot be written says so and leaves
// the database as it is.
func TestReadOnlyDisk(t *testing.T) {
	disk := smallDisk(t)
	path := filepath.Join(disk, "tend.db")
	other(t, path)
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	wantUnavailable(t, openError(t, path), "writ")
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT, ""); err != nil {
		t.Fatal(err)
	}
	wantStored(t, path, 1, 1)
}

func writeMore(name string, n int) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, n))
	return errors.Join(err, f.Close())
}

// fillUp makes sessions until the disk is full.
func fillUp(t *testing.T, st *sqlite.Store) {
	t.Helper()
	for n := range 1000 {
		if _, err := st.Commit(t.Context(), bulky(storetest.New(100+n), 200<<10)); err != nil {
			wantUnavailable(t, err, "disk is full")
			return
		}
	}
	t.Fatal("the disk does not fill")
}
