package pty_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	creack "github.com/creack/pty"

	"github.com/tendhq/tend/internal/session"
)

// BenchmarkThroughput is 64 MB from a child to its reader through the holder, as
// a share of what the reader of a bare PTY gets in the same run.
func BenchmarkThroughput(b *testing.B) {
	const size = 64 << 20
	file := filepath.Join(b.TempDir(), "payload")
	line := []byte("0123456789 abcdefghijklmnopqrstuvwxyz 0123456789 abcdefghijklmnopqrstuvwxyz\n")
	data := make([]byte, 0, size)
	for len(data) < size {
		data = append(data, line...)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		b.Fatal(err)
	}
	host := newHost(b)
	bare, held := time.Hour, time.Hour
	for range 3 {
		bare = min(bare, timed(func() { readBare(b, file) }))
		held = min(held, timed(func() { readHeld(b, host, file) }))
	}
	b.ReportMetric(size/1e6/bare.Seconds(), "bare-MB/s")
	b.ReportMetric(bare.Seconds()/held.Seconds(), "held/bare")
	b.ReportMetric(0, "ns/op")
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func readBare(b *testing.B, file string) {
	c := exec.Command("cat", file)
	tty, err := creack.Start(c)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{tty}, make([]byte, 32<<10))
	_ = tty.Close()
	if err := c.Wait(); err != nil {
		b.Fatal(err)
	}
}

var benchRun = 0

type benchHost interface {
	Prepare(context.Context, session.RunRef, session.Launch) error
	Launch(context.Context, session.RunRef) (session.Sighting, error)
	Follow(context.Context, session.RunRef, int64, func(session.TerminalEvent) error) error
	Release(context.Context, session.RunRef) error
}

func readHeld(b *testing.B, host benchHost, file string) {
	ctx := context.Background()
	benchRun++
	ref := session.RunRef{ID: "BENCH", Run: benchRun}
	l := session.Launch{Argv: []string{"cat", file}, Cwd: "/", Env: []string{"PATH=/usr/bin:/bin"}, Size: session.Size{Cols: 80, Rows: 24}}
	if err := host.Prepare(ctx, ref, l); err != nil {
		b.Fatal(err)
	}
	if _, err := host.Launch(ctx, ref); err != nil {
		b.Fatal(err)
	}
	n := 0
	err := host.Follow(ctx, ref, 0, func(e session.TerminalEvent) error {
		if o, ok := e.(session.Output); ok {
			n += len(o.Data)
		}
		return nil
	})
	if err != nil || n < 64<<20 {
		b.Fatalf("%d bytes, %v", n, err)
	}
	if err := host.Release(ctx, ref); err != nil {
		b.Fatal(err)
	}
}
