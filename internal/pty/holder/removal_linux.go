package holder

import (
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// socketEvery is how soon a removed socket is noticed where the kernel does not
// tell.
const socketEvery = 5 * time.Second

// awaitRemoval returns when path may have been removed: at once by inotify, so
// that a holder at rest does nothing, or after a while where that cannot be had.
func awaitRemoval(path string) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		<-time.NewTimer(socketEvery).C
		return
	}
	defer func() { _ = unix.Close(fd) }()
	const gone = unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	_, err = unix.InotifyAddWatch(fd, filepath.Dir(path), gone)
	var st unix.Stat_t
	if err != nil || unix.Lstat(path, &st) != nil {
		<-time.NewTimer(socketEvery).C // removed before we watched, or its folder is
		return
	}
	buf := make([]byte, unix.SizeofInotifyEvent+unix.NAME_MAX+1)
	for {
		if n, err := unix.Read(fd, buf); n <= 0 && err != unix.EINTR {
			<-time.NewTimer(socketEvery).C
			return
		}
		if unix.Lstat(path, &st) != nil {
			return
		}
	}
}
