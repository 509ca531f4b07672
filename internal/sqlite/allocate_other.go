//go:build !linux

package sqlite

import "os"

// allocate does nothing here.
func allocate(*os.File, int64) error { return nil }
