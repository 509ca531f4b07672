package holder

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

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

// CloseInherited closes the files above 2, except keep, that the parent's
// parents left open for anybody: they would stay open as long as we live, and
// reach the agent. What this program opened itself is marked close-on-exec.
func CloseInherited(keep int) {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range fds {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 || fd == keep {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}

// childless reports whether nothing descends from the holder: as a subreaper it
// would be its child. It takes no child's status away.
func childless() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return errors.Is(err, unix.ECHILD)
}
