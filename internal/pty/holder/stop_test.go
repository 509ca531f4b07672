package holder

import (
	"bufio"
	"os/exec"
	"testing"
)

// A process whose parent ends during a look belongs to nobody for a moment: one
// look that sees nothing ends no stop.
func TestEndLooksTwice(t *testing.T) {
	c := exec.Command("sh", "-c", `trap "" TERM HUP; echo up; while :; do read x; done`)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	p := procOf(c.Process.Pid)
	looks := 0
	left := End(func() []Proc {
		if looks++; looks%2 == 0 || !p.Alive() {
			return nil
		}
		return []Proc{p}
	}, StopOrder{Signal: 15, GraceMS: 50}, nil)
	if p.Alive() || len(left) > 0 {
		_ = c.Process.Kill()
		t.Errorf("it lives after the stop: %v", left)
	}
	if err := <-ended; err == nil {
		t.Error("it ended by itself")
	}
}
