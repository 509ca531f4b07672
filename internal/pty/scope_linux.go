package pty

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
)

// scopeFor is what puts a holder into a scope of its own, where a systemd of the
// user is there to do it, so that neither the end of a login session nor that of
// the daemon's unit ends it; nil elsewhere. It replaces itself by the holder, so
// the process stays the one that was started.
func scopeFor(dir string) []string {
	runtime := os.Getenv("XDG_RUNTIME_DIR")
	if runtime == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(runtime, "systemd", "private")); err != nil {
		return nil
	}
	run, err := exec.LookPath("systemd-run")
	if err != nil {
		return nil
	}
	sum := sha256.Sum256([]byte(dir))
	return []string{run, "--user", "--scope", "--quiet", "--collect", "--unit=tend-" + hex.EncodeToString(sum[:8]), "--"}
}
