package realagents

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// inside marks the test binary that runs in the namespaces, and names the
// sandbox's folder. It is believed only after a look at the network.
const inside = "TEND_REALAGENTS"

// Run runs f with a fresh Sandbox and the path of a program, as the rest of
// the test t. Nothing may come after it in t, and before it only what may
// happen twice: the test binary is started again, for t alone, in new network
// and mount namespaces. TestMain runs there too, without network, HOME and
// most of the environment; variables that begin with TEND_TEST_ come along, to
// hand over what was built before.
//
// Without Linux, the right to make namespaces, or the program, t is skipped
// with the reason, and fails where CI=true. Namespaces need root, or a kernel
// that gives them to everybody.
func Run(t *testing.T, p Program, f func(t *testing.T, s *Sandbox, path string)) {
	t.Helper()
	path, err := p.Path()
	if err != nil {
		missing(t, err.Error())
	}
	if dir := os.Getenv(inside); dir != "" {
		if err := enter(); err != nil {
			t.Fatalf("the namespace is not closed: %v", err)
		}
		f(t, newSandbox(t, dir), path)
		return
	}
	if why := impossible(); why != "" {
		missing(t, why)
	}
	again(t)
}

// missing ends a test that cannot be run here.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// again runs t in a second process inside the namespaces.
func again(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "agents")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kill(dir) // a process that panics cleans nothing up
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the sandbox: %v", err)
		}
	})
	limit := 3 * time.Minute
	if end, ok := t.Deadline(); ok {
		limit = max(time.Until(end)-5*time.Second, time.Second) // it says itself where it hangs
	}
	c := exec.Command(exe, "-test.run="+exactly(t.Name()), "-test.v", "-test.count=1", "-test.timeout="+limit.String())
	c.Env, c.SysProcAttr = childEnv(dir), namespaces()
	c.WaitDelay = 10 * time.Second // an agent that stays must not hold the test by its output
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err = c.Run()
	var exit *exec.ExitError
	switch {
	case err == nil && strings.Contains(out.String(), "--- PASS: "+t.Name()):
		t.Logf("%s", &out)
	case err == nil:
		t.Fatalf("it did not run inside the namespaces:\n%s", &out)
	case errors.As(err, &exit):
		t.Fatalf("%v inside the namespaces:\n%s", err, &out)
	case errors.Is(err, os.ErrPermission):
		missing(t, "this machine gives no namespaces: "+err.Error())
	default:
		t.Fatalf("%v\n%s", err, &out)
	}
}

// exactly is the pattern for -test.run that names one test.
func exactly(name string) string {
	steps := strings.Split(name, "/")
	for i, s := range steps {
		steps[i] = "^" + regexp.QuoteMeta(s) + "$"
	}
	return strings.Join(steps, "/")
}

// childEnv is what the second process may know of the first one's environment:
// no keys, no proxies, no home.
func childEnv(dir string) []string {
	env := []string{inside + "=" + dir, "HOME=/nonexistent", "LANG=C.UTF-8"}
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name == "PATH" || name == "CI" || name == "TMPDIR" ||
			strings.HasPrefix(name, "GO") || strings.HasPrefix(name, "TEND_TEST_") {
			env = append(env, e)
		}
	}
	return env
}
