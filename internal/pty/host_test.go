package pty_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tendhq/tend/internal/pty"
	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/supervisor"
	"github.com/tendhq/tend/internal/supervisor/hosttest"
)

// holdWord, as first argument, turns this test binary into the holder.
const holdWord = "hold-a-run"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == holdWord {
		os.Exit(holder.Run(os.Args[2]))
	}
	os.Exit(m.Run())
}

var _ supervisor.Host = (*pty.Host)(nil)

func newHost(t testing.TB) *pty.Host {
	t.Helper()
	run, err := os.MkdirTemp("", "tend-pty") // short: socket paths are limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	return pty.New(pty.Config{StateDir: filepath.Join(run, "state"), RuntimeDir: run, HoldArgv: []string{os.Args[0], holdWord}})
}

func TestContract(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid of util-linux: make setup says how to get it")
	}
	hosttest.Run(t, func(t *testing.T) supervisor.Host { return newHost(t) })
}
