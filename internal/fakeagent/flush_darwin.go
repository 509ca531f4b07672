package fakeagent

import "golang.org/x/sys/unix"

func discardInput(fd int) error {
	const fread = 1
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, fread)
}
