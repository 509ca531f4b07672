package sqlite_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// children are what this test binary does when it is started again as another
// process: a daemon that is killed, a program that competes for a lock.
var children = map[string]func(args []string) error{
	"write": childWrite,
	"count": childCount,
	"fsize": childFileSizeLimit,
	"lock":  childLock,
}

const childEnv = "SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	if f := children[os.Getenv(childEnv)]; f != nil {
		if err := f(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// child is this binary, about to start as another process.
func child(t *testing.T, what string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), childEnv+"="+what)
	cmd.Stderr = os.Stderr
	return cmd
}
