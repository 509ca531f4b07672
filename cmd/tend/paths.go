package main

import (
	"fmt"
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
		if sys, ok := st.Sys().(*syscall.Stat_t); !st.IsDir() || ok && int(sys.Uid) != os.Getuid() {
			return failure{exitFailed, fmt.Sprintf("%s is not a folder of yours: move it away", dir)}
		}
		if st.Mode().Perm()&0o077 != 0 {
			if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder of this user alone
				return failure{exitFailed, fmt.Sprintf("cannot make %s private: %v", dir, reason(err))}
			}
		}
	}
	return nil
}
