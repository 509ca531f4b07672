//go:build soak

package sqlite_test

import "time"

const (
	kills    = 200
	countFor = 30 * time.Second
	holdLock = 3 * time.Second
)
