package holder

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	wcontinued = 0x10 // WCONTINUED of sys/wait.h
	sigHUP     = int(unix.SIGHUP)
	sigKILL    = int(unix.SIGKILL)
	sigCONT    = int(unix.SIGCONT)
)

// socketEvery is how soon a removed socket is noticed.
const socketEvery = 5 * time.Second

// peerUID is the user at the other end of a socket, -1 when unknown.
func peerUID(fd int) int {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1
	}
	return int(c.Uid)
}

// CloseInherited closes the files above 2, except keep, that the parent's
// parents left open for anybody.
func CloseInherited(keep int) {
	fds, err := os.ReadDir("/dev/fd")
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

// awaitRemoval returns when path may have been removed.
func awaitRemoval(string) { <-time.NewTimer(socketEvery).C }

// childless reports whether nothing that is known descends from the holder: this
// system has no subreaper.
func childless() bool { return len(descendants(os.Getpid())) == 0 }
