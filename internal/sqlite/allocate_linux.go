package sqlite

import (
	"os"

	"golang.org/x/sys/unix"
)

// allocate gives f the blocks of its first n bytes, and leaves its size as it is.
func allocate(f *os.File, n int64) error {
	return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, n)
}
