package e2e

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
)

// Every benchmark here is one measurement of the whole program. Figures that
// depend on the machine are given as a ratio to something measured beside them.

// BenchmarkExitToFollower is the time from an agent's last act to the moment at
// which a follower of the events has read its end from the journal.
func BenchmarkExitToFollower(b *testing.B) {
	for _, sessions := range []int{1, 100} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			w := newWorld(b, old)
			for range sessions - 1 {
				w.start(nil, fake("state idle", "hang"))
			}
			follow := w.follow()
			var took []time.Duration
			for b.Loop() {
				for i := range 20 {
					took = append(took, w.oneExit(follow, i))
				}
			}
			slices.Sort(took)
			b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
			b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// follow reads the events of the daemon as they come.
func (w *world) follow() <-chan api.Entry {
	ctx, cancel := context.WithCancel(context.Background())
	out := make(chan api.Entry, 1024)
	w.Cleanup(cancel)
	w.tend("status") // there is a daemon
	client := api.NewClient(w.socket())
	go func() {
		defer close(out)
		for e, err := range client.Events(ctx, api.FromNow, api.EventFilter{}) {
			if err != nil {
				return
			}
			out <- e
		}
	}()
	return out
}

func (w *world) oneExit(follow <-chan api.Entry, i int) time.Duration {
	stamp := w.path("work", "stamp-"+strconv.Itoa(i))
	s := w.start([]string{"--kind", "job"}, fake("sleep 300ms", "stamp "+stamp, "exit 0"))
	for e := range follow {
		if e.Session != s.ID || e.Event != "ProcessEnded" {
			continue
		}
		seen := time.Now()
		at, err := strconv.ParseInt(strings.TrimSpace(w.read("work", filepath.Base(stamp))), 10, 64)
		w.ok(err)
		w.tend("close", s.ID)
		return seen.Sub(time.Unix(0, at))
	}
	w.Fatal("the events have ended")
	return 0
}

// BenchmarkThroughput is 64 MB from a child to its reader, as a share of what a
// bare PTY gives, beside tmux and dtach in the same run.
func BenchmarkThroughput(b *testing.B) {
	const size = 64 << 20
	w := newWorld(b, old)
	file := w.path("work", "payload")
	w.ok(os.WriteFile(file, []byte(pattern(size)), 0o600))
	w.tend("status")
	bare := w.best(func() { w.bare(file) })
	b.ReportMetric(size/1e6/bare.Seconds(), "bare-MB/s")
	b.ReportMetric(bare.Seconds()/w.best(func() { w.throughTend(file) }).Seconds(), "tend/bare")
	b.ReportMetric(bare.Seconds()/w.best(func() { w.throughTmux(file) }).Seconds(), "tmux/bare")
	if _, err := exec.LookPath("dtach"); err == nil {
		b.ReportMetric(bare.Seconds()/w.best(func() { w.throughDtach(file) }).Seconds(), "dtach/bare")
	}
	b.ReportMetric(0, "ns/op")
}

// best is the shortest of three.
func (w *world) best(f func()) time.Duration {
	d := time.Hour
	for range 3 {
		start := time.Now()
		f()
		d = min(d, time.Since(start))
	}
	return d
}

func (w *world) bare(file string) {
	c := exec.Command("cat", file)
	p, err := pty.Start(c)
	w.ok(err)
	_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, p, make([]byte, 32<<10))
	_ = p.Close()
	w.ok(c.Wait())
}

func (w *world) throughTend(file string) {
	s := w.start([]string{"--kind", "job"}, []string{"cat", file})
	w.until(s.ID, "done")
	w.tend("close", s.ID)
}

func (w *world) throughTmux(file string) {
	server := fmt.Sprintf("%s-%d", filepath.Base(w.dir), time.Now().UnixNano()) // one that ends is not asked again
	tmux := func(args ...string) {
		c := exec.Command("tmux", append([]string{"-L", server, "-f", "/dev/null"}, args...)...)
		c.Env = w.env
		if out, err := c.CombinedOutput(); err != nil {
			w.Fatalf("tmux %v: %v %s", args, err, out)
		}
	}
	tmux("new-session", "-d", "cat "+file+"; tmux -L "+server+" wait-for -S over; sleep 600")
	tmux("wait-for", "over")
	tmux("kill-server")
}

func (w *world) throughDtach(file string) {
	c := exec.Command("dtach", "-c", w.path("dtach.sock"), "cat", file)
	c.Env = w.env
	p, err := pty.Start(c)
	w.ok(err)
	_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, p, make([]byte, 32<<10))
	_ = p.Close()
	_ = c.Wait()
}

// BenchmarkIdle is what 100 sessions at rest cost.
func BenchmarkIdle(b *testing.B) {
	w := newWorld(b, old)
	for range 100 {
		w.start(nil, fake("state idle", "hang"))
	}
	w.eventually("all at rest", 30*time.Second, func() bool { return w.cpu() >= 0 })
	pids := w.own()
	before := w.cpu()
	window := 30 * time.Second
	<-time.After(window)
	used := w.cpu() - before
	var holders float64
	n := 0
	for _, pid := range pids {
		if pid == w.daemon() {
			b.ReportMetric(pss(pid), "daemon-MiB")
		} else {
			holders += pss(pid)
			n++
		}
	}
	b.ReportMetric(holders/float64(n), "holder-MiB")
	b.ReportMetric(100*used.Seconds()/window.Seconds(), "cpu-%")
	b.ReportMetric(0, "ns/op")
}

