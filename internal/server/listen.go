package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// maxSocketPath is what the system's sockaddr_un has room for.
const maxSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// ErrSocketInUse means that another daemon answers on the socket.
var ErrSocketInUse = errors.New("another daemon answers on this socket")

// ListenUnix listens on a socket of mode 0600 whose peers must run as the same
// user; others are cut off and logged. The socket appears with its mode in one
// step and takes the place of a dead daemon's; it is ErrSocketInUse when a
// daemon answers there. Its directory must exist. Closing the listener removes
// the socket, unless another has taken its place.
func ListenUnix(path string, log *slog.Logger) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("the socket path %s has %d bytes and the system allows %d: set XDG_RUNTIME_DIR to a shorter folder", path, len(path), maxSocketPath)
	}
	if err := vacant(path); err != nil {
		return nil, err
	}
	l, err := listenAt(path)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	return sameUser(l, os.Getuid(), peerUID, log), nil
}

// vacant reports an error unless there is nothing at path or a socket that
// nobody listens on.
func vacant(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look for a socket: %w", err)
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is in the way of the daemon's socket and is none: move it", path)
	}
	c, err := net.Dial("unix", path)
	switch {
	case err == nil:
		_ = c.Close()
		return fmt.Errorf("%w: %s", ErrSocketInUse, path)
	case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("%w, it seems: %w", ErrSocketInUse, err)
}

// listenAt binds beside path and moves the socket there, so that it is never
// reachable with another mode and replaces a stale one without a gap.
func listenAt(path string) (_ *socket, err error) {
	temp := filepath.Join(filepath.Dir(path), "."+rand.Text()[:4])
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: temp, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	defer func() {
		if err != nil {
			_ = l.Close()
			_ = os.Remove(temp)
		}
	}()
	if err := os.Chmod(temp, 0o600); err != nil {
		return nil, err
	}
	info, err := os.Lstat(temp)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(temp, path); err != nil {
		return nil, err
	}
	return &socket{UnixListener: l, path: path, own: info}, nil
}

// socket removes its file when it is closed, if the file is still its own.
type socket struct {
	*net.UnixListener
	path string
	own  fs.FileInfo
	once sync.Once
}

// Close stops listening and removes the socket.
func (s *socket) Close() error {
	s.once.Do(func() {
		if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.own) {
			_ = os.Remove(s.path) // a stale socket is replaced by the next daemon
		}
	})
	return s.UnixListener.Close()
}

// sameUserListener hands out connections of one user only.
type sameUserListener struct {
	net.Listener
	uid  int
	peer func(net.Conn) (int, error)
	log  *slog.Logger
}

func sameUser(l net.Listener, uid int, peer func(net.Conn) (int, error), log *slog.Logger) net.Listener {
	if log == nil {
		log = slog.Default()
	}
	return &sameUserListener{Listener: l, uid: uid, peer: peer, log: log}
}

// Accept returns the next connection of the right user.
func (l *sameUserListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := l.peer(c)
		if err == nil && uid == l.uid {
			return c, nil
		}
		l.log.Warn("connection refused: its user is not ours", "uid", uid, "error", err)
		_ = c.Close()
	}
}

// control runs f on a connection's file descriptor.
func control(c net.Conn, f func(fd int) error) error {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return errors.New("the connection has no file descriptor")
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return fmt.Errorf("reach the connection: %w", err)
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return fmt.Errorf("reach the connection: %w", err)
	}
	return inner
}
