package pty

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/session"
)

// maxSocketPath is what sockaddr_un has room for everywhere, in bytes.
const maxSocketPath = 103

// shortDir is where sockets go whose own folder has too long a name.
func shortDir() string { return "/tmp/tend-" + strconv.Itoa(os.Getuid()) }

// socket is a short path that no other run has: in the runtime folder, or,
// where that is too long, in a folder of our own below /tmp.
func (h *Host) socket(ref session.RunRef) (string, error) {
	sum := sha256.Sum256([]byte(h.cfg.StateDir + "\x00" + ref.String()))
	name := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10])) + ".hold"
	path := filepath.Join(h.cfg.RuntimeDir, name)
	if len(path) <= maxSocketPath {
		return path, nil
	}
	if err := holder.SocketDir(shortDir()); err != nil {
		return "", fmt.Errorf("the socket path %s has %d bytes, the system allows %d, and the folder in its place cannot be used: %w: set XDG_RUNTIME_DIR to a shorter folder",
			path, len(path), maxSocketPath, err)
	}
	return filepath.Join(shortDir(), name), nil
}
