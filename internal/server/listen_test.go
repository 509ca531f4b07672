package server

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSocketIsPrivateAndGoesAway(t *testing.T) {
	path := socketPath(t)
	l, err := ListenUnix(path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if m := info.Mode(); m != os.ModeSocket|0o600 {
		t.Errorf("mode %v", m)
	}
	if _, err := ListenUnix(path, quiet); !errors.Is(err, ErrSocketInUse) {
		t.Errorf("a second listener: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	path := socketPath(t)
	stale, err := listenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := stale.UnixListener.Close(); err != nil { // as a kill leaves it
		t.Fatal(err)
	}
	l, err := ListenUnix(path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if err := stale.Close(); err == nil {
		t.Error("closed twice")
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the old listener took the new one's socket along: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestSocketPathsThatCannotBe(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", maxSocketPath))
	if _, err := ListenUnix(long, quiet); err == nil || !strings.Contains(err.Error(), "XDG_RUNTIME_DIR") {
		t.Errorf("too long: %v", err)
	}
	if _, err := ListenUnix(filepath.Join(socketPath(t), "no", "such"), quiet); err == nil {
		t.Error("no directory: no error")
	}
	precious := socketPath(t)
	if err := os.WriteFile(precious, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenUnix(precious, quiet); err == nil {
		t.Error("a file in the way: no error")
	}
	if data, err := os.ReadFile(precious); string(data) != "mine" {
		t.Errorf("the file is %q, %v", data, err)
	}
}

// Only connections of the same user get through; what cannot be told is refused.
func TestOnlyTheSameUserGetsIn(t *testing.T) {
	path := socketPath(t)
	inner, err := listenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	type verdict struct {
		uid int
		err error
	}
	verdicts := make(chan verdict, 3)
	verdicts <- verdict{uid: 1001}
	verdicts <- verdict{uid: 1000, err: errors.New("cannot tell")}
	verdicts <- verdict{uid: 1000}
	l := sameUser(inner, 1000, func(net.Conn) (int, error) { v := <-verdicts; return v.uid, v.err }, quiet)
	defer func() { _ = l.Close() }()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	for range 2 {
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("a refused connection can be read")
		}
		_ = c.Close()
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	_ = (<-accepted).Close()
	_ = c.Close()
}

func TestPeerUIDIsOurs(t *testing.T) {
	path := socketPath(t)
	l, err := listenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	ours, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if uid, err := peerUID(c); err != nil || uid != os.Getuid() {
		t.Errorf("uid %d, %v", uid, err)
	}
	_ = c.Close()
	if _, err := peerUID(c); err == nil {
		t.Error("a closed connection has a user")
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if _, err := peerUID(a); err == nil {
		t.Error("a pipe has a user")
	}
}
