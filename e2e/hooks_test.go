package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hookingAgent is a claude that has nothing but hooks: it fires each turn's two
// and waits for no daemon.
const hookingAgent = `#!/bin/sh
id=$4 # claude --settings FILE --session-id ID
fire() { printf '{"hook_event_name":"%s","session_id":"%s","source":"startup","prompt_id":"%s"}' "$1" "$id" "$2" | tend-hold hook || exit 9; }
printf '\033[?2004h> '
fire SessionStart none
i=0
while [ $i -lt TURNS ]; do
	i=$((i+1))
	fire UserPromptSubmit "p$i"
	fire Stop "p$i"
done
fire UserPromptSubmit last
cat >/dev/null
`

// Every hook is taken exactly once, in order, whenever the daemon dies.
func TestHooksExactlyOnce(t *testing.T) {
	turns := 150
	if soak {
		turns = 1000
	}
	w := newWorld(t)
	w.ok(os.Mkdir(w.path("bin"), 0o700))
	script := strings.ReplaceAll(hookingAgent, "TURNS", fmt.Sprint(turns))
	w.ok(os.WriteFile(w.path("bin", "claude"), []byte(script), 0o700)) //nolint:gosec // a program
	w.env[0] = "PATH=" + bin + ":" + w.path("bin") + ":/usr/local/bin:/usr/bin:/bin"
	id := w.start(nil, []string{"claude"}).ID
	kills := 0
	for end := time.Now().Add(4 * time.Minute); !strings.Contains(w.tend("explain", id, "--limit", "5"), "native=last"); kills++ {
		if time.Now().After(end) {
			t.Fatalf("not all hooks were taken:\n%s", w.tend("explain", id))
		}
		w.ok(syscall.Kill(w.daemon(), syscall.SIGKILL))
		<-time.After(time.Duration(rand.IntN(60)) * time.Millisecond) //nolint:gosec // any moment will do
	}
	t.Logf("%d hooks, %d deaths of the daemon", 2*turns+2, kills)
	story := w.tend("explain", id, "--json", "--limit", "10000")
	for i := 1; i <= turns; i++ {
		for _, event := range []string{"TurnStarted", "DoneSeen"} {
			if n := countApplied(w, story, event, fmt.Sprintf("p%d", i)); n != 1 {
				t.Errorf("%s of turn %d was taken %d times", event, i, n)
			}
		}
	}
	if s := w.show(id); s.Turn.N != turns+1 || s.State != "busy" {
		t.Errorf("turn %d, %s", s.Turn.N, s.State)
	}
	if kills < 3 {
		t.Errorf("the daemon died %d times", kills)
	}
}

// countApplied is how often an event with this native name changed something.
func countApplied(w *world, story, event, native string) (n int) {
	var told struct {
		Evidence []struct {
			Event   string `json:"event"`
			Ignored string `json:"ignored"`
			Detail  struct {
				Native string `json:"native"`
			} `json:"detail"`
		} `json:"entries"`
	}
	w.decode(story, &told)
	for _, e := range told.Evidence {
		if e.Event == event && e.Detail.Native == native && e.Ignored == "" {
			n++
		}
	}
	return n
}

// BenchmarkHook is what a hook costs its agent: a process from start to end, with
// no daemon, beside a process that does nothing.
func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	payload := `{"hook_event_name":"PostToolUse","session_id":"s","tool_response":"` + strings.Repeat("x", 2000) + `"}`
	run := func(b *testing.B, name string, args ...string) float64 {
		var took []time.Duration
		for range 200 {
			c := exec.Command(name, args...)
			c.Env, c.Stdin = []string{"TEND_RUN=" + dir}, strings.NewReader(payload)
			at := time.Now()
			if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
				b.Fatalf("%v, %q", err, out)
			}
			took = append(took, time.Since(at))
		}
		slices.Sort(took)
		return ms(took[len(took)/2])
	}
	for b.Loop() {
		hook, nothing := run(b, filepath.Join(bin, "tend-hold"), "hook"), run(b, "true")
		b.ReportMetric(hook, "p50-ms")
		b.ReportMetric(hook/nothing, "x-of-true")
	}
	b.ReportMetric(0, "ns/op")
}
