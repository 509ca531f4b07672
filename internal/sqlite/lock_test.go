package sqlite_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tendhq/tend/internal/sqlite"
)

// childLock takes the lock, says so, and keeps it until its input ends.
func childLock(args []string) error {
	l, err := sqlite.Lock(args[0])
	if e := (*sqlite.LockedError)(nil); errors.As(err, &e) {
		_, err := fmt.Fprintln(os.Stdout, "lost to", e.PID)
		return err
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, "won as", os.Getpid()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, l.Release())
}

// contender is a process that has asked for the lock.
type contender struct {
	cmd   *exec.Cmd
	stdin io.Closer
	won   bool
	pid   int // of the holder
}

func contend(t *testing.T, path string, n int) (all []*contender) {
	t.Helper()
	var outs []*bufio.Reader
	for range n {
		cmd := child(t, "lock", path)
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err := errors.Join(err1, err2, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, bufio.NewReader(out))
		all = append(all, &contender{cmd: cmd, stdin: in})
	}
	for i, c := range all {
		line, err := outs[i].ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var word, prep string
		if _, err := fmt.Sscan(line, &word, &prep, &c.pid); err != nil {
			t.Fatal(err)
		}
		c.won = word == "won"
	}
	return all
}

// end lets the process go, or kills it.
func (c *contender) end(t *testing.T, kill bool) {
	t.Helper()
	if kill {
		_ = c.cmd.Process.Kill()
	}
	if err := errors.Join(c.stdin.Close()); err != nil {
		t.Error(err)
	}
	if err := c.cmd.Wait(); err != nil && !kill {
		t.Error(err)
	}
}

func winner(t *testing.T, all []*contender) *contender {
	t.Helper()
	var won *contender
	for _, c := range all {
		if c.won && won != nil {
			t.Fatal("two hold the lock")
		}
		if c.won {
			won = c
		}
	}
	if won == nil {
		t.Fatal("nobody holds the lock")
	}
	return won
}

// TestLock is field case B64: of five that start at once one wins, the others
// learn who; a killed winner blocks nobody, nor does a file that names a pid
// which is another program by now; losers leave the file alone.
func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run", "tend.lock")
	for range 3 {
		all := contend(t, path, 5)
		won := winner(t, all)
		for _, c := range all {
			if c == won {
				continue
			}
			if c.pid != won.pid && c.pid != 0 { // 0: it had not written its number yet
				t.Errorf("lost to %d, the winner is %d", c.pid, won.pid)
			}
			c.end(t, false)
		}
		late := contend(t, path, 1)[0]
		if late.won || late.pid != won.pid {
			t.Errorf("a late one: won %v, told %d, the winner is %d", late.won, late.pid, won.pid)
		}
		late.end(t, false)
		won.end(t, true)
	}
	if err := os.WriteFile(path, []byte("1 2020-01-01T00:00:00Z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := contend(t, path, 2)
	winner(t, all)
	for _, c := range all {
		c.end(t, false)
	}
}

func TestLockInOneProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tend.lock")
	first, err := sqlite.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Lock(path)
	if e := (*sqlite.LockedError)(nil); !errors.As(err, &e) || e.PID != os.Getpid() {
		t.Errorf("second: %v, want a LockedError naming %d", err, os.Getpid())
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := sqlite.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the lock file: %v, %v, want mode 0600", fi, err)
	}
	if err := again.Release(); err != nil {
		t.Fatal(err)
	}
}
