package holder

import "golang.org/x/sys/unix"

const (
	wcontinued = unix.WCONTINUED
	sigHUP     = int(unix.SIGHUP)
	sigKILL    = int(unix.SIGKILL)
	sigCONT    = int(unix.SIGCONT)
)

// peerUID is the user at the other end of a socket, -1 when unknown.
func peerUID(fd int) int {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1
	}
	return int(c.Uid)
}
