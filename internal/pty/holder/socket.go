package holder

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// accept takes connections; a socket that is removed is made anew.
func (h *holder) accept(ln net.Listener) {
	go h.keepSocket(ln)
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go h.talk(c)
	}
}

func (h *holder) keepSocket(ln net.Listener) {
	for {
		awaitRemoval(h.launch.Socket)
		if _, err := os.Lstat(h.launch.Socket); err == nil {
			continue
		}
		if again, err := h.listen(); err == nil {
			_ = ln.Close()
			go h.accept(again)
			return
		}
	}
}

// listen opens the socket, readable by nobody else.
func (h *holder) listen() (net.Listener, error) {
	h.socketMu.Lock()
	defer h.socketMu.Unlock()
	if h.leaving {
		return nil, net.ErrClosed
	}
	if err := SocketDir(filepath.Dir(h.launch.Socket)); err != nil {
		return nil, err
	}
	_ = os.Remove(h.launch.Socket)
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: h.launch.Socket, Net: "unix"})
	if err != nil {
		return nil, err
	}
	ln.SetUnlinkOnClose(false) // the one in its place may be another's
	return ln, nil
}

// removeSocket removes the socket for good.
func (h *holder) removeSocket() {
	h.socketMu.Lock()
	defer h.socketMu.Unlock()
	h.leaving = true
	_ = os.Remove(h.launch.Socket)
}

// SocketDir makes a folder for sockets, or checks the one that is there: it must
// be a real one, ours, and writable by nobody else.
func SocketDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !st.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	case !ok || int(sys.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case st.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be written to by others: chmod 700 it", dir)
	}
	return nil
}
