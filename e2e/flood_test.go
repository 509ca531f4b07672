package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/api"
)

func TestB15NothingIsCutOffAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	rounds := 10
	if soak {
		rounds = 200
		for range 2 { // a busy machine
			load := exec.Command("sh", "-c", "while :; do :; done")
			w.ok(load.Start())
			t.Cleanup(func() { _ = load.Process.Kill(); _ = load.Wait() })
		}
	}
	const size = 2_000_000
	var want [32]byte
	for i := range rounds {
		s := w.start([]string{"--kind", "job"}, fake("flood "+fmt.Sprint(size), "exit 0"))
		w.until(s.ID, "done")
		got := sha256.Sum256([]byte(w.tend("logs", s.ID, "--raw")))
		if i == 0 {
			want = got
		}
		if out, err := api.NewClient(w.socket()).Output(context.Background(), s.ID, api.OutputRange{Limit: 1}); err != nil || out.End < size {
			t.Fatalf("round %d: %d bytes on record, %v", i, out.End, err)
		}
		if got != want {
			t.Fatalf("round %d differs", i)
		}
		w.tend("close", s.ID)
	}
}

func TestB17AFloodDisturbsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	size := "40000000"
	if soak {
		size = "300000000"
	}
	quiet := w.start(nil, fake("state idle", `exec i=0; while [ $i -lt 8 ]; do echo tick $i $(date +%s%N); i=$((i+1)); sleep 0.5; done`, "print OVER", "hang"))
	flood := w.start([]string{"--kind", "job"}, fake("flood "+size, "exit 0"))
	w.eventually("the quiet one has ended", 60*time.Second, func() bool { return strings.Contains(w.tend("logs", quiet.ID), "OVER") })
	out := w.tend("logs", quiet.ID)
	for i := range 8 {
		if !strings.Contains(out, fmt.Sprintf("tick %d ", i)) {
			t.Errorf("line %d is missing:\n%s", i, out)
		}
	}
	w.until(flood.ID, "done")
	if rss := pss(w.daemon()); rss > 164 {
		t.Errorf("the daemon has %.0f MiB", rss)
	}
}

func TestB18TheLogStaysUnderItsCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old, "TEND_LOG_CAP=16MiB")
	s := w.start([]string{"--kind", "job"}, fake("flood 60000000", "print THE-END", "exit 0"))
	w.until(s.ID, "done")
	var size int64
	w.walk(func(path string, st os.FileInfo) {
		if strings.HasPrefix(filepath.Base(path), "out-") {
			size += st.Size()
		}
	})
	if size > 24<<20 {
		t.Fatalf("%d MiB are stored", size>>20)
	}
	out, err := api.NewClient(w.socket()).Output(context.Background(), s.ID, api.OutputRange{Offset: 0, Limit: 1})
	w.ok(err)
	if out.First == 0 || out.Offset != out.First || out.End < 60_000_000 {
		t.Fatalf("first %d offset %d end %d", out.First, out.Offset, out.End)
	}
	if got := w.tend("logs", s.ID, "--tail", "2"); !strings.Contains(got, "THE-END") {
		t.Fatalf("%q", got)
	}
}

func TestB75OutOfFilesIsAClearError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old)
	c := exec.Command("sh", "-c", "ulimit -n 40; exec tend serve")
	c.Env = w.env
	w.ok(c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	w.eventually("this daemon answers", 10*time.Second, func() bool { return w.socket() != "" })
	first := w.start(nil, w.composer(""))
	w.until(first.ID, "ready")
	var refused string
	for range 40 {
		if _, errs, code := w.try(nil, "run", "--", "sleep", "600"); code != 0 {
			refused = errs
			break
		}
	}
	if refused == "" || strings.Count(strings.TrimSpace(refused), "\n") > 0 {
		t.Fatalf("no clear error: %q", refused)
	}
	w.tend("send", first.ID, "still here", "--wait")
}
