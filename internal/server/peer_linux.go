package server

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// peerUID is the user at the other end of a Unix socket, as the kernel noted it
// when the connection was made.
func peerUID(c net.Conn) (int, error) {
	uid := -1
	err := control(c, func(fd int) error {
		cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err != nil {
			return fmt.Errorf("read SO_PEERCRED: %w", err)
		}
		uid = int(cred.Uid)
		return nil
	})
	return uid, err
}
