//go:build !linux

package realagents

import (
	"errors"
	"runtime"
	"syscall"
)

func impossible() string { return runtime.GOOS + " has no network namespaces" }

func namespaces() *syscall.SysProcAttr { return nil }

func enter() error { return errors.New(impossible()) }
