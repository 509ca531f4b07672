// Package bench compares the emulator of internal/screen with the two that Go
// programs use. It is a module of its own so that tend does not depend on
// them: go test -bench . in this directory.
package bench

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/hinshun/vt10x"

	"github.com/tendhq/tend/internal/screen"
	"github.com/tendhq/tend/internal/screen/sample"
)

// emulators are made for a size; each is written to like the others.
var emulators = []struct {
	name string
	make func(cols, rows int) io.Writer
}{
	{"tend", func(cols, rows int) io.Writer { return screen.New(cols, rows, screen.Options{}) }},
	{"x-vt", newVT},
	{"vt10x", func(cols, rows int) io.Writer { return vt10x.New(vt10x.WithSize(cols, rows)) }},
}

// newVT also reads the answers: without that a query blocks Write for ever.
func newVT(cols, rows int) io.Writer {
	e := vt.NewEmulator(cols, rows)
	go io.Copy(io.Discard, e)
	return e
}

var sizes = [][2]int{{80, 24}, {200, 50}}

func each(b *testing.B, size int, run func(b *testing.B, make func() io.Writer, data []byte)) {
	for _, s := range sample.Streams {
		data := s.Make(size)
		for _, wh := range sizes {
			for _, e := range emulators {
				b.Run(fmt.Sprintf("%s/%dx%d/%s", s.Name, wh[0], wh[1], e.name), func(b *testing.B) {
					run(b, func() io.Writer { return e.make(wh[0], wh[1]) }, data)
				})
			}
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	each(b, 1<<20, func(b *testing.B, make func() io.Writer, data []byte) {
		w := make()
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			for p := data; len(p) > 0; {
				n := min(len(p), 32<<10)
				w.Write(p[:n])
				p = p[n:]
			}
		}
	})
}

func BenchmarkMemory(b *testing.B) {
	each(b, 1<<20, func(b *testing.B, make func() io.Writer, data []byte) {
		const copies = 4
		var before, after runtime.MemStats
		for b.Loop() {
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&before)
			var list [copies]io.Writer
			for i := range list {
				list[i] = make()
				list[i].Write(data)
			}
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(list)
			runtime.KeepAlive(data)
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/copies/1024, "KiB/terminal")
	})
}
