//go:build !soak

package sqlite_test

import "time"

const (
	kills    = 20
	countFor = 4 * time.Second
	holdLock = 3 * time.Second
)
