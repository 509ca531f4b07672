package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxSocketPath is what sockaddr_un has room for everywhere, in bytes.
const maxSocketPath = 103

// dirs are the only folders that tend writes to.
type dirs struct {
	config  string // config.toml
	state   string // the database, the sessions' output, logs
	runtime string // sockets
}

func (d dirs) configFile() string { return filepath.Join(d.config, "config.toml") }
func (d dirs) database() string   { return filepath.Join(d.state, "tend.db") }
func (d dirs) lock() string       { return filepath.Join(d.state, "tend.lock") }
func (d dirs) log() string        { return filepath.Join(d.state, "daemon.log") }
func (d dirs) socket() string     { return filepath.Join(d.runtime, "tend.sock") }

// pointer is a link to the daemon's socket. XDG_RUNTIME_DIR is not the same
// everywhere: a cron job has none.
func (d dirs) pointer() string { return filepath.Join(d.state, "tend.sock") }

// sockets is where a daemon of this state folder may listen.
func (d dirs) sockets() []string {
	out := []string{d.socket()}
	if at := d.listening(); at != d.socket() {
		out = append(out, at)
	}
	return out
}

// listening is the socket of the daemon that was started last.
func (d dirs) listening() string {
	if at, err := os.Readlink(d.pointer()); err == nil {
		return at
	}
	return d.socket()
}

// point makes the pointer.
func (d dirs) point() error {
	fresh := d.pointer() + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(d.socket(), fresh); err != nil {
		return err
	}
	return os.Rename(fresh, d.pointer())
}

// findDirs follows the XDG base directory specification. A runtime folder that
// is missing, or too long for a socket's address, is replaced by a private one
// under /tmp.
func findDirs(env func(string) string) (dirs, error) {
	home := env("HOME")
	base := func(name, below string) (string, error) {
		if v := env(name); filepath.IsAbs(v) {
			return filepath.Join(v, "tend"), nil
		}
		if home == "" {
			return "", failure{exitFailed, fmt.Sprintf("neither %s nor HOME is set: set HOME to your home folder", name)}
		}
		return filepath.Join(home, below, "tend"), nil
	}
	var d dirs
	var err error
	if d.config, err = base("XDG_CONFIG_HOME", ".config"); err != nil {
		return d, err
	}
	if d.state, err = base("XDG_STATE_HOME", ".local/state"); err != nil {
		return d, err
	}
	if v := env("XDG_RUNTIME_DIR"); filepath.IsAbs(v) {
		d.runtime = filepath.Join(v, "tend")
	}
	// A holder's socket has the longest name: 16 characters and ".hold".
	if d.runtime == "" || len(d.runtime)+len("/0123456789abcdef.hold") > maxSocketPath {
		d.runtime = fmt.Sprintf("/tmp/tend-%d-%s", os.Getuid(), shortHash(d.state))
	}
	return d, nil
}

// make creates the folders that a daemon needs, for this user alone.
func (d dirs) make() error {
	for _, dir := range []string{d.state, d.runtime} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return failure{exitFailed, fmt.Sprintf("cannot make the folder %s: %v", dir, reason(err))}
		}
		st, err := os.Lstat(dir)
		if err != nil {
			return failure{exitFailed, fmt.Sprintf("cannot use the folder %s: %v", dir, reason(err))}
		}
		if !st.IsDir() || !mine(st) {
			return failure{exitFailed, fmt.Sprintf("%s is not a folder of yours: move it away, or set XDG_STATE_HOME and XDG_RUNTIME_DIR to folders of yours", dir)}
		}
		if st.Mode().Perm()&0o077 != 0 {
			if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder of this user alone
				return failure{exitFailed, fmt.Sprintf("cannot make %s private: %v", dir, reason(err))}
			}
		}
	}
	return nil
}

// mine reports whether a file belongs to this user.
func mine(st os.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return !ok || int(sys.Uid) == os.Getuid()
}

// trusted reports whether nobody else can have put the socket at path there: a
// folder under /tmp has a name that others can guess.
func trusted(path string) bool {
	st, err := os.Lstat(filepath.Dir(path))
	return err == nil && st.IsDir() && mine(st) && st.Mode().Perm()&0o022 == 0
}