// own lists the daemon and the holders.
func (w *world) own() (pids []int) {
	for _, pid := range w.processes() {
		if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); strings.HasPrefix(exe, bin+"/") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// cpu is the time that the daemon and the holders have used; ticks are 10 ms.
func (w *world) cpu() (d time.Duration) {
	for _, pid := range w.own() {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(b), ") ")
		if f := strings.Fields(rest); len(f) > 12 {
			user, _ := strconv.Atoi(f[11])
			sys, _ := strconv.Atoi(f[12])
			d += time.Duration(user+sys) * 10 * time.Millisecond
		}
	}
	return d
}

// pss is a process's proportional memory in MiB.
func pss(pid int) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "Pss:" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			return kb / 1024
		}
	}
	return 0
}

// BenchmarkStart is a daemon's start to its first answer with 10 000 archived
// sessions and 100 000 journal rows.
func BenchmarkStart(b *testing.B) {
	w := newWorld(b)
	w.tend("status")
	w.tend("shutdown")
	w.seed(10_000, 10)
	var took []time.Duration
	for b.Loop() {
		c := exec.Command(filepath.Join(bin, "tend"), "serve")
		c.Env = w.env
		start := time.Now()
		w.ok(c.Start())
		client := api.NewClient(w.path("run", "tend", "tend.sock"))
		for {
			if _, err := client.Status(context.Background()); err == nil {
				break
			}
		}
		took = append(took, time.Since(start))
		w.tend("shutdown")
		_ = c.Wait()
	}
	slices.Sort(took)
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(0, "ns/op")
}

// seed fills the store with archived sessions.
func (w *world) seed(sessions, rows int) {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, w.database(), sqlite.Options{})
	w.ok(err)
	defer func() { w.ok(st.Close()) }()
	work := make(chan int)
	done := make(chan error)
	for range 64 {
		go func() {
			var err error
			for i := range work {
				if err == nil {
					err = archive(ctx, st, i, rows)
				}
			}
			done <- err
		}()
	}
	for i := range sessions {
		work <- i
	}
	close(work)
	for range 64 {
		w.ok(<-done)
	}
}

func archive(ctx context.Context, st *sqlite.Store, i, rows int) error {
	at := time.Now().UTC()
	s := session.Session{
		ID: session.ID(fmt.Sprintf("01SEED%020d", i)), Node: "seed", Name: "seed", State: session.Dead,
		Spec: session.Spec{Agent: "generic", Argv: []string{"true"}, Host: "pty", Policy: session.DefaultPolicy()},
		Life: session.Life{CreatedAt: at, UpdatedAt: at, Closed: &session.Closed{At: at, Reason: "seed"}},
	}
	for r := range rows {
		s.Rev = int64(r + 1)
		c := session.Change{Session: s, PrevRev: int64(r), Entry: session.Entry{Node: "seed", Session: s.ID, Rev: s.Rev, At: at, Event: "Seeded"}}
		if _, err := st.Commit(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkAttach is the time from `tend attach` to the full screen of an agent
// that has printed 50 MB.
func BenchmarkAttach(b *testing.B) {
	w := newWorld(b, old)
	s := w.start(nil, fake("flood 50000000", "print THE-END", "hang"))
	w.eventually("all is printed", time.Minute, func() bool {
		v, err := api.NewClient(w.socket()).Screen(context.Background(), s.ID)
		return err == nil && strings.Contains(strings.Join(v.Lines, ""), "THE-END")
	})
	var took []time.Duration
	for b.Loop() {
		took = append(took, w.attachTime(s.ID))
	}
	slices.Sort(took)
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(0, "ns/op")
}

func (w *world) attachTime(id string) time.Duration {
	c := exec.Command(filepath.Join(bin, "tend"), "attach", id)
	c.Env = w.env
	start := time.Now()
	p, err := pty.StartWithSize(c, &pty.Winsize{Rows: 24, Cols: 80})
	w.ok(err)
	defer p.Close()
	var seen strings.Builder
	buf := make([]byte, 32<<10)
	for !strings.Contains(seen.String(), "THE-END") {
		n, err := p.Read(buf)
		w.ok(err)
		seen.Write(buf[:n])
	}
	d := time.Since(start)
	_, err = p.Write([]byte{0x11}) // Ctrl-Q
	w.ok(err)
	_, _ = io.Copy(io.Discard, p)
	_ = c.Wait()
	return d
}

// socket is where the daemon listens.
func (w *world) socket() string {
	var found string
	w.eventually("a socket", 10*time.Second, func() bool {
		all, _ := filepath.Glob(w.path("run", "tend", "*.sock"))
		for _, p := range all {
			if client := api.NewClient(p); client != nil {
				if _, err := client.Status(context.Background()); err == nil {
					found = p
				}
			}
		}
		return found != "" || len(all) == 0
	})
	return found
}

func (w *world) database() string {
	all, err := filepath.Glob(w.path("state", "tend", "*.db"))
	w.ok(err)
	if len(all) != 1 {
		w.Fatalf("databases: %v", all)
	}
	return all[0]
}
