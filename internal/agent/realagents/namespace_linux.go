package realagents

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// impossible says why there can be no namespaces, "" if it is worth a try.
func impossible() string { return "" }

// namespaces are those of the second process. Without root it is root of a
// user namespace of its own.
func namespaces() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{HostID: gid, Size: 1}}
	}
	return a
}

// enter makes the namespaces of this process fit to run agents in, once, and
// fails if there is a way out of them.
var enter = sync.OnceValue(func() error {
	all, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("list the network interfaces: %w", err)
	}
	for _, i := range all { // before anything is changed: this could be the machine
		if i.Flags&net.FlagLoopback == 0 && i.Flags&net.FlagUp != 0 {
			return errors.New("there is a network interface " + i.Name)
		}
	}
	if c, err := net.DialTimeout("tcp", "192.0.2.1:80", time.Second); !errors.Is(err, unix.ENETUNREACH) { // TEST-NET-1, RFC 5737
		if err == nil {
			_ = c.Close()
		}
		return fmt.Errorf("there is a route to elsewhere: %w", err)
	}
	if err := raiseLoopback(); err != nil {
		return err
	}
	return hideNames()
})

func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("raise lo: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("raise lo: %w", err)
	}
	r.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r); err != nil {
		return fmt.Errorf("raise lo: %w", err)
	}
	return nil
}

// hideNames sends every question for a name to loopback, where nobody answers.
// The sockets in /run, which resolvers and buses of the machine answer on, are
// not of the network and would be a way out: they go.
func hideNames() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts to ourselves: %w", err)
	}
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755"); err != nil {
		return fmt.Errorf("hide /run: %w", err)
	}
	conf, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if err != nil {
		return nil // without the file a resolver asks 127.0.0.1, resolv.conf(5)
	}
	ours := "/run/resolv.conf"
	if err := os.WriteFile(ours, []byte("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"), 0o644); err != nil {
		return fmt.Errorf("write a resolv.conf: %w", err)
	}
	if err := unix.Mount(ours, conf, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("replace resolv.conf: %w", err)
	}
	return nil
}
